package org.isoloss.decomposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Tag;
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
        var check = DecompositionCheck.of(example.coordinates(), family, decomposition.factors(), starts);
        System.getLogger("x")
                .log(System.Logger.Level.WARNING, example + " " + grouping + " " + check + " " + decomposition.parts());
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
                : example.coordinates().network().widths().get(1);
        assertThat(check.factors()).isEqualTo(factors * decomposition.parts().size());
        return check;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void aTwistIsTheProductOfSmallSubnetworkMaps(Decomposed example) {
        verified(example, example.twist(), 4, Grouping.COORDINATE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void aFlowIsTheProductOfSmallSubnetworkMaps(Decomposed example) {
        verified(example, example.flow(), 2, Grouping.UNIT);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void aFlowIsTheProductOfMapsOfOneCoordinate(Decomposed example) {
        verified(example, example.flow(), 4, Grouping.COORDINATE);
    }
}
