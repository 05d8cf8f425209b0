package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.PointSymmetries;
import org.isoloss.checkpoint.Npz;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PointReportTest {
    /** One weight in, one out, one input: the rescaling is the only direction. */
    private static final Architecture NETWORK = Architecture.relu(1, 1, 1);

    private static final PointSymmetries POINT = PointSymmetries.of(ModelTarget.of(
            Moving.all(NETWORK.model(new double[] {2, 3}, 1)), Map.of("x", new double[] {1})));

    private static final PointReport REPORT = new PointReport("net.safetensors", "batch.csv", POINT, 0.25, List.of());

    @Test
    void everyLineSaysWhatItIsAbout() {
        assertThat(REPORT.text().lines()).allMatch(line -> line.startsWith("at this point and batch: "));
        assertThat(REPORT.text())
                .contains(
                        "the null space of the Jacobian has dimension 1",
                        "1 direction: hidden-unit rescalings of layer 1",
                        "these span 1 dimensions together; 0 of the null space are unexplained");
    }

    @Test
    void filesHoldTheNullSpace(@TempDir Path folder) throws IOException {
        REPORT.write(folder);
        JsonNode json = JsonMapper.builder()
                .build()
                .readTree(folder.resolve("recovery.json").toFile());
        assertThat(json.get("scope").asString()).isEqualTo("this point and batch only");
        assertThat(json.get("dimension").asInt()).isEqualTo(1);
        assertThat(json.get("unexplained").asInt()).isZero();
        try (Npz npz = Npz.open(folder.resolve("null-space.npz"))) {
            double[] basis = npz.tensor("basis").toDoubles();
            assertThat(basis[0] / basis[1]).isCloseTo(-2.0 / 3, offset(1e-14));
        }
        assertThat(folder.resolve("figures/spectrum.svg")).exists();
    }
}
