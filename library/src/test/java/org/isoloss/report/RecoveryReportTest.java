package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.CertificateVerifier;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.affine.Recovery;
import org.isoloss.affine.Sampling;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.SafetensorsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RecoveryReportTest {
    private static final Sampling FEW = new Sampling(64, 4, 1, 1);

    @Test
    void everyFileIsWritten(@TempDir Path folder) throws IOException {
        Recovery recovery =
                AffineFields.of(Architecture.linear(2, 2, 2)).sampling(FEW).recover();
        new RecoveryReport("small", recovery, 0.5).write(folder);
        JsonNode json = JsonMapper.builder().build().readTree(Files.readString(folder.resolve("recovery.json")));
        assertThat(json.get("decided").asBoolean()).isTrue();
        assertThat(json.get("dimension").asInt()).isEqualTo(4);
        assertThat(json.get("center").asInt()).isEqualTo(1);
        assertThat(json.get("derived").asInt()).isEqualTo(3);
        assertThat(json.get("name").asString()).isEqualTo("gl(2)");
        assertThat(json.get("certified").asBoolean()).isTrue();
        assertThat(json.get("nullity").toString()).isEqualTo("{\"1e-4\":4,\"1e-6\":4,\"1e-8\":4}");
        assertThat(json.get("gap").asDouble()).isGreaterThan(1e10);
        assertThat(json.get("output_error").asDouble()).isLessThan(1.5e-15);
        assertThat(json.get("seconds").asDouble()).isEqualTo(0.5);
        assertThat(json.get("unexplained").asInt()).isZero();
        assertThat(json.get("complete").asString()).isEqualTo("proved");
        assertThat(json.get("seeds")).hasSize(3);
        assertThat(CertificateVerifier.verify(Files.readString(folder.resolve("certificate.json")))
                        .valid())
                .isTrue();
        assertThat(folder.resolve("figures/spectrum.svg")).content().contains("seed 103", "threshold 1e-8");
        assertThat(folder.resolve("figures/spectrum.csv")).exists();
        assertThat(folder.resolve("tables/recovery.tex")).content().contains("Linear & (2,2,2) & $4$ & $1$ & $3$");
        assertThat(folder.resolve("tables/brackets.csv")).content().contains("E1,1 on hidden layer 1 - E2,2");
        assertThat(folder.resolve("recovery.txt"))
                .content()
                .contains(
                        "small: gl(2), dimension 4 (certified; that there is no more is proved)",
                        "E1,2 on hidden layer 1: moves 0.weight, 2.weight");
    }

    /** The rescaling of unit 1 of (1, 1, 1): W1 grows as W2 shrinks. */
    @Test
    void generatorsAreStoredTwice(@TempDir Path folder) throws IOException {
        Recovery recovery =
                AffineFields.of(Architecture.relu(1, 1, 1)).sampling(FEW).recover();
        new RecoveryReport("tiny", recovery, 0).write(folder);
        try (Npz npz = Npz.open(folder.resolve("generators.npz"));
                SafetensorsFile safetensors = SafetensorsFile.open(folder.resolve("generators.safetensors"))) {
            assertThat(npz.tensor("A").toDoubles()).containsExactly(1, 0, 0, -1);
            assertThat(npz.tensor("b").toDoubles()).containsExactly(0, 0);
            assertThat(npz.tensor("value").toDoubles()).containsExactly(1, -1);
            assertThat(npz.tensor("column").toLongs()).containsExactly(0, 1);
            assertThat(safetensors.tensor("A").toDoubles()).containsExactly(1, 0, 0, -1);
            assertThat(safetensors.metadata())
                    .containsEntry("generators", "[\"rescaling of unit 1 of hidden layer 1\"]");
        }
    }

    @Test
    void undecidedRecoveriesShowNoNumber() {
        Recovery recovery = AffineFields.of(Architecture.of(HiddenActivation.named("tanh"), false, 2, 2, 2))
                .sampling(new Sampling(64, 4, 1e-6, 1))
                .recover();
        RecoveryReport report = new RecoveryReport("flat", recovery, 0);
        JsonNode json = JsonMapper.builder().build().readTree(report.json());
        assertThat(json.get("decided").asBoolean()).isFalse();
        assertThat(json.get("dimension").isNull()).isTrue();
        assertThat(json.get("name").isNull()).isTrue();
        assertThat(json.get("certified").asBoolean()).isFalse();
        assertThat(json.get("reason").asString()).startsWith("seed 101: only 0.0 % of the pre-activations");
        assertThat(report.text()).startsWith("flat: undecided: seed 101: only 0.0 %");
        assertThat(report.spectrum().svg()).contains("seed 101");
    }

    @Test
    void networksWithoutFieldsSaySo() {
        Recovery recovery = AffineFields.of(Architecture.of(HiddenActivation.named("silu"), false, 2, 2, 1))
                .sampling(FEW)
                .recover();
        assertThat(new RecoveryReport("none", recovery, 0).text())
                .startsWith("none: no affine field but 0 preserves the outputs"
                        + " (certified; that there is no more is proved)");
    }
}
