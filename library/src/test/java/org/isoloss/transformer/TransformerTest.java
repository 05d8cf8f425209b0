package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransformerTest {
    private static final int[] IDS = {429, 391, 18, 16, 264, 261, 775, 77, 619, 299, 844, 84};

    private static StoredTransformer open(String name) throws IOException {
        return StoredTransformer.open(Models.folder(name));
    }

    @ParameterizedTest
    @EnumSource(Arithmetic.class)
    void givesTheSameBitsWhateverTheThreads(Arithmetic arithmetic) throws IOException {
        try (StoredTransformer stored = open(Models.TRAINED);
                var one = new ForkJoinPool(1);
                var many = new ForkJoinPool(5)) {
            Transformer model = Transformer.of(stored, arithmetic);
            double[] alone = one.submit(
                            () -> model.run(TokenBatch.of(IDS)).output().entries())
                    .join();
            double[] together = many.submit(
                            () -> model.run(TokenBatch.of(IDS)).output().entries())
                    .join();
            assertThat(together).isEqualTo(alone);
        }
    }

    @Test
    void aTokenOfADecoderSeesNoneAfterIt() throws IOException {
        try (StoredTransformer stored = open(Models.TRAINED)) {
            Transformer model = Transformer.of(stored, Arithmetic.FLOAT64);
            Matrix whole = model.run(TokenBatch.of(IDS)).output();
            Matrix start = model.run(TokenBatch.of(Arrays.copyOf(IDS, 5))).output();
            assertThat(start.minus(whole.rows(0, 5)).largestMagnitude()).isLessThan(1e-12);
            int[][] padded = {Arrays.copyOf(IDS, 7), Arrays.copyOf(Arrays.copyOf(IDS, 5), 7)};
            int[][] mask = {{1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 0, 0}};
            ForwardPass batch = model.run(TokenBatch.of(padded, mask, new int[2][7]), 3);
            assertThat(batch.output(1).rows(0, 5).minus(start).largestMagnitude())
                    .isLessThan(1e-12);
            assertThat(batch.feedForwardInput(3, 0).rows()).isEqualTo(7);
            assertThat(batch.output(0).minus(whole.rows(0, 7)).largestMagnitude())
                    .isLessThan(1e-12);
        }
    }

    @ParameterizedTest
    @EnumSource(Arithmetic.class)
    void laterPassesHaveTheBitsOfTheFirst(Arithmetic arithmetic) throws IOException {
        double[] first;
        try (StoredTransformer stored = open(Models.TRAINED)) {
            Transformer model = Transformer.of(stored, arithmetic);
            first = model.run(TokenBatch.of(IDS)).output().entries();
            assertThat(model.run(TokenBatch.of(IDS)).output().entries()).isEqualTo(first);
            assertThat(Transformer.of(stored, arithmetic)
                            .run(TokenBatch.of(IDS))
                            .output()
                            .entries())
                    .isEqualTo(first);
        }
        try (StoredTransformer anew = open(Models.TRAINED)) {
            assertThat(Transformer.of(anew, arithmetic)
                            .run(TokenBatch.of(IDS))
                            .output()
                            .entries())
                    .isEqualTo(first);
        }
    }

    @Test
    void replacedParametersAreUsedAndTheOthersShared() throws IOException {
        try (StoredTransformer stored = open(Models.TRAINED)) {
            Transformer model = Transformer.of(stored, Arithmetic.FLOAT32);
            String name = "gpt_neox.layers.6.mlp.dense_h_to_4h.bias";
            Matrix bias = Matrix.over(1, 512, stored.tensor(name).toDoubles());
            Matrix before = model.run(TokenBatch.of(IDS)).output();
            assertThat(model.with(Map.of(name, bias))
                            .run(TokenBatch.of(IDS))
                            .output()
                            .entries())
                    .isEqualTo(before.entries());
            bias.set(0, 7, bias.get(0, 7) + 1);
            Transformer edited = model.with(Map.of(name, bias.transpose()));
            bias.set(0, 7, 0); // copied before
            assertThat(edited.run(TokenBatch.of(IDS)).output().minus(before).largestMagnitude())
                    .isGreaterThan(1e-3);
            assertThat(model.run(TokenBatch.of(IDS)).output().entries()).isEqualTo(before.entries());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gptneox-bf16", "gpt2-gelu-new", "llama-gqa", "gemma-geglu", "qwen2-biases", "bert-postln"})
    void reorderedUnitsComputeTheSameFunctionWithOtherRounding(String name) throws IOException {
        TokenBatch batch = TokenBatch.of(5, 3, 1, 7);
        try (StoredTransformer stored = open(name)) {
            Transformer exact = Transformer.of(stored, Arithmetic.FLOAT64);
            Matrix output = exact.run(batch).output();
            assertThat(exact.reordered().run(batch).output().minus(output).largestMagnitude())
                    .isLessThan(1e-12 * output.largestMagnitude());
            Transformer narrow = Transformer.of(stored, Arithmetic.FLOAT32);
            Matrix rounded = narrow.run(batch).output();
            assertThat(narrow.reordered().run(batch).output().minus(rounded).largestMagnitude())
                    .isBetween(1e-9 * output.largestMagnitude(), 1e-5 * output.largestMagnitude());
        }
    }

    @Test
    void refusesWhatTheModelDoesNotHave() throws IOException {
        try (StoredTransformer stored = open(Models.TRAINED)) {
            Transformer model = Transformer.of(stored, Arithmetic.FLOAT32);
            assertThat(model.config()).isEqualTo(stored.config());
            assertThatThrownBy(() -> model.run(TokenBatch.of(1, 1024)))
                    .hasMessage("token id 1024, at token 1 of sequence 0, is not in 0..1023, the vocabulary");
            assertThatThrownBy(() -> model.run(TokenBatch.of(new int[][] {{1}}, new int[][] {{1}}, new int[][] {{2}})))
                    .hasMessage(
                            "token type 2, at token 0 of sequence 0, is not in 0..0, the types that the model knows");
            assertThatThrownBy(() -> model.run(TokenBatch.of(new int[257])))
                    .hasMessage("a sequence has 257 tokens, but the model takes at most 256; cut it");
            assertThatThrownBy(() -> model.run(TokenBatch.of(1), 8))
                    .hasMessage("layer 8 asked for, but the model has 8, counted from 0");
            assertThatThrownBy(() -> model.with(Map.of("lm_head.weight", Matrix.zeros(1, 1))))
                    .hasMessage("the model has no parameter 'lm_head.weight'; its names begin with embed_out.weight");
            assertThatThrownBy(() -> model.with(Map.of("embed_out.weight", Matrix.zeros(128, 1024))))
                    .hasMessage("parameter 'embed_out.weight' has shape (1024, 128),"
                            + " got a matrix (128, 1024) to replace it");
            assertThatThrownBy(
                            () -> model.with(Map.of("gpt_neox.layers.0.mlp.dense_4h_to_h.bias", Matrix.zeros(2, 64))))
                    .hasMessage("parameter 'gpt_neox.layers.0.mlp.dense_4h_to_h.bias' has shape (128),"
                            + " got a matrix (2, 64) to replace it");
            ForwardPass pass = model.run(TokenBatch.of(new int[][] {{1}, {2}}), 2);
            assertThatThrownBy(pass::output).hasMessage("the batch has 2 sequences; say which is meant");
            assertThatThrownBy(() -> pass.output(2))
                    .hasMessage("sequence 2 asked for, but the batch has 2, counted from 0");
            assertThatThrownBy(() -> pass.feedForwardInput(3, 0))
                    .hasMessage("layer 3 was not kept, only [2]; name it when the model is run");
        }
    }
}
