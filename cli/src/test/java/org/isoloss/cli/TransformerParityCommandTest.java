package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TransformerParityCommandTest {
    private static final Path MODEL = Path.of("..", "examples", "neox-wikitext-1.8m");

    @TempDir
    Path folder;

    private static Run parity(Path model, String... more) {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(
                new String[] {
                    "transformer",
                    "parity",
                    model.toString(),
                    "--golden",
                    MODEL.resolve("golden.json").toString()
                },
                0,
                arguments,
                0,
                5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        return Run.of(arguments);
    }

    /** The trained model with another configuration. */
    private Path changed(String key, String value) throws IOException {
        Path model = Files.createDirectories(folder.resolve("changed"));
        Files.copy(MODEL.resolve("model.safetensors"), model.resolve("model.safetensors"));
        String config = Files.readString(MODEL.resolve("config.json"));
        String next = config.replaceFirst("\"" + key + "\": [^,\n]*", "\"" + key + "\": " + value);
        assertThat(next).isNotEqualTo(config);
        Files.writeString(model.resolve("config.json"), next);
        return model;
    }

    /** A stored head counts against the flag, as in transformers since version 5, and that is said in one line. */
    @Test
    void aStoredHeadCountsAgainstTheFlagUnlessTold() throws IOException {
        Path model = changed("tie_word_embeddings", "true");
        String note = "isoloss: " + model.resolve("model.safetensors")
                + ": the configuration ties 'embed_out.weight' to 'gpt_neox.embed_in.weight', but both are stored and differ: ";
        Run stored = parity(model);
        assertThat(stored.code()).as(stored.err()).isEqualTo(ExitCode.DONE);
        assertThat(stored.err())
                .isEqualToNormalizingNewlines(
                        note + "the stored head makes the logits, as in transformers since version 5\n");
        Run tied = parity(model, "--tied");
        assertThat(tied.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(tied.err())
                .isEqualToNormalizingNewlines(
                        note + "the embedding makes the logits, as in transformers before version 5\n");
        Run same = Run.of("check", MODEL.toString(), model.toString(), "--prefix", "354,325");
        assertThat(same.code()).as(same.err()).isEqualTo(ExitCode.DONE);
        assertThat(same.err()).startsWith(note);
        Run different = Run.of("check", MODEL.toString(), model.toString(), "--prefix", "354,325", "--tied");
        assertThat(different.code()).isEqualTo(ExitCode.UNUSABLE);
    }

    @Test
    void agreesWithTheNumbersOfAnotherProgram() throws IOException {
        Path out = folder.resolve("out");
        Run run = parity(MODEL, "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("ffn_input", "output")
                .endsWith("agrees at all 5 places: float64 within 1e-12, float32 within 3e-6 of the largest number\n");
        assertThat(out.resolve("figures").resolve("parity.svg")).isNotEmptyFile();
        assertThat(out.resolve("tables").resolve("parity.csv")).content().startsWith("case,layer,tensor,float64");
        assertThat(out.resolve("report.html")).content().contains("it agrees at all 5 places");
    }

    @Test
    void namesTheFirstLayerThatDeparts() throws IOException {
        Run run = parity(changed("use_parallel_residual", "false"));
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out()).contains("departs first at layer 3, ffn_input of case 'only': float64 by ");
        assertThat(run.out()).contains("no");
    }

    @Test
    void speaksJson() throws IOException {
        Run run = parity(changed("hidden_act", "\"gelu_new\""), "--format", "json");
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("agrees").asBoolean()).isFalse();
        assertThat(json.at("/first_departure/layer").asInt()).isEqualTo(3);
        assertThat(json.at("/first_departure/tensor").asString()).isEqualTo("ffn_input");
        assertThat(json.get("places")).hasSize(5);
        assertThat(json.at("/places/4/float64").asDouble()).isBetween(1e-6, 1.0);
    }

    @Test
    void failsInOneLine() {
        Run run = Run.of("transformer", "parity", folder.toString(), "--golden", "absent.json");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(Run.of("transformer").code()).isEqualTo(ExitCode.USAGE);
    }
}
