package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PreservationTest {
    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.of(HiddenActivation.IDENTITY, true, 2, 2, 2, 1),
                Architecture.relu(2, 3, 2),
                Architecture.of(HiddenActivation.LEAKY_RELU, true, 2, 2, 2, 1),
                Architecture.of(HiddenActivation.named("z^2"), true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("z^3"), false, 1, 2, 2, 1),
                new Architecture(
                        List.of(2, 2, 2, 2),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.IDENTITY),
                        List.of(true, true, true)));
    }

    /** Every known field preserves the outputs as an identity; with any one coefficient changed it does not. */
    @ParameterizedTest
    @MethodSource("networks")
    void knownFieldsHoldAndPlantedDefectsDoNot(Architecture architecture) {
        Preservation preservation = new Preservation(architecture);
        int p = architecture.parameterCount();
        for (ReferenceFamily family : ReferenceFamily.of(architecture)) {
            for (ReferenceFamily.Generator generator : family.generators()) {
                assertThat(preservation.holdsFor(generator.field()))
                        .as(generator.name())
                        .isTrue();
                RationalVector flat = generator.field().flatten();
                for (int k = 0; k < flat.count(); k++) {
                    RationalVector defect = RationalVector.unit(flat.size(), flat.index(k));
                    AffineField wrong = AffineField.of(p, flat.plus(Rationals.of(1, 1_000_000), defect));
                    assertThat(preservation.holdsFor(wrong)).isFalse();
                }
            }
        }
    }

    /** The square needs exponent 2, the cube 3: the rescaling of another degree fails. */
    @Test
    void degreesAreNotInterchangeable() {
        Architecture squares = Architecture.of(HiddenActivation.named("z^2"), false, 2, 2, 2);
        Architecture cubes = Architecture.of(HiddenActivation.named("z^3"), false, 2, 2, 2);
        AffineField rescaling =
                ReferenceFamily.of(squares).getFirst().generators().getFirst().field();
        assertThat(new Preservation(squares).holdsFor(rescaling)).isTrue();
        assertThat(new Preservation(cubes).holdsFor(rescaling)).isFalse();
    }

    @Test
    void costGrowsWithTheNumberOfTerms() {
        assertThat(Preservation.cost(Architecture.linear(2, 2, 2))).isLessThan(100);
        assertThat(Preservation.cost(Architecture.of(HiddenActivation.named("z^3"), false, 8, 8, 8, 8)))
                .isGreaterThan(1e8);
    }
}
