package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DecomposeCommandTest {
    private static final String EXAMPLE =
            Path.of("..", "examples", "decompose.yaml").toString();

    @TempDir
    Path folder;

    @Test
    void theFactorsKeepWhatTheyMustAndAreReported() {
        Run run = Run.of("decompose", EXAMPLE, "--by-unit", "--out", folder.toString());

        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("decompose: the factors at 4 points; each changes at most k + 1 = 3 units")
                .containsPattern("\\d+ factors, made and checked in \\d+\\.\\d s");
        assertThat(folder.resolve("report.html")).content().contains("A symmetry in small pieces: decompose");
        assertThat(folder.resolve("figures").resolve("factors.svg")).isNotEmptyFile();
        assertThat(folder.resolve("tables").resolve("decomposition.csv")).isNotEmptyFile();
    }

    @Test
    void aFlowIsDecomposedToo() {
        Run run = Run.of(
                "decompose",
                EXAMPLE,
                "--flow",
                "--by-unit",
                "--points",
                "2",
                "--set",
                "network.widths=[1,3,1]",
                "--set",
                "data.gaussian=1",
                "--format",
                "json",
                "--out",
                folder.toString());

        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode result = JsonMapper.shared().readTree(run.out());
        assertThat(result.get("most_units").asInt()).isEqualTo(2);
        assertThat(result.get("factors").asInt())
                .isEqualTo(3 * result.get("parts").asInt());
        for (String error : new String[] {"product", "output", "inverse"}) {
            assertThat(result.get(error).asDouble()).isLessThan(1e-10);
        }
        assertThat(result.get("motion").asDouble()).isGreaterThan(1e-3);
    }

    @Test
    void whatCannotBeDecomposedIsSaidInOneLine() {
        Run deep = Run.of("decompose", EXAMPLE, "--set", "network.widths=[2,4,4,2]", "--out", folder.toString());
        assertThat(deep.code()).isEqualTo(ExitCode.FAILED);
        assertThat(deep.err()).hasLineCount(1).contains("expected one hidden layer and no such bias");
        for (String kinked : new String[] {"relu", "leaky_relu"}) {
            Run kink =
                    Run.of("decompose", EXAMPLE, "--set", "network.activation=" + kinked, "--out", folder.toString());
            assertThat(kink.code()).isEqualTo(ExitCode.FAILED);
            assertThat(kink.err())
                    .hasLineCount(1)
                    .contains(kinked + " has a kink, expected a smooth activation such as tanh");
        }
        Run none = Run.of("decompose", EXAMPLE, "--points", "0", "--out", folder.toString());
        assertThat(none.err()).hasLineCount(1).contains("--points is 0, expected at least 1");
    }

    /** With H = k + 1 units the theorem holds and says nothing: each factor may change them all. */
    @Test
    void aLayerWithoutProperSubnetworksIsSaidToHaveNone() {
        Run run = Run.of(
                "decompose", EXAMPLE, "--by-unit", "--set", "network.widths=[2,3,2]", "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("k + 1 = 3 units, and the layer has no more: no subnetwork is proper");
    }

    /** All errors are zero where nothing moves: that is no success. */
    @Test
    void aFamilyThatMovesNothingChecksNothing() {
        Run run = Run.of("decompose", EXAMPLE, "--points", "1", "--turns", "0", "--out", folder.toString());
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.err())
                .hasLineCount(1)
                .contains(
                        "decompose: the family moves none of the 1 points by more than 1e-10, so that nothing was checked");
    }
}
