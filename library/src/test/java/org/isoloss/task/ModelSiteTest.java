package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.CompensatingAction;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Rerun;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteCoordinates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelSiteTest {
    private static final List<Integer> TOKENS = List.of(7, 3, 9, 7, 5);

    private static ModelBatch batch(String model) throws IOException {
        return ModelBatch.read(SiteModels.folder(model), DataSource.text(TOKENS), Path.of(""));
    }

    private static Matrix output(ModelBatch batch, Model model, Precision precision) {
        double[] numbers =
                model.run(precision, batch.batches().getFirst()).firstEntry().getValue();
        return Matrix.over(TOKENS.size(), numbers.length / TOKENS.size(), numbers);
    }

    /** What the whole model computes stays on the protected prefix when the closed form moves the site, and only then. */
    @ParameterizedTest
    @CsvSource({
        "gptneox-parallel-f32, 1, ",
        "gpt2-gelu-new, 0, ",
        "bert-postln, 1, ",
        "llama-gqa, 1, GATE",
        "llama-gqa, 0, GATE_AND_UP",
        "qwen2-biases, 1, GATE_AND_UP",
        "gemma-geglu, 1, GATE",
        "gemma-geglu, 0, ",
        "onnx/script-sdpa-gelu.onnx, 0, ",
        "onnx/dynamo-sdpa-tanh.onnx, 0, ",
        "onnx/dynamo-eager-relu-pooled.onnx, 1, "
    })
    void theOutputOfTheWholeModelStays(String name, int layer, @Nullable MovingRows rows) throws IOException {
        ModelBatch batch = batch(name);
        ModelSite site = ModelSite.choose(batch, layer, new MovingUnits.MostSensitive(1), rows);
        assertThat(site.layer()).isEqualTo(layer);
        SiteCoordinates coordinates = SiteCoordinates.reduced(site.site());
        Model model = batch.model();
        Matrix before = output(batch, model, Precision.FLOAT64);
        Map<String, double[]> own = site.tensors(coordinates.toPlain(coordinates.origin()));
        assertThat(output(batch, model.with(own), Precision.FLOAT64).entries())
                .as("the site's own weights are the stored ones")
                .containsExactly(before.entries());
        assertThat(own).containsOnlyKeys(site.tensors());
        own.forEach((tensor, numbers) -> assertThat(numbers).containsExactly(model.numbers(tensor)));

        double[] moved = moved(coordinates);
        Matrix after = output(batch, model.with(site.tensors(coordinates.toPlain(moved))), Precision.FLOAT64);
        double[] alone = moved.clone();
        Arrays.fill(alone, 0, coordinates.outgoingCount(), 0);
        Matrix uncompensated = output(batch, model.with(site.tensors(coordinates.toPlain(alone))), Precision.FLOAT64);
        double drift = after.minus(before).frobeniusNorm() / before.frobeniusNorm();
        double without = uncompensated.minus(before).frobeniusNorm() / before.frobeniusNorm();
        // rounding of one layer through the rest of the model, times the condition
        assertThat(drift).isLessThan(1e-12 * Math.max(1, site.site().features().condition() / 1e3));
        assertThat(without).isGreaterThan(1e6 * drift).isGreaterThan(1e-8);
    }

    /** One step of the closed form in a random direction of the moving rows, a tenth of the weights' size. */
    private static double[] moved(SiteCoordinates coordinates) {
        var random = new SplittableRandom(17);
        Matrix direction = coordinates.incomingPart(
                random.doubles(coordinates.parameterCount(), -1, 1).toArray());
        CompensatingAction action = CompensatingAction.along(coordinates, List.of(direction));
        Matrix element = Matrix.of(1, 4, 1, coordinates.weightScale(), 0, 1);
        return action.apply(element, Matrix.of(1, coordinates.parameterCount(), coordinates.origin()))
                .entries();
    }

    @ParameterizedTest
    @CsvSource({
        "gptneox-parallel-f32, gpt_neox.layers.1.mlp.dense_h_to_4h.weight row 5, gpt_neox.layers.1.mlp.dense_h_to_4h.bias entry 5, gpt_neox.layers.1.mlp.dense_4h_to_h.weight column",
        "gpt2-gelu-new, transformer.h.1.mlp.c_fc.weight column 5, transformer.h.1.mlp.c_fc.bias entry 5, transformer.h.1.mlp.c_proj.weight row",
        "llama-gqa, model.layers.1.mlp.gate_proj.weight row 5, , model.layers.1.mlp.down_proj.weight column"
    })
    void whatMovesIsNamedAsItIsStored(String name, String incoming, @Nullable String bias, String outgoing)
            throws IOException {
        ModelSite site = ModelSite.choose(
                batch(name), 1, new MovingUnits.Given(List.of(5)), incoming.contains("gate") ? MovingRows.GATE : null);
        List<String> places = site.places();
        assertThat(places).hasSize((bias == null ? 1 : 2) + TOKENS.size()).startsWith(incoming);
        if (bias != null) {
            assertThat(places.get(1)).isEqualTo(bias);
        }
        assertThat(places.getLast()).isEqualTo("%s %d", outgoing, site.site().compensators()[TOKENS.size() - 1]);
        assertThatThrownBy(() -> site.tensors(new double[3]))
                .hasMessageStartingWith("ModelSite: 3 weights given, expected ");
    }

    /** Parallel residuals: the block of layer 0 sees the embedding alone. */
    @Test
    void aRepeatedTokenIsRefusedWhereTheInputDependsOnItAlone() throws IOException {
        ModelBatch batch = batch("gptneox-parallel-f32");
        assertThatThrownBy(() -> ModelSite.choose(batch, 0, new MovingUnits.MostSensitive(1), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "layer 0: token 7 stands at positions 0 and 3, and what enters this block depends on the token alone, so no unit tells the two apart; choose a later layer or a prefix without repeated tokens");
        assertThatThrownBy(() -> ModelSite.choose(batch, 2, new MovingUnits.MostSensitive(1), null))
                .hasMessage("layer 2 asked for, but the model has 2, counted from 0");
        assertThatThrownBy(() -> ModelSite.choose(batch, 1, new MovingUnits.MostSensitive(1), MovingRows.GATE))
                .hasMessage("site: the feed-forward blocks of this model have no gate, so 'rows' must be left out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gptneox-bf16",
                "gpt2-gelu-new",
                "llama-gqa",
                "gemma-geglu",
                "qwen2-biases",
                "bert-postln",
                "onnx/script-sdpa-gelu.onnx"
            })
    void editsOneAfterAnotherGiveWhatTheyGiveAlone(String name) throws IOException {
        ModelBatch batch = batch(name);
        ModelSite site = ModelSite.choose(batch, 1, new MovingUnits.MostSensitive(1), null);
        double[] weights = SiteCoordinates.plain(site.site()).origin();
        for (int i = 0; i < weights.length; i++) {
            weights[i] += 0.01 * Math.sin(i);
        }
        Map<String, double[]> edit = site.tensors(weights);
        Model model = batch.model();
        for (Precision precision : Precision.values()) {
            Rerun rerun = Rerun.of(
                    model,
                    precision,
                    batch.batches().getFirst(),
                    List.of(model.outputs().firstEntry().getValue()),
                    site.tensors());
            double[] before = output(batch, model, precision).entries();
            double[] alone = output(batch, model.with(edit), precision).entries();
            assertThat(rerun.results(Map.of()).getFirst()).containsExactly(before);
            assertThat(rerun.results(edit).getFirst()).containsExactly(alone);
            assertThat(rerun.results(Map.of()).getFirst()).containsExactly(before);
            assertThat(alone).isNotEqualTo(before);
            assertThatThrownBy(() -> rerun.results(Map.of("w", new double[1])))
                    .hasMessageStartingWith("tensors [w] are replaced, but only [");
        }
    }
}
