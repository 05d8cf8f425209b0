package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SymmetriesCommandTest {
    private static final String RELU =
            Path.of("..", "examples", "digits", "relu-nobias.safetensors").toString();
    private static final String CONVOLUTIONAL =
            Path.of("..", "examples", "networks", "convolutional.onnx").toString();

    @TempDir
    Path folder;

    @Test
    void everythingIsWrittenAsJsonTableAndPicture() throws IOException {
        Run run = Run.of(
                "symmetries",
                RELU,
                "--moving",
                "0.weight[0:4]",
                "--moving",
                "2.weight[:,0:3]",
                "--format",
                "json",
                "--out",
                folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("parameters").asInt()).isEqualTo(4 * 64 + 3 * 10);
        assertThat(json.get("rank").asInt()).isEqualTo(3);
        assertThat(json.get("nullity").asInt()).isEqualTo(3);
        assertThat(json.get("unexplained").asInt()).isZero();
        JsonNode scales = json.get("families").get(0);
        assertThat(scales.get("name").asString()).isEqualTo("scales");
        assertThat(scales.get("group").asString()).isEqualTo("(R>0)^3");
        assertThat(scales.get("adds").asInt()).isEqualTo(3);
        assertThat(scales.get("verified").asDouble()).isLessThan(1e-10);
        assertThat(folder.resolve("symmetry-dimensions.svg"))
                .content()
                .contains("role=\"img\"", "nothing is unexplained");
        assertThat(folder.resolve("symmetries.csv")).content().contains("(R>0)^3");
        // a table and a figure of one name would write over one another
        assertThat(folder.resolve("symmetries.tex")).content().contains("\\label{tab:symmetries}");
        assertThat(folder.resolve("symmetry-dimensions.tex")).content().contains("\\label{fig:symmetry-dimensions}");
        assertThat(folder.resolve("symmetry-network.svg"))
                .content()
                .contains("role=\"img\"", "16 channels", "scales (R&gt;0)^3", "2.weight");
        assertThat(folder.resolve("symmetry-network.csv")).content().contains("(R>0)^3");
        assertThat(folder.resolve("provenance.json")).content().contains("relu-nobias.safetensors");
    }

    @Test
    void generatorsAreKept() throws IOException {
        Path file = folder.resolve("generators.npz");
        Run run = Run.of(
                "symmetries",
                RELU,
                "--moving",
                "0.weight[0:4]",
                "--moving",
                "2.weight[:,0:3]",
                "--save",
                file.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        try (Npz npz = Npz.open(file)) {
            assertThat(npz.tensor("generators/0/0.weight").shape()).isEqualTo(Shape.of(3, 16, 64));
            assertThat(npz.tensor("family.rank").toLongs()[0]).isEqualTo(3);
        }
    }

    private static final String LLAMA = Path.of(
                    "..", "library", "src", "test", "resources", "org", "isoloss", "source", "llama-headless")
            .toString();

    /** All that writes the stream: its size does not matter but for the epsilon of the norms that read it, 1e-5. */
    @Test
    void nearFamiliesAreListedApart() {
        List<String> line =
                new ArrayList<>(List.of("symmetries", LLAMA, "--near", "--format", "json", "--out", folder.toString()));
        for (String moving : List.of(
                "embed_tokens.weight",
                "layers.0.self_attn.o_proj.weight",
                "layers.0.mlp.down_proj.weight",
                "layers.0.mlp.down_proj.bias",
                "layers.1.self_attn.o_proj.weight",
                "layers.1.mlp.down_proj.weight",
                "layers.1.mlp.down_proj.bias")) {
            line.addAll(List.of("--moving", moving));
        }
        Run run = Run.of(line.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("rank").asInt()).isEqualTo(json.get("nullity").asInt());
        JsonNode near = json.get("near");
        assertThat(near.size()).isEqualTo(1);
        assertThat(near.get(0).get("name").asString()).isEqualTo("size");
        assertThat(near.get(0).get("group").asString()).isEqualTo("R>0");
        assertThat(near.get(0).get("rank").asInt()).isEqualTo(1);
        assertThat(near.get(0).get("changes").size()).isEqualTo(4);
        assertThat(near.get(0).get("changes").get(0).get("distance").asDouble()).isBetween(0.09, 0.11);
        assertThat(near.get(0).get("changes").get(0).get("change").asDouble()).isGreaterThan(1e-6);
        assertThat(folder.resolve("near-families.csv")).content().contains("size,", ",4.0,");
        assertThat(folder.resolve("near-dimensions.svg")).content().contains("size (all)");
        for (JsonNode family : json.get("families")) {
            assertThat(family.get("name").asString()).isNotEqualTo("size");
        }
    }

    @Test
    void whereNothingIsNearThatIsSaid() {
        Run run = Run.of("symmetries", RELU, "--near", "--moving", "0.weight[0:2]", "--out", folder.toString());
        assertThat(run.out()).endsWith("no epsilon of a norm is in the way of a family\n");
        assertThat(folder.resolve("near-families.csv")).exists();
        assertThat(folder.resolve("near-dimensions.svg")).doesNotExist();
    }

    /** Before anything is searched. */
    @Test
    void fileThatCannotBeWrittenIsOneLine() {
        Run run = Run.of(
                "symmetries",
                RELU,
                "--save",
                folder.resolve("none").resolve("x.npz").toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("not written: there is no folder");
    }

    /** Of more than 5,000 parameters the Jacobian is not decomposed; what follows from the graph is listed all the same. */
    @Test
    void largeModelsAreListedByTheirGraphs() throws IOException {
        Path model = folder.resolve("wide.safetensors");
        var random = new SplittableRandom(1);
        new SafetensorsWriter()
                .add(
                        "0.weight",
                        ElementType.F32,
                        Shape.of(96, 64),
                        random.doubles(96 * 64).toArray())
                .add(
                        "2.weight",
                        ElementType.F32,
                        Shape.of(10, 96),
                        random.doubles(960).toArray())
                .saveTo(model);
        Run run = Run.of(
                "symmetries", model.toString(), "--activation", "relu", "--format", "json", "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("parameters").asInt()).isEqualTo(7104);
        assertThat(json.get("rank").asInt()).isEqualTo(96);
        assertThat(json.get("nullity").isNull()).isTrue();
        assertThat(json.get("families").size()).isEqualTo(2);
        assertThat(json.get("families").get(0).get("group").asString()).isEqualTo("S_96");
        assertThat(json.get("families").get(0).get("permutations").asString()).isEqualTo("96!");
        assertThat(json.get("families").get(1).get("group").asString()).isEqualTo("(R>0)^96");
        assertThat(json.get("families").get(1).get("adds").asInt()).isEqualTo(96);
        assertThat(folder.resolve("symmetry-dimensions.svg")).content().contains("is not computed");
        assertThat(folder.resolve("symmetry-network.svg")).content().contains("permutations S_96");
        Run saved = Run.of("symmetries", model.toString(), "--activation", "relu", "--save", folder + "/x.npz");
        assertThat(saved.code()).isEqualTo(ExitCode.FAILED);
        assertThat(saved.err())
                .hasLineCount(1)
                .contains("--save takes at most 5000 parameters, and", "has 7104; choose tensors");
    }

    @Test
    void folderIsNamedByItsFiles() throws IOException {
        Run run = Run.of("symmetries", LLAMA, "--moving", "norm.weight", "--out", folder.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("provenance.json")).content().contains("config.json", "model.safetensors");
    }

    /** The stream has 128 channels, too many for a linear system: it is held, and the nullity tells that nothing is missed. */
    @Test
    void partThatIsTooWideIsHeldAndSaid() {
        String model = Path.of("..", "examples", "neox-wikitext-1.8m").toString();
        Run run = Run.of("symmetries", model, "--moving", "gpt_neox.final_layer_norm.bias", "--format", "json");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("held_parts").asInt()).isEqualTo(1);
        assertThat(json.get("nullity").asInt()).isZero();
        assertThat(json.get("unexplained").asInt()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --activation=relu | which has a graph, takes no --activation
            --ignore=x        | which has a graph, takes no --ignore
            --tied            | which is no transformer, takes no --tied
            --bind=rows=3     | no input has an axis 'rows' whose size could be bound; there are batch, images:1
            --outputs=scores  | the model has no output "scores"; it has logits
            --moving=conv3    | the model has no parameter "conv3"; it has conv1.weight
            """)
    void whatWouldBePassedOverIsRefused(String option, String message) {
        Run run = Run.of("symmetries", CONVOLUTIONAL, option);
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).hasLineCount(1).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void arraysThatNoInputTakesAreRefused() throws IOException {
        Path data = folder.resolve("two.npz");
        var writer = new NpzWriter();
        writer.add("images", Shape.of(1, 64), new double[64]);
        writer.add("labels", Shape.of(1), new double[1]);
        writer.saveTo(data);
        for (String command : new String[] {"symmetries", "run"}) {
            Run run = command.equals("run")
                    ? Run.of(command, CONVOLUTIONAL, "--data", data.toString(), "--out", folder + "/y.npz")
                    : Run.of(command, CONVOLUTIONAL, "--data", data.toString());
            assertThat(run.code()).isEqualTo(ExitCode.FAILED);
            assertThat(run.err())
                    .hasLineCount(1)
                    .contains("the array 'labels' is no input of convolutional.onnx, which takes images; leave it out");
        }
    }
}
