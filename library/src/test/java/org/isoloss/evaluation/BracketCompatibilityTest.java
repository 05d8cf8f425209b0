package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.isoloss.action.FieldDerivative;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Test;

class BracketCompatibilityTest {
    private static final Matrix POINTS = Networks.gaussian(new SplittableRandom(1), 24, 8);

    /** Two hidden layers of two units each, and a network of one hidden layer. */
    private static HiddenBasisAction basis() {
        DenseNetwork network = Networks.random(new SplittableRandom(2), Activation.IDENTITY, false, 2, 2, 2);
        return HiddenBasisAction.of(network);
    }

    /**
     * An action with the sign of every field turned round, {@code h -> -v_h}: the fields of a right action, of which the
     * brackets have the other sign. It keeps what the true one keeps.
     */
    private record PlantedSign(FieldDerivative action) implements FieldDerivative {
        @Override
        public Generators generators() {
            return action.generators();
        }

        @Override
        public int parameterCount() {
            return action.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return action.apply(elements, parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return action.derivative(elements, directions.scaled(-1), parameters);
        }

        @Override
        public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
            return action.fieldDerivative(directions.scaled(-1), parameters, velocities);
        }
    }

    @Test
    void changesOfHiddenBasisPass() {
        BracketCompatibility brackets = BracketCompatibility.at(basis(), POINTS);

        assertThat(brackets.pairs())
                .hasSize(6)
                .allSatisfy(pair -> assertThat(pair.residuals()).hasSize(24));
        assertThat(brackets.largest()).isLessThan(1e-13);
        assertThat(brackets.holds(1e-13)).isTrue();
    }

    @Test
    void aDeepLinearNetworkPasses() {
        DenseNetwork network = Networks.random(new SplittableRandom(3), Activation.IDENTITY, true, 2, 2, 2, 1);
        Matrix points =
                Networks.gaussian(new SplittableRandom(4), 5, network.layout().size());

        BracketCompatibility brackets = BracketCompatibility.at(HiddenBasisAction.of(network), points);
        assertThat(brackets.pairs()).hasSize(28);
        assertThat(brackets.holds(1e-13)).isTrue();
    }

    @Test
    void aPlantedSignFails() {
        BracketCompatibility brackets = BracketCompatibility.at(new PlantedSign(basis()), POINTS);

        assertThat(brackets.holds(1e-2)).isFalse();
        // E_11 and E_22 commute, every other pair does not
        assertThat(brackets.pairs())
                .filteredOn(pair -> pair.quantiles().p50() > 0.1)
                .hasSize(5);
    }

    /** By automatic differentiation, against a bracket of fields whose derivatives are central differences. */
    @Test
    void theResidualsOfALearnedActionAreThoseOfDifferences() {
        BoundCase learned = BoundCase.untrained();
        FieldDerivative action = (FieldDerivative) learned.action();
        Matrix points = learned.draw(6, 0.5, new SplittableRandom(5)).points();

        BracketCompatibility exact = BracketCompatibility.at(action, points);
        BracketCompatibility differences = BracketCompatibility.at(new Differences(action), points);
        assertThat(exact.pairs()).hasSize(1);
        for (int point = 0; point < 6; point++) {
            double residual = exact.pairs().getFirst().residuals().get(point);
            assertThat(residual)
                    .as("an untrained action has none of the brackets")
                    .isGreaterThan(1e-3);
            assertThat(Math.abs(residual
                            - differences.pairs().getFirst().residuals().get(point)))
                    .isLessThan(1e-7);
        }
    }

    private record Differences(FieldDerivative action) implements FieldDerivative {
        private static final double STEP = Math.cbrt(Math.ulp(1.0));

        @Override
        public Generators generators() {
            return action.generators();
        }

        @Override
        public int parameterCount() {
            return action.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return action.apply(elements, parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return action.derivative(elements, directions, parameters);
        }

        @Override
        public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
            Matrix up = action.field(directions, parameters.plus(velocities.scaled(STEP)));
            Matrix down = action.field(directions, parameters.minus(velocities.scaled(STEP)));
            return up.minus(down).scaled(0.5 / STEP);
        }
    }

    @Test
    void oneGeneratorHasNoBracket() {
        LinearAction single = LinearAction.of(Matrix.of(2, 2, 0, 1, 0, 0));
        assertThatThrownBy(() -> BracketCompatibility.at(single, Networks.gaussian(new SplittableRandom(1), 2, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("BracketCompatibility: the action has 1 generator, expected at least two to bracket");
    }
}
