package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LearnedAlgebrasTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @Test
    void affineFieldsOfTheLinearNetworkAreItsAlgebra() {
        Map<String, Object> row = LearnedAlgebras.row(EXAMPLES, LearnedAlgebras.CASES.getFirst(), 22, 1);
        assertThat(row)
                .containsEntry("rank", 4)
                .containsEntry("center", 1)
                .containsEntry("derived", 3)
                .containsEntry("killing", "(2, 1, 1)");
        assertThat(CensusRow.number(row, "span").doubleValue()).isLessThan(1e-2);
        assertThat(CensusRow.number(row, "brackets").doubleValue()).isLessThan(1e-2);
    }

    /** So few steps that nothing closes, which leaves the structure out. */
    @Test
    void whatDoesNotCloseHasNoStructureAndIsTheSameEachTime() {
        LearnedAlgebras.Case sl2 = LearnedAlgebras.CASES.get(3);
        Map<String, Object> row = LearnedAlgebras.row(EXAMPLES, sl2, 22, 600);
        assertThat(row).doesNotContainKeys("center", "derived", "killing").containsEntry("algebra", "sl(2)");
        assertThat(LearnedAlgebras.row(EXAMPLES, sl2, 22, 600)).isEqualTo(row);
    }

    @Test
    void oneFieldMoreThanTheNullityIsNotIndependent() {
        assertThat(LearnedAlgebras.grown(EXAMPLES, "sigmoid-k1", 1, 22, 4)).containsEntry("rank", 1);
        assertThat(LearnedAlgebras.grown(EXAMPLES, "sigmoid-k1", 2, 22, 4))
                .containsEntry("rank", 1)
                .containsEntry("nullity", 1);
    }
}
