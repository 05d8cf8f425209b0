package org.isoloss.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepOptionsTest {
    @Test
    void pathsAreAbsoluteSinceWorkersAreElsewhere() {
        SweepOptions options = SweepOptions.of(new String[] {"a/sweep.yaml", "--out", "runs/x", "--resume"});

        assertThat(options.file()).isEqualTo(Path.of("a/sweep.yaml").toAbsolutePath());
        assertThat(options.out()).isEqualTo(Path.of("runs/x").toAbsolutePath());
        assertThat(options.resume()).isTrue();
        assertThat(options.empty()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "--out x, SWEEP.yaml is missing; usage: spark-submit",
                "a.yaml, --out is missing; usage: spark-submit",
                "a.yaml --out, '--out' is not understood",
                "a.yaml b.yaml --out x, 'b.yaml' is not understood",
                "a.yaml --out x --thread 3, '--thread' is not understood"
            })
    void whatIsMissingOrUnknownIsNamed(String line, String refusal) {
        assertThatThrownBy(() -> SweepOptions.of(line.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(refusal);
    }

    @Test
    void aClusterThatIsNotThereIsRefusedAtOnce() throws IOException {
        int port;
        try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = there.getLocalPort();
            Cluster.requireThere("spark://nowhere.invalid:7077,127.0.0.1:%d".formatted(port));
        }
        assertThatThrownBy(() -> Cluster.requireThere("spark://127.0.0.1:%d".formatted(port)))
                .hasMessage("no cluster answers at spark://127.0.0.1:%d; start its master, or give another --master"
                        .formatted(port));
        assertThatThrownBy(() -> Cluster.requireThere("spark://127.0.0.1")).hasMessageContaining("no cluster answers");
        Cluster.requireThere("local[2]");
    }
}
