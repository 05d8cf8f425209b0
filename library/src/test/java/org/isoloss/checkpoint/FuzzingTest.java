package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class FuzzingTest {
    private static final byte[] FILE = new byte[3];

    @Test
    void countsWhatIsAccepted() throws IOException {
        int[] cases = new int[1];
        assertThat(Fuzzing.run("x", 1, 10, random -> FILE, content -> cases[0]++ % 2 == 0))
                .isEqualTo(5);
    }

    @Test
    void aReaderThatAllocatesByWhatTheFileClaimsIsSeen() {
        assertThatThrownBy(() -> Fuzzing.withinLimit(
                        "case 1", () -> assertThat(new byte[100_000_000]).isNotNull()))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void anExceptionOfAnyOtherKindIsSeen() {
        assertThatThrownBy(() -> Fuzzing.run("x", 1, 2, random -> FILE, content -> {
                    throw new IndexOutOfBoundsException();
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("x, seed 1, case 0");
    }
}
