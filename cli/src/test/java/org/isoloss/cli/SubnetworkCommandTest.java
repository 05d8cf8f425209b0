package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SubnetworkCommandTest {
    private static final String HOST =
            Path.of("..", "examples", "local-host.yaml").toString();

    private static final String CONVOLUTIONAL =
            Path.of("..", "examples", "convolutional.yaml").toString();

    @TempDir
    Path folder;

    @Test
    void theUnitOfTheHostIsASubnetwork() throws IOException {
        Run run = Run.of("subnetwork", HOST, "--format", "json", "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("moving").asInt()).isEqualTo(10);
        JsonNode near = json.get("near");
        assertThat(near.get("size").asInt()).isEqualTo(8);
        assertThat(near.get("boundary").get(0).get("where").asString()).isEqualTo("hidden 1");
        assertThat(near.get("features").get(0).get("where").asString()).isEqualTo("input");
        assertThat(near.get("constants").size()).isZero();
        assertThat(near.get("change").asDouble()).isLessThan(1e-13);
        JsonNode smallest = json.get("smallest");
        assertThat(smallest.get("size").asInt()).isEqualTo(1);
        assertThat(smallest.get("constants").get(0).get("where").asString()).isEqualTo("4.weight");
        assertThat(smallest.get("constants").get(0).get("entries").size()).isEqualTo(8);
        assertThat(folder.resolve("subnetwork.svg")).content().contains("role=\"img\"", "10 of 88 parameters move");
        assertThat(Files.readAllLines(folder.resolve("subnetwork.csv"))).hasSize(89);
        assertThat(folder.resolve("provenance.json")).content().contains("local-host.yaml");
    }

    @Test
    void partOfAFanIsRefusedWithThePath() {
        Run run = Run.of("subnetwork", HOST, "--moving", "0.weight[1, 0]", "--moving", "2.weight[0:4, 1]");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out())
                .contains(
                        "the rest sees 0.weight[1, 0] otherwise, by 0.weight[1, 0] -> hidden 0[1] -> 2.weight (stays) -> hidden 1[4] -> output[0]; so hidden 0[1] must be kept too");
    }

    @Test
    void anUnknownParameterIsOneLine() {
        Run run = Run.of("subnetwork", HOST, "--moving", "1.weight");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains("the model has no parameter \"1.weight\"; it has 0.weight, 2.weight, 4.weight");
    }

    @Test
    void aKernelOfAModelIsSeenThroughItsChannel() throws IOException {
        Run run = Run.of("subnetwork", CONVOLUTIONAL, "--format", "json", "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("moving").asInt()).isEqualTo(49);
        assertThat(json.get("whole_values").asBoolean()).isFalse();
        JsonNode near = json.get("near");
        assertThat(near.get("size").asInt()).isEqualTo(104);
        assertThat(near.get("boundary").get(0).get("where").asString()).contains("MaxPool");
        assertThat(near.get("boundary").get(0).get("entries").size()).isEqualTo(64);
        assertThat(near.get("change").asDouble()).isLessThan(1e-12);
        assertThat(json.get("smallest").get("size").asInt()).isEqualTo(40);
        assertThat(folder.resolve("subnetwork.svg")).content().contains("role=\"img\"", "49 of 830 parameters move");
        assertThat(folder.resolve("subnetwork.csv")).content().contains("conv1.weight");
        assertThat(folder.resolve("boundaries.csv")).content().contains("[:, 0, :, :]");
        assertThat(folder.resolve("provenance.json")).content().contains("convolutional.onnx");
    }

    @Test
    void aFixedPartOfAKernelIsNamedInAModel() {
        Run run =
                Run.of("subnetwork", CONVOLUTIONAL, "--moving", "conv1.weight[0]", "--moving", "conv2.weight[0:4, 0]");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out())
                .contains(
                        "no subnetwork by themselves: the rest sees conv1.weight[0, 0, 0, 0] otherwise",
                        "node 'MaxPool_3' (MaxPool)[0, 0, 0, 0] -> conv2.weight (stays) -> node 'Conv_4' (Conv)[0, 4, 1, 1]",
                        "so node 'MaxPool_3' (MaxPool)[0, 0, 0, 0] must be kept too");
    }
}
