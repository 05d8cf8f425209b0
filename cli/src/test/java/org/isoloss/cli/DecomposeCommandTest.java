package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
        assertThat(refusal(EXAMPLE, "--layer", "1")).contains("layer 1 asked for, but the model has 1, counted from 0");
        assertThat(refusal(EXAMPLE, "--units", "1,2,5"))
                .contains("unit 5 does not exist: hidden layer 0 has units 0 to 4");
        assertThat(refusal(EXAMPLE, "--units", "1,2"))
                .contains(
                        "2 protected inputs need 2 compensating units beside 1 moving, but the layer has 2 hidden units; protect at most 1 inputs");
        assertThat(refusal(example("attention")))
                .contains(
                        "the model has no hidden units that can compensate: no function of one variable, or gate, between two products with parameters that nothing else reads");
        for (String kinked : new String[] {"relu", "leaky_relu"}) {
            Run kink =
                    Run.of("decompose", EXAMPLE, "--set", "network.activation=" + kinked, "--out", folder.toString());
            assertThat(kink.code()).isEqualTo(ExitCode.FAILED);
            assertThat(kink.err())
                    .hasLineCount(1)
                    .contains(
                            kinked.toUpperCase(Locale.ROOT) + " has a kink, expected a smooth activation such as tanh");
        }
        Run none = Run.of("decompose", EXAMPLE, "--points", "0", "--out", folder.toString());
        assertThat(none.err()).hasLineCount(1).contains("--points is 0, expected at least 1");
    }

    private String refusal(String task, String... more) {
        List<String> all = new ArrayList<>(List.of("decompose", task, "--out", folder.toString()));
        all.addAll(List.of(more));
        Run run = Run.of(all.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1);
        assertThat(folder).isEmptyDirectory();
        return run.err();
    }

    private static String example(String name) {
        return Path.of("..", "examples", name + ".yaml").toString();
    }

    /** The block between two others of a network with norms and skips; its outputs are those of the whole network. */
    @Test
    void aBlockOfAnyModelIsDecomposed() {
        Run run = Run.of(
                "decompose",
                example("residual"),
                "--layer",
                "0",
                "--units",
                "0,1,2,3,4,5,6,9",
                "--by-unit",
                "--points",
                "1",
                "--format",
                "json",
                "--out",
                folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode result = JsonMapper.shared().readTree(run.out());
        assertThat(result.get("most_units").asInt()).isEqualTo(5);
        assertThat(result.get("proper_subnetworks").asBoolean()).isTrue();
        assertThat(folder.resolve("figures").resolve("factors.csv")).content().containsPattern("(?m)^9,");
        assertThat(result.get("factors").asInt())
                .isEqualTo(8 * result.get("parts").asInt());
        assertThat(result.get("motion").asDouble()).isGreaterThan(1e-3);
        assertThat(result.get("output").asDouble()).isBetween(Double.MIN_VALUE, 1e-10);
    }

    /** A hidden layer among others, with biases everywhere. */
    @Test
    void aDeepNetworkIsDecomposedLayerByLayer() {
        Run run = Run.of(
                "decompose",
                EXAMPLE,
                "--by-unit",
                "--layer",
                "1",
                "--set",
                "network.widths=[2,3,5,4,2]",
                "--set",
                "network.biases=true",
                "--points",
                "1",
                "--out",
                folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
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
