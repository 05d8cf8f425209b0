package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorBoundsTest {
    /** Ten actions with three errors each: 10,020 cases. */
    private static final int DRAWS = 334;

    static List<BoundCase> actions() {
        return BoundCase.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("actions")
    void noErrorExceedsItsBounds(BoundCase action) {
        check(action, action.draw(DRAWS, 0.8, new SplittableRandom(5)));
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("actions")
    void noErrorExceedsItsBoundsFarOut(BoundCase action) {
        check(action, action.draw(10 * DRAWS, 1.6, new SplittableRandom(6)));
    }

    private static void check(BoundCase action, BoundCase.Drawn drawn) {
        List<PathBound> composition = action.bounds().composition(drawn.second(), drawn.first(), drawn.points());
        List<PathBound> inverse = action.bounds().inverse(drawn.back(), drawn.first(), drawn.points());
        List<PathBound> output = action.bounds().outputChange(drawn.second(), drawn.points());

        for (List<PathBound> bounds : List.of(composition, inverse, output)) {
            assertThat(bounds).hasSize(drawn.points().rows());
            assertThat(bounds).filteredOn(bound -> !bound.holds()).isEmpty();
            assertThat(bounds)
                    .as("the sharp bound is the smaller")
                    .filteredOn(bound -> bound.sharp() > bound.bound() + slack(bound))
                    .isEmpty();
            assertThat(bounds)
                    .as(action.exact() ? "vanishes for an exact action" : "sees a broken action")
                    .filteredOn(bound -> action.exact() ? !(bound.bound() <= 1e-11) : !(bound.bound() >= 1e-8))
                    .isEmpty();
            assertThat(bounds)
                    .as("the error of the integrals is small beside them")
                    .filteredOn(bound -> bound.quadrature() > 0.02 * bound.accumulated() + bound.rounding())
                    .isEmpty();
        }
        assertThat(composition)
                .filteredOn(bound -> bound.measured() > bound.constants().composition(bound.length()) + slack(bound))
                .isEmpty();
        assertThat(inverse)
                .filteredOn(bound -> bound.measured() > bound.constants().inverse(bound.length()) + slack(bound))
                .isEmpty();
        assertThat(output)
                .filteredOn(bound -> bound.measured() > bound.constants().outputChange(bound.length()) + slack(bound))
                .isEmpty();
    }

    private static double slack(PathBound bound) {
        return bound.quadrature() + bound.rounding();
    }

    /**
     * Moves as one action and gives the derivatives of another.
     *
     * @param map how it moves
     * @param claim what it says about that
     */
    private record LyingAction(GroupAction map, GroupAction claim) implements GroupAction {
        @Override
        public Generators generators() {
            return map.generators();
        }

        @Override
        public int parameterCount() {
            return map.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return map.apply(elements, parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return claim.derivative(elements, directions, parameters);
        }
    }

    /** The residuals that it claims are far too small for what it does. */
    @Test
    void aDerivativeThatLiesIsFoundOut() {
        BoundCase honest = BoundCase.compensation(false);
        var lying = new LyingAction(new PerturbedAction(honest.action(), 0, 0.05), honest.action());
        BoundCase.Drawn drawn = honest.draw(50, 0.8, new SplittableRandom(7));
        ErrorBounds bounds = ErrorBounds.of(lying, honest.target(), honest.target()::jacobian);

        assertThat(bounds.composition(drawn.second(), drawn.first(), drawn.points()))
                .filteredOn(bound -> !bound.holds())
                .hasSizeGreaterThan(10);
        assertThat(bounds.outputChange(drawn.second(), drawn.points()))
                .filteredOn(bound -> !bound.holds())
                .hasSizeGreaterThan(10);
    }

    /** {@code theta + t + H (tanh((t - c) / w) + 1) / 2}: a step of the map, a peak of its residual. */
    private static AdditiveMap step(double place, double width) {
        double height = 0.5;
        return new AdditiveMap(
                (t, theta) -> theta + t + 0.5 * height * (Math.tanh((t - place) / width) - Math.tanh(-place / width)),
                (t, theta) -> 1 + 0.5 * height / width / Math.pow(Math.cosh((t - place) / width), 2));
    }

    /** A peak that some node sees is integrated; one that no node sees makes the error larger than the estimate, and that is said. */
    @Test
    void aStepOfTheMapIsWithinItsBoundsOrExceedsThem() {
        var random = new SplittableRandom(8);
        for (double width : new double[] {0.3, 0.1, 0.03, 1e-6}) {
            int seen = 0;
            for (int i = 0; i < 50; i++) {
                AdditiveMap map = step(random.nextDouble(0.1, 0.9), width);
                PathBound output = ErrorBounds.of(map, Closed.PARAMETER, Closed.PARAMETER)
                        .outputChange(List.of(GroupPath.of(GroupWord.exp(1), map.generators())), Matrix.of(1, 1, 0))
                        .getFirst();
                assertThat(output.measured()).isGreaterThan(1.2);
                seen += output.holds() ? 1 : 0;
            }
            assertThat(seen).as("width %s", width).isEqualTo(width < 0.01 ? 0 : 50);
        }
    }

    @Test
    void aPathOfNoPiecesHasTheErrorOfTheIdentity() {
        BoundCase exact = BoundCase.basis();
        var shifted = new PerturbedAction(exact.action(), 0.25, 0);
        ErrorBounds bounds = ErrorBounds.of(shifted, exact.target(), exact.target()::jacobian);
        List<GroupPath> nowhere =
                List.of(GroupPath.of(GroupWord.of(List.of()), exact.action().generators()));
        Matrix points = exact.draw(1, 0.5, new SplittableRandom(1)).points();
        Matrix identity = Matrix.over(1, 4, Matrix.identity(2).entries());

        PathBound composition = bounds.composition(nowhere, identity, points).getFirst();
        assertThat(composition.length()).isZero();
        assertThat(composition.constants().identity()).isEqualTo(composition.initial());
        assertThat(composition.accumulated()).isZero();
        assertThat(composition.measured()).isEqualTo(composition.initial());
        assertThat(Math.abs(composition.initial() - 0.25 * Math.sqrt(8))).isLessThan(1e-12);
        PathBound output = bounds.outputChange(nowhere, points).getFirst();
        assertThat(output.measured()).isEqualTo(output.initial()).isPositive();
        assertThat(output.constants().outputChange(0)).isGreaterThanOrEqualTo(output.measured() * (1 - 1e-15));
        PathBound inverse = bounds.inverse(nowhere, identity, points).getFirst();
        assertThat(inverse.measured()).isLessThanOrEqualTo(inverse.bound());
        assertThat(inverse.measured()).isLessThanOrEqualTo(inverse.constants().inverse(0));
    }

    @Test
    void theSameInputsGiveTheSameBits() {
        BoundCase action = BoundCase.untrained();
        BoundCase.Drawn drawn = action.draw(20, 0.5, new SplittableRandom(2));
        List<PathBound> together = action.bounds().composition(drawn.second(), drawn.first(), drawn.points());

        assertThat(action.bounds().composition(drawn.second(), drawn.first(), drawn.points()))
                .isEqualTo(together);
        assertThat(action.bounds()
                        .composition(
                                drawn.second().subList(0, 1),
                                drawn.first().rows(0, 1),
                                drawn.points().rows(0, 1)))
                .isEqualTo(together.subList(0, 1));
    }

    @Test
    void anActionThatLeavesTheNumbersHasNoFiniteBound() {
        var exploding =
                new AdditiveMap((t, theta) -> t > 0.7 ? Double.NaN : theta + t, (t, theta) -> t > 0.7 ? Double.NaN : 1);
        ErrorBounds bounds = ErrorBounds.of(exploding, Closed.PARAMETER, Closed.PARAMETER);
        List<GroupPath> path = List.of(GroupPath.of(GroupWord.exp(1), exploding.generators()));

        PathBound composition = bounds.composition(path, AdditiveMap.element(0), Matrix.of(1, 1, 0))
                .getFirst();
        assertThat(composition.measured()).isNaN();
        assertThat(composition.bound()).isInfinite();
        assertThat(composition.holds()).isFalse();
        assertThat(composition.constants().transport()).isInfinite();
        PathBound output = bounds.outputChange(path, Matrix.of(1, 1, 0)).getFirst();
        assertThat(output.bound()).isInfinite();
        assertThat(output.holds()).isFalse();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        BoundCase action = BoundCase.basis();
        BoundCase.Drawn drawn = action.draw(2, 0.5, new SplittableRandom(3));
        assertThatThrownBy(() -> ErrorBounds.of(AdditiveMap.INTEGRATED, action.target(), point -> Matrix.zeros(1, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ErrorBounds: the action moves 1 parameters, the target has 8");
        assertThatThrownBy(() -> action.bounds().outputChange(drawn.second().subList(0, 1), drawn.points()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ErrorBounds.outputChange: 1 paths for 2 points, expected one for each");
        assertThatThrownBy(() ->
                        GroupPath.of(GroupWord.parse("5:0.1"), action.action().generators()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("group word 5:0.1 names generator 5, but the group has 4");
    }
}
