package org.isoloss.decomposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DecompositionTest {
    /** What is promised of every factor and of their product. */
    private static final double PROMISED = 1e-10;

    static List<Decomposed> examples() {
        return Decomposed.all();
    }

    private static Decomposition decomposed(
            Decomposed example, OutputPreservingFamily family, Matrix points, Grouping grouping) {
        return Decomposition.of(example.coordinates(), family, points, grouping);
    }

    private static DecompositionCheck verified(
            Decomposed example, OutputPreservingFamily family, int points, Grouping grouping) {
        Matrix starts = example.points(points);
        Decomposition decomposition = decomposed(example, family, starts, grouping);
        var check = DecompositionCheck.of(
                example.coordinates(), family, decomposition.factors(), starts, example.outputs());
        assertThat(check.productError()).isLessThan(PROMISED);
        assertThat(check.outputError()).isLessThan(PROMISED);
        assertThat(check.inverseError()).isLessThan(PROMISED);
        assertThat(check.mostUnits()).isEqualTo(example.protectedInputs() + 1);
        assertThat(check.motion()).isGreaterThan(0.01);
        assertThat(decomposition.parts().size()).isGreaterThan(1);
        assertThat(decomposition.parts())
                .allSatisfy(part ->
                        assertThat(part.derivativeNorm()).isPositive().isLessThanOrEqualTo(Decomposition.LARGEST_NORM));
        assertThat(decomposition.parts().getFirst().from()).isZero();
        assertThat(decomposition.parts().getLast().to()).isEqualTo(1);
        int factors = grouping == Grouping.COORDINATE
                ? example.coordinates().movingCount()
                : example.coordinates().units();
        assertThat(check.factors()).isEqualTo(factors * decomposition.parts().size());
        return check;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void aTwistIsTheProductOfSmallSubnetworkMaps(Decomposed example) {
        verified(example, example.twist(), 4, Grouping.COORDINATE);
    }

    @Test
    void aFlowIsTheProductOfSmallSubnetworkMaps() {
        Decomposed example = Decomposed.all().getFirst();
        verified(example, example.flow(), 2, Grouping.COORDINATE);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void everyFlowIsTheProductOfSmallSubnetworkMaps(Decomposed example) {
        verified(example, example.flow(), 2, Grouping.UNIT);
    }

    @Test
    void theProductCanBeUndone() {
        Decomposed example = Decomposed.all().getFirst();
        Matrix points = example.points(3);
        Decomposition decomposition = decomposed(example, example.twist(), points, Grouping.UNIT);
        double[] end = decomposition.apply(points.row(1));
        assertThat(decomposition.inverse(end)).containsExactly(points.row(1), within(PROMISED));
        assertThat(decomposition.apply(points.row(2))).isEqualTo(points.row(2)); // outside the support
        assertThat(decomposition.factors().get(1).unit()).isEqualTo(1);
        assertThat(decomposition.factors().getFirst().from()).isZero();
        assertThat(decomposition.factors().getLast().to()).isEqualTo(1);
    }

    /** Each law is broken by one map, and the check sees that law and says how much. */
    @Test
    void theCheckSeesEveryPlantedDefect() {
        Decomposed example = Decomposed.all().get(1);
        OutputCoordinates coordinates = example.coordinates();
        Matrix points = example.points(3);
        Decomposition decomposition = decomposed(example, example.twist(), points, Grouping.UNIT);
        List<ParameterMap> factors = new ArrayList<>(decomposition.factors());
        OutputPreservingFamily twist = example.twist();

        List<ParameterMap> oneMissing = new ArrayList<>(factors);
        oneMissing.removeFirst();
        assertThat(DecompositionCheck.of(coordinates, twist, oneMissing, points, example.outputs())
                        .productError())
                .isGreaterThan(1e-3);

        int outgoing = 2; // two weights enter the first unit, then one leaves it
        var leaking = DecompositionCheck.of(
                coordinates, twist, with(factors, shift(outgoing, 1e-8, 1e-8)), points, example.outputs());
        assertThat(leaking.outputError()).isBetween(1e-10, 1e-7);
        assertThat(leaking.inverseError()).isLessThan(PROMISED);

        var oneWay = DecompositionCheck.of(
                coordinates, twist, with(factors, shift(outgoing, 1e-8, 0)), points, example.outputs());
        assertThat(oneWay.inverseError()).isBetween(0.5e-8, 2e-8);

        assertThat(DecompositionCheck.of(coordinates, twist, List.of(everyUnit(coordinates)), points, example.outputs())
                        .mostUnits())
                .isGreaterThan(example.protectedInputs() + 1);

        ParameterMap broken = shift(0, Double.NaN, 0);
        assertThat(DecompositionCheck.of(coordinates, example.twist(), List.of(broken), points, example.outputs())
                        .inverseError())
                .isInfinite();
    }

    /** Keeps the outputs, but moves every unit at once. */
    private static ParameterMap everyUnit(OutputCoordinates coordinates) {
        return new ParameterMap() {
            @Override
            public double[] apply(double[] point) {
                double[] x = coordinates.from(point);
                for (int i = coordinates.outputCount(); i < x.length; i++) {
                    x[i] += 0.01;
                }
                return coordinates.toParameters(x);
            }

            @Override
            public double[] inverse(double[] image) {
                return image.clone();
            }
        };
    }

    private static List<ParameterMap> with(List<ParameterMap> factors, ParameterMap defect) {
        List<ParameterMap> all = new ArrayList<>(factors);
        all.add(defect);
        return all;
    }

    private static ParameterMap shift(int place, double there, double back) {
        return new ParameterMap() {
            @Override
            public double[] apply(double[] point) {
                double[] moved = point.clone();
                moved[place] += there;
                return moved;
            }

            @Override
            public double[] inverse(double[] image) {
                double[] moved = image.clone();
                moved[place] -= back;
                return moved;
            }
        };
    }

    /** A translation by the whole reach in a thin shell is no contraction however the time is cut. */
    @Test
    void aFamilyThatJumpsIsRefused() {
        Decomposed example = Decomposed.all().getFirst();
        OutputCoordinates coordinates = example.coordinates();
        double[] origin = coordinates.origin();
        OutputPreservingFamily jump = (from, to, point) -> {
            double[] x = coordinates.from(point);
            x[coordinates.outputCount()] += (to - from) * Math.signum(point[0] - origin[0]);
            return coordinates.toParameters(x);
        };
        Matrix points = Matrix.over(1, origin.length, origin);
        assertThatThrownBy(() -> Decomposition.of(coordinates, jump, points, Grouping.UNIT))
                .isInstanceOf(ArithmeticException.class)
                .hasMessageMatching(
                        "Decomposition: from t = 0.0 to 2.44\\d*E-4 the norm of D\\(psi - id\\) is .*, more than 0.5 after 12 halvings; the family is too steep, or not smooth");
    }

    /** Steep only away from the points at which it was measured: the iteration tells. */
    @Test
    void anIncrementThatIsNoContractionIsNotInverted() {
        Decomposed example = Decomposed.all().getFirst();
        OutputCoordinates coordinates = example.coordinates();
        int first = coordinates.outputCount();
        OutputPreservingFamily steep = (from, to, point) -> {
            double[] x = coordinates.from(point);
            x[first] -= 3 * (to - from) * x[first];
            return coordinates.toParameters(x);
        };
        var increment = new Increment(coordinates, steep, 0, 1);
        double[] x = coordinates.from(coordinates.origin());
        assertThat(increment.derivativeNorm(x)).isCloseTo(3, within(1e-6));
        assertThatThrownBy(() -> increment.partialInverse(1, x))
                .isInstanceOf(ArithmeticException.class)
                .hasMessageMatching(
                        "Decomposition: the increment from t = 0.0 to 1.0 is no contraction everywhere: a fixed-point iteration for 1 of 5 coordinates stopped shrinking at .*; check its derivative at more points");
    }

    @Test
    void pointsThatDoNotFitAreRefused() {
        Decomposed example = Decomposed.all().getFirst();
        assertThatThrownBy(() -> decomposed(example, example.twist(), Matrix.zeros(1, 4), Grouping.UNIT))
                .hasMessage("Decomposition: points of shape (1, 4), expected at least one row of 6");
        assertThatThrownBy(() -> TwistFamily.of(example.coordinates(), 1, 2, 2, 1))
                .hasMessage("TwistFamily: components 2 and 2, expected two different ones of 0 to 4");
    }
}
