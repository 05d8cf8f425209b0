package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.isoloss.action.GroupAction;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sites of models of any kind: the blocks of the residual network among the examples. */
class ModelSiteTaskTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    private static ModelSetting setting(String network, String site, String rest) throws IOException {
        String text = """
                name: residual
                network: {model: networks/%s.onnx}
                data: {file: digits/digits.csv.gz, rows: [1427, 1431], scale: 16, label: true}
                site: {%s}
                points: {deviation: 0.2, unit: weights}
                %s
                """.formatted(network, site, rest);
        return (ModelSetting) Setting.of(TaskFile.parse("site.yaml", text, Map.of()), EXAMPLES);
    }

    private static double[] moved(ModelSetting setting) {
        GroupAction action = setting.reference().orElseThrow();
        double[] origin = setting.origin();
        Matrix element = GroupWord.exp(0.3).matrix(action.generators());
        return action.apply(
                        Matrix.over(1, element.entries().length, element.entries()),
                        Matrix.over(1, origin.length, origin))
                .row(0);
    }

    @ParameterizedTest
    @CsvSource({"0, reduced", "1, reduced", "1, plain"})
    void movedUnitsKeepTheProtectedOutputs(int layer, String coordinates) throws IOException {
        ModelSetting setting = setting(
                "residual",
                "layer: %d, coordinates: %s".formatted(layer, coordinates),
                "fresh: {file: digits/digits.csv.gz, rows: [1431, 1481], scale: 16, label: true}");
        ModelSite site = setting.modelSite().orElseThrow();
        assertThat(site.tensors())
                .containsExactlyInAnyOrder(
                        "up%d.weight".formatted(layer + 1),
                        "up%d.bias".formatted(layer + 1),
                        "down%d.weight".formatted(layer + 1));
        double[] moved = moved(setting);
        ModelEdit edit = ModelEdit.write(ModelEdit.of(setting, moved), folder.resolve("moved.onnx"));
        assertThat(edit.report().tensors())
                .extracting(EditReport.EditedTensor::changed)
                .allMatch(count -> count > 0);
        assertThat(Arrays.stream(edit.relativeDrift(setting.batch())).max().orElseThrow())
                .isLessThan(1e-6);
        assertThat(Arrays.stream(edit.relativeDrift(setting.fresh().orElseThrow()))
                        .max()
                        .orElseThrow())
                .isGreaterThan(1e-3);

        Target fresh = setting.freshTarget().orElseThrow();
        Matrix outputs = fresh.outputs(Matrix.of(1, moved.length, setting.origin()));
        assertThat(outputs.columns()).isEqualTo(500);
        assertThat(fresh.outputs(Matrix.of(1, moved.length, moved))
                        .minus(outputs)
                        .largestMagnitude())
                .isGreaterThan(1e-3);
    }

    @Test
    void aRunFolderSaysWhereTheWeightsLie() throws IOException {
        ModelSetting setting = setting("residual", "layer: 1, unit: 3", "");
        RunBase.keep(setting, folder);
        RunBase.require(setting, folder);
        try (SafetensorsFile base = SafetensorsFile.open(folder.resolve("base.safetensors"))) {
            assertThat(base.metadata()).containsEntry("coordinates", "site").containsEntry("activation", "tanh");
            assertThat(Arrays.asList(base.metadata().getOrDefault("moving", "").split("; ", -1)))
                    .startsWith("up2.weight row 3", "up2.bias entry 3")
                    .hasSize(2 + 4);
            assertThat(base.names()).contains("site.entering", "inputs.images").doesNotContain("tokens");
        }
        assertThat(setting.moving().count()).isEqualTo(16 + 1 + 4 * 16);
    }

    @Test
    void whereThereAreNoUnitsTheMessageSaysWhatIsWanted() {
        assertThatThrownBy(() -> setting("convolutional", "layer: 0", ""))
                .hasMessage(
                        "the model has no hidden units that can compensate: no function of one variable, or gate, between two products with parameters that nothing else reads");
        assertThatThrownBy(() -> setting("residual", "layer: 2", ""))
                .hasMessage("layer 2 asked for, but the model has 2, counted from 0");
        assertThatThrownBy(() -> setting("residual", "rows: gate", ""))
                .hasMessage("site: the feed-forward blocks of this model have no gate, so 'rows' must be left out");
    }
}
