package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.exact.Subspace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GradingTest {
    static Stream<Architecture> networks() {
        return Stream.of(
                Architecture.linear(2, 2, 2),
                Architecture.linear(2, 1, 2, 1),
                Architecture.relu(2, 3, 2),
                Architecture.of(HiddenActivation.RELU, true, 2, 2, 1),
                Architecture.of(HiddenActivation.IDENTITY, true, 2, 2, 2),
                Architecture.of(HiddenActivation.named("z^2"), true, 2, 2, 1),
                Architecture.of(HiddenActivation.named("tanh"), true, 2, 3, 1),
                Architecture.of(HiddenActivation.named("sigmoid"), false, 2, 2, 1),
                new Architecture(
                        List.of(2, 2, 2, 1),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.RELU),
                        List.of(false, true, false)));
    }

    @ParameterizedTest
    @MethodSource("networks")
    void orbitsOfBlocksCoverEveryUnknownOnce(Architecture architecture) {
        int p = architecture.parameterCount();
        Grading grading = Grading.of(architecture);
        List<Integer> seen = new ArrayList<>();
        for (Grading.Orbit orbit : grading.orbits()) {
            var blocks = grading.orbit(orbit.first());
            assertThat(blocks).hasSize(orbit.count());
            for (Grading.Block block : blocks) {
                assertThat(block.size()).isEqualTo(orbit.first().size());
                for (int i = 0; i < block.size(); i++) {
                    seen.add(block.unknown(i));
                }
            }
        }
        assertThat(seen).doesNotHaveDuplicates().hasSize(p * (p + 1));
    }

    /** What the blocks yield one by one is what one decomposition of all unknowns yields. */
    @ParameterizedTest
    @MethodSource("networks")
    void blocksLoseNoSolution(Architecture architecture) {
        assertThat(span(architecture, ConstraintSolver.GRADED)).isEqualTo(span(architecture, ConstraintSolver.DENSE));
    }

    private static Subspace span(Architecture architecture, ConstraintSolver solver) {
        Extraction extraction = Extraction.of(architecture, new Sampling(64, 4, 1, 1), solver, 5);
        assertThat(extraction.doubt()).isEmpty();
        return Reconstruction.of(architecture.parameterCount(), extraction.fields())
                .span();
    }

    /** Rescaling weights are r_j - s_i and t_m - r_j: only the diagonal of A has weight 0. */
    @Test
    void largestBlockOfAReluNetworkIsTheDiagonal() {
        Architecture architecture = Architecture.relu(64, 16, 10);
        Grading.Block largest = Grading.of(architecture).orbits().getFirst().first();
        assertThat(largest.size()).isEqualTo(1_184);
        for (int i = 0; i < largest.size(); i++) {
            assertThat(largest.unknown(i) / 1_185).isEqualTo(largest.unknown(i) % 1_185);
        }
    }
}
