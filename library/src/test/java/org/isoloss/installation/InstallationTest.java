package org.isoloss.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.installation.Installation.Measures;
import org.isoloss.source.GgufConversion;
import org.isoloss.source.HuggingFaceFolder;
import org.isoloss.task.ModelSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
    private static final String INCOMING = "gpt_neox.layers.6.mlp.dense_h_to_4h.weight";
    private static final String BIAS = "gpt_neox.layers.6.mlp.dense_h_to_4h.bias";
    private static final String OUTGOING = "gpt_neox.layers.6.mlp.dense_4h_to_h.weight";

    @TempDir
    private Path folder;

    private static Texts texts() throws IOException {
        return Texts.of(Sites.PREFIX, Sites.trained().resolve("prefixes.json"));
    }

    private static GroupAction action(ModelSetting setting, double speed) {
        return Sites.action(setting.site().orElseThrow(), speed, 5);
    }

    @Test
    void theClosedFormMovesTheOutputsByNoMoreThanRounding() throws IOException {
        ModelSetting setting = Sites.at(Sites.trained(), 6, Sites.PREFIX);
        InstallationSite site = InstallationSite.open(setting, Rounding.FLOAT32);
        Measures found =
                Installation.of(site, action(setting, 0.3), 0.5, texts()).measures();
        assertThat(found.unrounded().relative()).isLessThan(1e-13);
        assertThat(found.float64().relative()).isLessThan(1e-7); // rounding of the weights alone
        assertThat(found.float32().relative()).isBetween(0.0, 5 * found.noise().relative());
        assertThat(found.noise().relative()).isBetween(1e-8, 1e-5);
        assertThat(found.float32().flips()).isZero();
        assertThat(found.float32().positions()).isEqualTo(8);
        assertThat(found.cancellation()).isLessThan(1e-5);
        assertThat(found.continuation().orElseThrow().positions()).isEqualTo(24);
        assertThat(found.continuation().orElseThrow().relative())
                .isGreaterThan(10 * found.float32().relative());
        assertThat(found.fresh())
                .hasSize(3)
                .allMatch(drift -> drift.relative() > found.float64().relative());
    }

    @Test
    void whatLeavesOutCompensationIsSeen() throws IOException {
        ModelSetting setting = Sites.at(Sites.trained(), 6, Sites.PREFIX);
        GroupAction whole = action(setting, 0.3);
        GroupAction planted = new Uncompensated(whole, setting.site().orElseThrow());
        InstallationSite site = InstallationSite.open(setting, Rounding.FLOAT32);
        Measures found = Installation.of(site, planted, 0.5, texts()).measures();
        assertThat(found.cancellation()).isCloseTo(1, offset(1e-9));
        assertThat(found.unrounded().relative()).isGreaterThan(1e-4);
        assertThat(found.float32().relative()).isGreaterThan(20 * found.noise().relative());
    }

    @Test
    void writesTheTensorsOfTheSiteAloneAndWhatWasPredicted() throws IOException {
        ModelSetting setting = Sites.at(Sites.trained(), 6, Sites.PREFIX);
        InstallationSite site = InstallationSite.open(setting, Rounding.STORED);
        Installation installation = Installation.of(site, action(setting, 0.3), 0.5, texts());
        Path written = folder.resolve("edited");
        EditReport report = installation.write(written);
        assertThat(report).isEqualTo(installation.measures().weights());
        assertThat(report.tensors())
                .extracting(EditReport.EditedTensor::name)
                .containsExactlyInAnyOrder(INCOMING, BIAS, OUTGOING);
        assertThat(installation.isGivenBy(written)).isTrue();
        assertThat(installation.isGivenBy(Sites.trained())).isFalse();
        try (Checkpoint before = Checkpoint.open(Sites.trained());
                Checkpoint after = Checkpoint.open(written)) {
            assertThat(TensorDifference.between(before, after).stream()
                            .filter(tensor -> !tensor.isSame())
                            .map(TensorDifference::name))
                    .containsExactlyInAnyOrder(INCOMING, BIAS, OUTGOING);
        }
    }

    @Test
    void anEditBelowTheStoredTypeIsRoundedAway() throws IOException {
        Path model = Sites.random("gptneox-sequential-f16");
        ModelSetting setting = Sites.at(model, 1, List.of(5, 3, 1));
        GroupAction action = action(setting, 3e-7);
        InstallationSite site = InstallationSite.open(setting, Rounding.STORED);
        Measures found =
                Installation.of(site, action, 0.5, Texts.of(List.of(5, 3, 1))).measures();
        assertThat(found.weights().roundedAway()).isTrue();
        assertThat(found.float32().relative()).isZero();
        assertThat(found.unrounded().relative()).isLessThan(1e-12);
        assertThat(found.continuation()).isEmpty();
        InstallationSite narrow = InstallationSite.open(setting, Rounding.FLOAT32);
        Installation wider = Installation.of(narrow, action, 0.5, Texts.of(List.of(5, 3, 1)));
        assertThat(wider.measures().weights().roundedAway()).isFalse();
        assertThat(wider.measures().weights().tensors()).allMatch(tensor -> tensor.type() == ElementType.F32);
        Path written = folder.resolve("wider");
        assertThat(wider.write(written)).isEqualTo(wider.measures().weights());
        assertThat(wider.isGivenBy(written)).isTrue();
        assertThat(written.resolve("config.json"))
                .content()
                .contains("\"float32\"")
                .doesNotContain("float16");
        try (Checkpoint before = Checkpoint.open(model);
                Checkpoint after = Checkpoint.open(written)) {
            assertThat(after.names()).containsExactlyInAnyOrderElementsOf(before.names());
            for (TensorDifference tensor : TensorDifference.between(before, after)) {
                assertThat(String.valueOf(tensor.second())).startsWith("F32 ");
                assertThat(Objects.requireNonNull(tensor.numbers()).changed() > 0)
                        .as(tensor.name())
                        .isEqualTo(wider.measures().weights().tensors().stream()
                                .anyMatch(edited -> edited.name().equals(tensor.name()) && edited.changed() > 0));
            }
        }
    }

    /** Parameters have the names of transformers, whatever they are called in the file. */
    @Test
    void inGgufAnEditIsMeasuredThoughItIsNotWritten() throws IOException {
        Path file = folder.resolve("llama.gguf");
        try (HuggingFaceFolder model = HuggingFaceFolder.open(Sites.random("llama-gqa"))) {
            Files.write(file, GgufConversion.gguf("llama", model, _ -> true).bytes());
        }
        ModelSetting setting = Sites.at(file, 1, List.of(5, 3, 1, 7));
        InstallationSite site = InstallationSite.open(setting, Rounding.FLOAT32);
        Installation installation = Installation.of(site, action(setting, 0.3), 0.5, Texts.of(List.of(5, 3, 1, 7)));
        Measures found = installation.measures();
        assertThat(found.weights().tensors())
                .extracting(EditReport.EditedTensor::name)
                .contains("blk.1.ffn_down.weight");
        assertThat(found.unrounded().relative()).isLessThan(1e-12);
        assertThat(found.float32().relative()).isBetween(0.0, 5e-6);
        assertThatThrownBy(() -> installation.write(folder.resolve("edited.gguf")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GGUF");
    }

    @Test
    void gatedBlocksAreInstalledToo() throws IOException {
        ModelSetting setting = Sites.at(Sites.random("llama-gqa"), 1, List.of(5, 3, 1, 7));
        InstallationSite site = InstallationSite.open(setting, Rounding.FLOAT32);
        Measures found = Installation.of(site, action(setting, 0.3), 0.5, Texts.of(List.of(5, 3, 1, 7)))
                .measures();
        assertThat(found.motionPercent()).isGreaterThan(0.1);
        assertThat(found.unrounded().relative()).isLessThan(1e-12);
        assertThat(found.float32().relative()).isLessThan(5e-6);
    }
}
