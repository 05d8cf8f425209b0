package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.action.CompensatingAction;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.transformer.MovedWeights.Part;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeedForwardSiteTest {
    private static final List<Integer> TOKENS = List.of(7, 3, 19, 7, 11);
    private static final TokenBatch BATCH = TokenBatch.of(7, 3, 19, 7, 11);

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
        "gemma-geglu, 0, "
    })
    void theOutputOfTheWholeModelStays(String model, int layer, @Nullable MovingRows rows) throws IOException {
        try (StoredTransformer stored = StoredTransformer.open(Models.folder(model))) {
            Transformer transformer = Transformer.of(stored, Arithmetic.FLOAT64);
            FeedForwardSite site =
                    FeedForwardSite.choose(transformer, TOKENS, layer, new MovingUnits.MostSensitive(1), rows);
            assertThat(site.layer()).isEqualTo(layer);
            assertThat(site.tokens()).isEqualTo(TOKENS);
            SiteCoordinates coordinates = SiteCoordinates.reduced(site.site());
            Matrix before = transformer.run(BATCH).output();

            assertThat(transformer
                            .with(site.parameters(coordinates.toPlain(coordinates.origin())))
                            .run(BATCH)
                            .output()
                            .entries())
                    .as("the site's own weights are the stored ones")
                    .containsExactly(before.entries());

            double[] moved = moved(coordinates);
            Matrix after = transformer
                    .with(site.parameters(coordinates.toPlain(moved)))
                    .run(BATCH)
                    .output();
            double[] alone = moved.clone();
            Arrays.fill(alone, 0, coordinates.outgoingCount(), 0);
            Matrix uncompensated = transformer
                    .with(site.parameters(coordinates.toPlain(alone)))
                    .run(BATCH)
                    .output();
            double drift = after.minus(before).frobeniusNorm() / before.frobeniusNorm();
            double without = uncompensated.minus(before).frobeniusNorm() / before.frobeniusNorm();
            // rounding of one layer through the rest of the model, times a condition below 1e3
            assertThat(drift).isLessThan(1e-12);
            assertThat(without).isGreaterThan(1e6 * drift).isGreaterThan(1e-8);
        }
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
        "gptneox-parallel-f32, gpt_neox.layers.1.mlp.dense_h_to_4h.weight, ROW, 32, gpt_neox.layers.1.mlp.dense_h_to_4h.bias, gpt_neox.layers.1.mlp.dense_4h_to_h.weight, COLUMN",
        "gpt2-gelu-new, transformer.h.1.mlp.c_fc.weight, COLUMN, 24, transformer.h.1.mlp.c_fc.bias, transformer.h.1.mlp.c_proj.weight, ROW",
        "llama-gqa, model.layers.1.mlp.gate_proj.weight, ROW, 32, , model.layers.1.mlp.down_proj.weight, COLUMN"
    })
    void whatMovesIsNamedAsItIsStored(
            String model, String incoming, Part row, int width, String bias, String outgoing, Part column)
            throws IOException {
        try (StoredTransformer stored = StoredTransformer.open(Models.folder(model))) {
            FeedForwardSite site = FeedForwardSite.choose(
                    Transformer.of(stored, Arithmetic.FLOAT64),
                    TOKENS,
                    1,
                    new MovingUnits.Given(List.of(5)),
                    incoming.contains("gate") ? MovingRows.GATE : null);
            SiteCoordinates coordinates = SiteCoordinates.plain(site.site());
            double[] plain = coordinates.origin();
            List<MovedWeights> moved = site.moved(plain);
            assertThat(moved).hasSize((bias == null ? 1 : 2) + TOKENS.size());
            MovedWeights first = moved.getFirst();
            assertThat(first.parameter()).isEqualTo(incoming);
            assertThat(first.part()).isEqualTo(row);
            assertThat(first.index()).isEqualTo(5);
            assertThat(first.values()).hasSize(width);
            Matrix whole = stored.tensor(incoming).toMatrix();
            assertThat(first.values()).containsExactly(row == Part.ROW ? whole.row(5) : whole.column(5));
            if (bias != null) {
                assertThat(moved.get(1).parameter()).isEqualTo(bias);
                assertThat(moved.get(1).part()).isEqualTo(Part.ENTRY);
                assertThat(moved.get(1).toString()).startsWith(bias + "[5] = [");
            }
            MovedWeights last = moved.getLast();
            assertThat(last.parameter()).isEqualTo(outgoing);
            assertThat(last.part()).isEqualTo(column);
            assertThat(last.index()).isEqualTo(site.site().compensators()[TOKENS.size() - 1]);
            assertThat(last.toString()).startsWith(outgoing + "[").endsWith("] of " + last.values().length);
            Map<String, Matrix> parameters = site.parameters(plain);
            assertThat(Objects.requireNonNull(parameters.get(incoming)).entries())
                    .containsExactly(whole.entries());
            assertThatThrownBy(() -> site.moved(new double[3]))
                    .hasMessageStartingWith("FeedForwardSite: 3 weights given, expected ");
        }
    }

    /** Parallel residuals: the block of layer 0 sees the embedding alone. */
    @Test
    void aRepeatedTokenIsRefusedWhereTheInputDependsOnItAlone() throws IOException {
        try (StoredTransformer stored = StoredTransformer.open(Models.folder("gptneox-parallel-f32"))) {
            Transformer transformer = Transformer.of(stored, Arithmetic.FLOAT64);
            assertThatThrownBy(() ->
                            FeedForwardSite.choose(transformer, TOKENS, 0, new MovingUnits.MostSensitive(1), null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "layer 0: token 7 stands at positions 0 and 3, and what enters this block depends on the token alone, so no unit tells the two apart; choose a later layer or a prefix without repeated tokens");
            assertThatThrownBy(() ->
                            FeedForwardSite.choose(transformer, TOKENS, 2, new MovingUnits.MostSensitive(1), null))
                    .hasMessage("layer 2 asked for, but the model has 2, counted from 0");
        }
    }
}
