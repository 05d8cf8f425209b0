package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RationalMatrixTest {
    private static final RationalMatrix RAISE = RationalMatrix.of(new long[][] {{0, 1}, {0, 0}});
    private static final RationalMatrix LOWER = RationalMatrix.of(new long[][] {{0, 0}, {1, 0}});

    @Test
    void commutatorOfRaisingAndLowering() {
        assertThat(RAISE.commutator(LOWER)).isEqualTo(RationalMatrix.of(new long[][] {{1, 0}, {0, -1}}));
    }

    @Test
    void flattenReadsBack() {
        RationalMatrix wide = RationalMatrix.of(new long[][] {{0, 2, 0}, {3, 0, -1}});
        assertThat(wide.flatten()).isEqualTo(RationalVector.of(0, 2, 0, 3, 0, -1));
        assertThat(RationalMatrix.of(2, 3, wide.flatten())).isEqualTo(wide).hasSameHashCodeAs(wide);
        assertThat(wide.times(RationalMatrix.identity(3))).isEqualTo(wide);
        assertThat(wide.transpose()).isEqualTo(RationalMatrix.of(new long[][] {{0, 3}, {2, 0}, {0, -1}}));
        assertThat(wide.get(0, 1)).isEqualTo(Rationals.of(2));
    }

    @Test
    void shapesAreChecked() {
        RationalMatrix wide = RationalMatrix.of(new long[][] {{0, 2, 0}});
        assertThatThrownBy(() -> wide.times(RAISE))
                .hasMessage("RationalMatrix.times: (1, 3) times (2, 2): the inner sizes differ");
        assertThatThrownBy(() -> wide.plus(Rationals.ONE, RAISE))
                .hasMessage("RationalMatrix.plus: shapes (1, 3) and (2, 2) differ");
        assertThatThrownBy(() -> RationalMatrix.of(2, 2, RationalVector.of(1, 2)))
                .hasMessage("RationalMatrix: 2 entries, expected 2 x 2 = 4");
        assertThatThrownBy(() -> RationalMatrix.of(2, List.of(RationalVector.of(1))))
                .hasMessage("RationalMatrix: row 0 has length 1, expected 2");
        assertThatThrownBy(() -> RationalVector.unit(2, 2)).hasMessage("RationalVector: index 2, expected 0 to 1");
    }
}
