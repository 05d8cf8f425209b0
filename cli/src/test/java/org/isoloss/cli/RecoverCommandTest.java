package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RecoverCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples", "recover");

    @TempDir
    Path folder;

    private Run recover(String example, String... more) {
        String[] arguments = new String[4 + more.length];
        arguments[0] = "recover";
        arguments[1] = EXAMPLES.resolve(example + ".yaml").toString();
        arguments[2] = "--out";
        arguments[3] = folder.resolve("out").toString();
        System.arraycopy(more, 0, arguments, 4, more.length);
        return Run.of(arguments);
    }

    /** Every example that takes a second or less, by one seed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "linear-2-2-2; 4; gl(2)",
                "linear-2-2-2-2; 8; gl(2) + gl(2)",
                "linear-4-4-4-4; 32; gl(4) + gl(4)",
                "linear-8-8-8; 64; gl(8)",
                "linear-biases-2-2-2; 6; aff(2)",
                "relu-2-3-2; 3; R^3: hidden-unit rescalings",
                "relu-2-3-3-1; 6; R^6: hidden-unit rescalings",
                "relu-2-2-2-2-2-1; 8; R^8: hidden-unit rescalings",
                "relu-biases-8-16-8; 16; R^16: hidden-unit rescalings",
                "relu-linear-2-3-3-2; 12; R^3 + gl(3): hidden-unit rescalings and hidden-basis changes",
                "leaky-relu-2-3-2; 3; R^3: hidden-unit rescalings",
                "square-2-3-2; 3; R^3: hidden-unit rescalings",
                "cube-2-3-2; 3; R^3: hidden-unit rescalings",
                "tanh-2-3-2; 0; 0",
                "sigmoid-2-3-2; 0; 0",
                "gelu-2-3-2; 0; 0",
                "silu-2-3-2; 0; 0"
            })
    void examplesGiveWhatTheyPromise(String example, int dimension, String name) throws IOException {
        Run run = recover(example, "--seeds", "101", "--solver", "graded", "--format", "json");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.err()).isEmpty();
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("dimension").asInt()).isEqualTo(dimension);
        assertThat(json.get("name").asString()).isEqualTo(name);
        assertThat(json.get("certified").asBoolean()).isTrue();
        assertThat(json.get("complete").asString()).isEqualTo("proved");
        assertThat(folder.resolve("out/recovery.json")).hasContent(run.out());
        assertThat(folder.resolve("out/provenance.json")).content().contains("\"recover\"", example + ".yaml");

        Run verified = Run.of(
                "verify-certificate", folder.resolve("out/certificate.json").toString());
        assertThat(verified.code()).as(verified.out()).isEqualTo(ExitCode.DONE);
        assertThat(verified.out()).contains("valid, dimension " + dimension).doesNotContain("FAILS");
    }

    /** A model that is no dense network, and its certificate, which says nothing that was not derived. */
    @Test
    void modelsOfAnyKindAreRecovered() throws IOException {
        Path model = Path.of("..", "examples", "recover", "attention.onnx");
        Path out = folder.resolve("out");
        Run run = Run.of("recover", model.toString(), "--seeds", "101", "--out", out.toString(), "--quiet");
        assertThat(run.code()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("attention: gl(3) + gl(3), dimension 18 (certified; that there is no more is proved)");
        Run verified =
                Run.of("verify-certificate", out.resolve("certificate.json").toString(), "--require-complete");
        assertThat(verified.code()).isEqualTo(ExitCode.DONE);
        assertThat(verified.out()).contains("valid, dimension 18").doesNotContain("gl(3)", "FAILS");
    }

    @Test
    void undecidedIsItsOwnExitCode() {
        Run run = recover("tanh-2-3-2", "--set", "sampling.weightScale=1e-6");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out()).startsWith("tanh-2-3-2: undecided: seed 101: only 0.0 % of the pre-activations");
        assertThat(folder.resolve("out/certificate.json")).doesNotExist();
    }

    /** Nothing new is refused that took no time before; going on takes what a smaller limit would refuse. */
    @Test
    void goingOnIsAnOption() throws IOException {
        Run run = recover("relu-2-3-2", "--seeds", "101", "--go-on", "--solver", "graded");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("dimension 3");
    }

    @Test
    void onePointAndBatch() throws IOException {
        new SafetensorsWriter()
                .metadata("activation", "relu")
                .add("policy.0.weight", Shape.of(2, 2), new float[] {1, 0, 0, 1})
                .add("policy.0.bias", Shape.of(2), new float[] {-0.5f, 0.25f})
                .add("head.weight", Shape.of(1, 2), new float[] {1, -1})
                .add("critic.weight", Shape.of(1, 2), new float[] {1, 1})
                .saveTo(folder.resolve("net.safetensors"));
        Files.writeString(
                folder.resolve("batch.csv"), "10,20,3\n-10,5,1\n20,-20,2\n4,-1,0\n8,3,0\n-3,-7,0\n7,9,1\n11,-3,1\n");
        String[] arguments = {
            "recover",
            "--at",
            folder.resolve("net.safetensors").toString(),
            "--layers",
            "policy.0.weight,head.weight",
            "--ignore",
            "critic.*",
            "--data",
            folder.resolve("batch.csv").toString(),
            "--label",
            "--scale",
            "10",
            "--out",
            folder.resolve("point").toString()
        };
        Run run = Run.of(arguments);
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out().lines()).allMatch(line -> line.startsWith("at this point and batch: "));
        assertThat(run.out()).contains("at this point and batch: left aside, as asked: critic.weight\n");
        assertThat(run.out()).contains("the null space of the Jacobian has dimension 2\n", "; 0 of the null space are");
        assertThat(folder.resolve("point/null-space.npz")).exists();
    }

    private String[] at(String data, String... more) throws IOException {
        Path batch = Files.writeString(folder.resolve("batch.csv"), data);
        List<String> arguments = new ArrayList<>(List.of(
                "recover",
                "--at",
                folder.resolve("net.safetensors").toString(),
                "--data",
                batch.toString(),
                "--out",
                folder.resolve("point").toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    /** Two rows of zeros in the weights of a pruned unit: four of six directions change nothing. */
    @Test
    void prunedUnits() throws IOException {
        new SafetensorsWriter()
                .metadata("activation", "relu")
                .add("0.weight", Shape.of(2, 2), new float[] {0.5f, 1, 0, 0})
                .add("2.weight", Shape.of(1, 2), new float[] {1, 0})
                .saveTo(folder.resolve("net.safetensors"));
        Run run = Run.of(at("1,2\n3,1\n2,5\n"));
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("the null space of the Jacobian has dimension 4\n", "; 0 of the null space are unexplained")
                .doesNotContain("NaN");
        Run undecided = Run.of(at("1,2\n3,1e300\n2,5\n1e300,4\n", "--activation", "z^2"));
        assertThat(undecided.code()).as(undecided.err()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(undecided.out())
                .contains("undecided: numbers overflow; what counts most there is row 1, column 1 of the batch")
                .doesNotContain("NaN", "Infinity");
        assertThat(undecided.err()).doesNotContain("unexpected");
    }

    /** ReLU, then a linear layer: 3 rescalings and gl(3); the same from a network file, whose shape must be that of the weights. */
    @Test
    void activationsLayerByLayer() throws IOException {
        var random = new SplittableRandom(2);
        SafetensorsWriter writer = new SafetensorsWriter();
        int[] widths = {2, 3, 3, 2};
        for (int layer = 0; layer < 3; layer++) {
            float[] weights = new float[widths[layer] * widths[layer + 1]];
            for (int i = 0; i < weights.length; i++) {
                weights[i] = (float) random.nextGaussian();
            }
            writer.add(2 * layer + ".weight", Shape.of(widths[layer + 1], widths[layer]), weights);
        }
        writer.saveTo(folder.resolve("net.safetensors"));
        StringBuilder batch = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            batch.append("%s,%s%n".formatted(random.nextGaussian(), random.nextGaussian()));
        }
        String dimension = "the null space of the Jacobian has dimension 12\n";
        Run listed = Run.of(at(batch.toString(), "--activation", "relu,identity"));
        assertThat(listed.code()).as(listed.err()).isEqualTo(ExitCode.DONE);
        assertThat(listed.out())
                .contains(dimension, "3 directions: hidden-unit rescalings", "9 directions: hidden-basis changes");
        Run stated = Run.of(at(
                batch.toString(), EXAMPLES.resolve("relu-linear-2-3-3-2.yaml").toString()));
        assertThat(stated.out()).isEqualTo(listed.out());
        assertThat(folder.resolve("point/provenance.json")).content().contains("relu-linear-2-3-3-2.yaml");
        assertThat(Run.of(at(batch.toString(), "--activation", "relu,identity,tanh"))
                        .err())
                .contains("net.safetensors: 3 activations for 2 hidden layers, expected one or one for each");
        assertThat(Run.of(at(
                                batch.toString(),
                                EXAMPLES.resolve("relu-2-3-2.yaml").toString()))
                        .err())
                .contains(
                        "net.safetensors has widths [2, 3, 3, 2] and biases [false, false, false], the network file states"
                                + " [2, 3, 2] and [false, false]; change network.widths or network.biases");
        assertThat(Run.of(at(batch.toString())).err()).contains("names no activation; give --activation");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "; give NETWORK, or --at CHECKPOINT with --data FILE, or all three",
                "--at x.safetensors; --data FILE is missing: --at and --data go together",
                "--data x.csv; --at CHECKPOINT is missing: --at and --data go together",
                "../examples/recover/tanh-2-3-2.yaml --at x --data y --activation relu; give --activation or NETWORK.yaml",
                "../examples/recover/tanh-2-3-2.yaml --data y; --at CHECKPOINT is missing: --at and --data go together",
                "../examples/recover/tanh-2-3-2.yaml --solver fast; '--solver': expected dense or graded, got 'fast'",
                "nowhere.yaml; no such file or folder: nowhere.yaml",
                "nowhere.onnx; nowhere.onnx",
                "../examples/recover/attention.onnx --set network.activation=relu; --set changes a value of NETWORK.yaml",
                "../examples/recover/attention.onnx --activation relu; attention.onnx, which has a graph, takes no --activation",
                "../examples/recover/attention.onnx --dimension; attention.onnx without --at",
                "../examples/networks/residual.onnx --go-on; 23000 are the most that can be held",
                "../examples/recover/relu-2-3-2.yaml --set network.widths=[2,1000,2]; more than 7 minutes are not begun: narrow",
                "../examples/recover/relu-2-3-2.yaml --set network.widths=[200,200,200] --go-on; 23000 are the most that can be",
                "../examples/recover/tanh-2-3-2.yaml --set network.widths=[2]; widths must be at least two numbers",
                "../examples/recover/tanh-2-3-2.yaml --set network.activation=rellu; activation \"rellu\" is not known",
                "--at nowhere.safetensors --data y.csv; nowhere.safetensors"
            })
    void wrongUseIsRefusedInOneLine(String arguments, String message) {
        Run run = Run.of(
                ("recover " + (arguments == null ? "" : arguments)).strip().split(" ", -1));
        assertThat(run.code()).isIn(ExitCode.FAILED, ExitCode.USAGE);
        assertThat(run.err()).hasLineCount(1).contains(message).doesNotContain("unexpected");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void defectiveCertificatesFail() throws IOException {
        recover("relu-2-3-2", "--seeds", "1", "--solver", "graded");
        Path certificate = folder.resolve("out/certificate.json");
        Files.writeString(certificate, Files.readString(certificate).replaceFirst("\"1\" \\]", "\"2\" ]"));
        Run run = Run.of("verify-certificate", certificate.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out()).contains("FAILS  preservation: field 1 is not the combination claimed", "NOT valid");
        Run json = Run.of("verify-certificate", certificate.toString(), "--format", "json");
        assertThat(json.code()).isEqualTo(ExitCode.FAILED);
        assertThat(JsonMapper.shared().readTree(json.out()).get("valid").asBoolean())
                .isFalse();
    }

    @Test
    void whatIsNoCertificateIsOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("x.json"), "{\"format\": \"x\"}");
        Run run = Run.of("verify-certificate", file.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("x.json: the certificate has no \"");
        assertThat(Run.of("verify-certificate", folder.resolve("none.json").toString())
                        .err())
                .contains("no such file or folder: ");
        Files.write(file, new byte[] {'{', (byte) 0xff, '}'});
        assertThat(Run.of("verify-certificate", file.toString()).err())
                .hasLineCount(1)
                .contains("x.json: not UTF-8")
                .doesNotContain("unexpected");
    }

    /** A network of which completeness is sampled only: valid, but not what a script asks for that needs the proof. */
    @Test
    void completenessCanBeRequired() throws IOException {
        recover("relu-2-3-2", "--seeds", "1", "--solver", "graded");
        Path certificate = folder.resolve("out/certificate.json");
        assertThat(Run.of("verify-certificate", certificate.toString(), "--require-complete")
                        .code())
                .isEqualTo(ExitCode.DONE);

        recover(
                "relu-2-3-2",
                "--seeds",
                "1",
                "--solver",
                "graded",
                "--set",
                "network.activation=[softplus,gelu]",
                "--set",
                "network.widths=[1,1,1,1]");
        Run plain = Run.of("verify-certificate", certificate.toString());
        assertThat(plain.code()).isEqualTo(ExitCode.DONE);
        assertThat(plain.out()).contains("valid, dimension 0 (0); that there is no more is not claimed");
        Run required = Run.of("verify-certificate", certificate.toString(), "--require-complete");
        assertThat(required.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(required.out()).isEqualTo(plain.out());

        String forged = Files.readString(certificate)
                .replaceFirst("\\}\\s*$", ", \"upper_bound\": {\"bound\": 0, \"seed\": 1, \"points\": 40}}");
        Files.writeString(certificate, forged);
        Run refused = Run.of("verify-certificate", certificate.toString(), "--require-complete");
        assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.out())
                .contains("FAILS  completeness: no bound can be proved for this network: softplus has log 2")
                .contains("NOT valid");
        Run json = Run.of("verify-certificate", certificate.toString(), "--format", "json");
        assertThat(JsonMapper.shared().readTree(json.out()).propertyNames())
                .containsExactly("valid", "complete", "checks");
    }

    @Test
    void helpShowsAWholeNetworkFile() throws IOException {
        Run run = Run.of("recover", "--help");
        assertThat(run.code()).isEqualTo(ExitCode.DONE);
        StringBuilder yaml = new StringBuilder();
        run.out()
                .lines()
                .dropWhile(line -> !line.contains("A network file:"))
                .skip(1)
                .forEach(line -> yaml.append(line.replaceFirst("^  ", "")).append("\n"));
        Path file = Files.writeString(folder.resolve("help.yaml"), yaml);
        Run recovered = Run.of(
                "recover",
                file.toString(),
                "--seeds",
                "1",
                "--out",
                folder.resolve("o").toString());
        assertThat(recovered.code()).as(recovered.err()).isEqualTo(ExitCode.DONE);
    }
}
