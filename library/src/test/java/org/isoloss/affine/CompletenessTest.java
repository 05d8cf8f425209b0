package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.isoloss.exact.Subspace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CompletenessTest {
    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.linear(2, 3, 2, 2),
                Architecture.relu(2, 3, 3, 1),
                Architecture.of(HiddenActivation.LEAKY_RELU, true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("z^2"), true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("sigmoid"), true, 2, 2, 1),
                Architecture.of(HiddenActivation.named("gelu"), false, 2, 2, 1),
                new Architecture(
                        List.of(2, 2, 2, 2),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.IDENTITY),
                        List.of(true, true, true)));
    }

    /** The bound meets what is known, and one field fewer does not make it smaller: nothing can be hidden. */
    @ParameterizedTest
    @MethodSource("networks")
    void boundIsTheDimensionWhateverIsClaimed(Architecture architecture) {
        Subspace known = known(architecture);
        assertThat(Completeness.obstacle(architecture)).isEmpty();
        assertThat(Completeness.of(architecture, known, 1).bound()).isEqualTo(known.dimension());
        if (known.dimension() > 0) {
            Subspace fewer = Subspace.span(known.ambient(), known.basis().subList(1, known.dimension()));
            assertThat(Completeness.of(architecture, fewer, 1).bound()).isEqualTo(known.dimension());
        }
    }

    @Test
    void obstaclesAreNamed() {
        assertThat(Completeness.obstacle(new Architecture(
                        List.of(2, 2, 2, 2),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.RELU),
                        List.of(true, true, true))))
                .hasValue("piecewise linear and transcendental layers occur together");
        assertThat(Completeness.obstacle(new Architecture(
                        List.of(2, 2, 2, 2),
                        List.of(HiddenActivation.named("softplus"), HiddenActivation.named("gelu")),
                        List.of(true, true, true))))
                .hasValue("it is unknown whether log 2 and the root of 2/pi are algebraically independent");
    }

    private static Subspace known(Architecture architecture) {
        int p = architecture.parameterCount();
        Subspace known = Subspace.span(p * (p + 1), List.of());
        for (ReferenceFamily family : ReferenceFamily.of(architecture)) {
            known = known.plus(family.span(p));
        }
        return known;
    }
}
