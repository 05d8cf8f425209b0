package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TokenBatchTest {
    @Test
    void keepsItsOwnIds() {
        int[] ids = {3, 1};
        TokenBatch batch = TokenBatch.of(ids);
        ids[0] = 9;
        batch.ids(0)[1] = 9;
        assertThat(batch.ids(0)).containsExactly(3, 1);
        assertThat(batch.sequences()).isEqualTo(1);
        assertThat(batch.length()).isEqualTo(2);
    }

    @Test
    void refusesWhatIsNoBatch() {
        assertThatThrownBy(TokenBatch::of).hasMessage("TokenBatch: no tokens given, expected at least one");
        assertThatThrownBy(() -> TokenBatch.of(new int[0][]))
                .hasMessage("TokenBatch: no tokens given, expected at least one");
        assertThatThrownBy(() -> TokenBatch.of(new int[][] {{1, 2}, {3}}))
                .hasMessage("TokenBatch: ids of sequence 1 has length 1, expected 2, the length of the first sequence;"
                        + " pad it and hide the padding with a mask");
        assertThatThrownBy(() -> TokenBatch.of(new int[][] {{1, 2}}, new int[2][2], new int[1][2]))
                .hasMessage("TokenBatch: mask has 2 sequences, expected 1, one for each sequence of ids");
        assertThatThrownBy(() -> TokenBatch.of(new int[][] {{1, 2}}, new int[][] {{0, 1}}, new int[1][2]))
                .hasMessage("TokenBatch: the mask of sequence 0 hides its first token; put padding at the end");
    }
}
