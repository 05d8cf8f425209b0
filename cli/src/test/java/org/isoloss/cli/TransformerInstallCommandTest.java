package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Few steps of a narrow network: what is learned is of no use, but everything that is done with it is done. */
class TransformerInstallCommandTest {
    private static final Path MODEL = Path.of("..", "examples", "neox-wikitext-1.8m");
    private static final String PREFIX = "354,325,287,350,346,324,77,287";

    @TempDir
    static Path runs;

    @TempDir
    Path folder;

    private static Path hybrid = Path.of("");
    private static Path finite = Path.of("");

    @BeforeAll
    static void learn() {
        hybrid = learned("hybrid", 6);
        finite = learned("finite", 6);
    }

    private static Path learned(String objective, int layer) {
        Path out = runs.resolve(objective + layer);
        Run run = Run.of(
                "transformer",
                "discover",
                MODEL.toString(),
                "--layer",
                Integer.toString(layer),
                "--prefix",
                PREFIX,
                "--seeds",
                "101",
                "--set",
                "recipe.steps=20",
                "--set",
                "recipe.width=8",
                "--set",
                "objective=" + objective,
                "--out",
                out.toString(),
                "--quiet");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        return out;
    }

    private static Run install(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "transformer";
        all[1] = "install";
        all[2] = hybrid.toString();
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return Run.of(all);
    }

    @Test
    void saysWhatChangedAndWhatNoiseIs() {
        Run run = install("--t", "0.5", "--dtype", "f32");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("gpt_neox.layers.6.mlp.dense_h_to_4h.weight", "F32", "Median ulps")
                .contains("selected weights: ", "cancellation")
                .contains("protected prefix, no edit, other order of sums")
                .contains("continuation", "other text 3")
                .contains("times the float32 noise of the unedited model");
        JsonNode json = JsonMapper.shared()
                .readTree(install("--t", "0.5", "--dtype", "f32", "--format", "json")
                        .out());
        assertThat(json.get("weights_changed").asInt()).isBetween(1000, 1153);
        assertThat(json.get("outputs")).hasSize(8);
        assertThat(json.get("rounded_away").asBoolean()).isFalse();
    }

    @Test
    void showsWhatItDid() throws IOException {
        Path page = folder.resolve("page");
        Run run = install("--t", "0.5", "--dtype", "f32", "--report", page.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(Files.readAllLines(page.resolve("tables/outputs.csv"))).hasSize(9);
        assertThat(Files.readAllLines(page.resolve("tables/weights.csv"))).hasSize(4);
        assertThat(page.resolve("figures/installed.csv"))
                .content()
                .contains("unrounded", "next tokens", "other text 3")
                .doesNotContain("unedited,");
        assertThat(page.resolve("report.html")).content().contains("One edit of a transformer", "--report");
        assertThat(page.resolve("provenance.json")).content().contains("install");
    }

    @Test
    void writesAModelThatIsThenCompared() {
        Path out = folder.resolve("edited");
        Run run = install("--t", "0.5", "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("F16", "which gives the predicted outputs to the bit");
        Run same = Run.of(
                "check",
                MODEL.toString(),
                out.toString(),
                "--prefix",
                PREFIX,
                "--tolerance",
                "0.9",
                "--out",
                folder.resolve("check").toString());
        assertThat(same.code()).as(same.err()).isEqualTo(ExitCode.DONE);
        assertThat(same.out())
                .contains(
                        "Tensors that differ: 3 of",
                        "same function on this text",
                        "float32 alone moves the outputs of");
        assertThat(folder.resolve("check/tables/tensors.csv")).content().contains("dense_4h_to_h");
        Run different = Run.of(
                "check", MODEL.toString(), out.toString(), "--prefix", "5,3,1", "--tolerance", "0", "--format", "json");
        assertThat(different.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(different.out()).contains("\"same\":false");
        assertThat(Run.of("check", MODEL.toString(), out.toString()).err()).contains("give --prefix");
        assertThat(Run.of("check", "a.safetensors", "b.safetensors", "--prefix", "1")
                        .err())
                .contains("--prefix goes with two folders of transformers");
    }

    @Test
    void anEditThatIsRoundedAwayIsNotWritten() {
        Path out = folder.resolve("edited");
        Run run = install("--t", "1e-12", "--out", out.toString());
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out()).contains("not the edit that was meant: rounding to F16 undoes 100 % of the change of ");
        assertThat(run.err())
                .hasLineCount(1)
                .startsWith("isoloss: error: " + out + ": rounding to F16 undoes 100 % of the change of ")
                .endsWith(
                        "; nothing was written; use a larger coefficient, or --dtype f32, which writes 32-bit weights\n");
        assertThat(out).doesNotExist();
    }

    @Test
    void withDtypeF32TheFolderIsOneOf32Bits() throws IOException {
        Path out = folder.resolve("edited");
        Run run = install("--t", "1e-3", "--dtype", "f32", "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("which gives the predicted outputs to the bit");
        try (Checkpoint checkpoint = Checkpoint.open(out)) {
            for (String name : checkpoint.names()) {
                assertThat(checkpoint.tensor(name).type()).as(name).isEqualTo(ElementType.F32);
            }
        }
        assertThat(out.resolve("config.json")).content().contains("float32").doesNotContain("float16");
    }

    @Test
    void wrongOptionsAreRefused() {
        assertThat(install("--t", "0.5", "--dtype", "f8").err()).contains("expected stored or f32, got 'f8'");
        assertThat(install("--t", "NaN").err()).contains("--t is NaN, expected a finite number");
    }

    @Test
    void comparesWithControlsAndOtherObjectives() throws IOException {
        Path out = folder.resolve("compared");
        Run run = Run.of("transformer", "compare", hybrid.toString(), finite.toString(), "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("incoming only", "random", "analytic", "float32 noise of the unedited model on the prefix")
                .contains("hybrid", "finite");
        assertThat(Files.readAllLines(out.resolve("tables/installed.csv"))).hasSize(17);
        assertThat(Files.readAllLines(out.resolve("tables/stored.csv"))).hasSize(9);
        assertThat(out.resolve("figures/installed-a.svg")).content().contains("(a) Preserving protected outputs");
        assertThat(out.resolve("figures/installed-b.csv")).content().contains("finite");
        assertThat(out.resolve("provenance.json")).content().contains("compare");
        assertThat(out.resolve("report.html")).content().contains("installed beside controls", "compare");
    }

    @Test
    void runsOfTwoSitesAreNotCompared() {
        Path other = learned("hybrid", 3);
        Run run = Run.of("transformer", "compare", hybrid.toString(), other.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("is a run on another model, prefix or site than the first");
    }
}
