package org.isoloss.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.GgufBytes;
import org.isoloss.checkpoint.Shape;
import org.isoloss.model.Model;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The same model as a folder and as GGUF, converted as llama.cpp does it: both compute the same. */
class GgufModelTest {
    private static final int LENGTH = 6;

    @TempDir
    Path folder;

    /** Copies a folder of the resources, with another value of one key where that is asked for. */
    private Path copied(String name, String key, String json) throws IOException {
        Path copy = Files.createDirectories(folder.resolve("hf"));
        try {
            Path from = Path.of(requireNonNull(getClass().getResource(name)).toURI());
            Files.copy(from.resolve("model.safetensors"), copy.resolve("model.safetensors"));
            var config = (ObjectNode) JsonMapper.shared().readTree(from.resolve("config.json"));
            if (!key.isEmpty()) {
                config.set(key, JsonMapper.shared().readTree(json));
            }
            Files.writeString(copy.resolve("config.json"), config.toString());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
        return copy;
    }

    private static double[] outputs(Path path) throws IOException {
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(path)) {
            Model model = opened.model(1, LENGTH);
            double[] ids = IntStream.of(3, 1, 7, 2, 9, 4).asDoubleStream().toArray();
            return requireNonNull(model.run(Precision.FLOAT64, Map.of("input_ids", ids))
                    .firstEntry()
                    .getValue());
        }
    }

    private static void requireSame(double[] found, double[] expected) {
        double worst = 0;
        double scale = 0;
        for (int i = 0; i < expected.length; i++) {
            worst = Math.max(worst, Math.abs(found[i] - expected[i]));
            scale = Math.max(scale, Math.abs(expected[i]));
        }
        assertThat(found).hasSameSizeAs(expected);
        assertThat(worst / scale).as("epsilons and norms of Gemma are rounded").isLessThan(1e-6);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "",
            value = {
                "gpt_neox | gptneox | x | 0",
                "gpt2 | gpt2 | x | 0",
                "bert | bert | x | 0",
                "qwen2 | qwen2 | use_sliding_window | false",
                "qwen3 | qwen3 | rope_parameters | {\"rope_theta\": 50.0}",
                "phi3 | phi3 | x | 0",
                "olmo2 | olmo2 | x | 0",
                "stablelm-sequential | stablelm | x | 0",
                "gemma | gemma | x | 0",
                "gemma2 | gemma2 | query_pre_attn_scalar | 4",
                "gemma3_text | gemma3 | query_pre_attn_scalar | 4",
                "llama | llama | rope_parameters | {\"rope_theta\": 50.0}"
            })
    void computesWhatTheFolderComputes(String name, String kind, String key, String json) throws IOException {
        Path path = copied(name, key, json);
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            Path file = Files.write(
                    folder.resolve("other.gguf"),
                    GgufConversion.gguf(kind, expected, _ -> true).bytes());
            try (HuggingFaceFolder actual = HuggingFaceFolder.open(file)) {
                assertThat(actual.model(1, 2).parameters().keySet())
                        .containsExactlyInAnyOrderElementsOf(
                                expected.model(1, 2).parameters().keySet());
                assertThat(actual.family()).isEqualTo(expected.family());
                assertThat(actual.notes()).isEmpty();
            }
            requireSame(outputs(file), outputs(path));
        }
    }

    /** The factors are those of the type llama3, which is what they stand for. */
    @Test
    void readsTheFrequenciesOfLlama3() throws IOException {
        Path path = copied("llama", "", "");
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            HuggingFaceConfig config = new HuggingFaceConfig(ConfigKeys.read(path.resolve("config.json")));
            List<Double> turned = requireNonNull(config.rotary(0)).frequencies();
            float[] factors = new float[turned.size()];
            for (int pair = 0; pair < factors.length; pair++) {
                factors[pair] = (float) (Math.pow(50, -2.0 * pair / config.headSize()) / turned.get(pair));
            }
            assertThat(factors).contains(8f);
            GgufBytes gguf = GgufConversion.gguf("llama", expected, _ -> true);
            requireSame(
                    outputs(Files.write(
                            folder.resolve("other.gguf"),
                            gguf.tensor("rope_freqs.weight", Shape.of(factors.length), factors)
                                    .bytes())),
                    outputs(path));
            requireRefused(
                    GgufConversion.gguf("llama", expected, _ -> true)
                            .tensor("rope_freqs.weight", Shape.of(5), new float[5]),
                    "the factors of rotary frequencies are 5, expected 2 numbers above 0");
        }
    }

    @Test
    void opensAModelInSeveralFiles() throws IOException {
        Path path = copied("gpt2", "", "");
        double[] expected = outputs(path);
        Path parts = Files.createDirectory(folder.resolve("parts"));
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(path)) {
            for (int part = 0; part < 3; part++) {
                int own = part;
                GgufBytes gguf = GgufConversion.gguf("gpt2", opened, number -> number % 3 == own)
                        .with("split.no", part)
                        .with("split.count", 3);
                Files.write(parts.resolve("m-%05d-of-00003.gguf".formatted(part + 1)), gguf.bytes());
            }
        }
        requireSame(outputs(parts), expected);
        requireSame(outputs(parts.resolve("m-00002-of-00003.gguf")), expected);
        Path third = parts.resolve("m-00003-of-00003.gguf");
        Path alone = Files.move(third, folder.resolve("third.gguf"));
        assertThatThrownBy(() -> HuggingFaceFolder.open(parts))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(parts.resolve("m-00001-of-00003.gguf")
                        + ": is file 1 of 3 of one model, of which 'm-00003-of-00003.gguf' is not there");
        assertThatThrownBy(() -> HuggingFaceFolder.open(alone))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(
                        alone + ": is file 3 of 3 of one model, but is not named so that the others are found, such as"
                                + " model-00003-of-00003.gguf; join them first: llama-gguf-split --merge FIRST-FILE model.gguf");
        Files.copy(parts.resolve("m-00002-of-00003.gguf"), third);
        assertThatThrownBy(() -> HuggingFaceFolder.open(parts))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("is file 1 of 3 of one model, of which two hold tensor '");
    }

    @Test
    void aFolderWithOneGgufFileIsAModel() throws IOException {
        Path path = copied("qwen2", "use_sliding_window", "false");
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            Path other = Files.createDirectory(folder.resolve("other"));
            Files.write(
                    other.resolve("model.gguf"),
                    GgufConversion.gguf("qwen2", expected, _ -> true).bytes());
            assertThat(StoredModel.isModel(other)).isTrue();
            assertThat(StoredModel.isModel(other.resolve("model.gguf"))).isTrue();
            assertThat(StoredModel.inputs(other)).containsExactly("input_ids");
            requireSame(outputs(other), outputs(path));
        }
    }

    @Test
    void whatIsMadeFromStoredBytesIsMadeOnceAndLetGoWhenClosed() throws IOException {
        Path path = copied("llama", "rope_parameters", "{\"rope_theta\": 50.0}");
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            Path file = Files.write(
                    folder.resolve("x.gguf"),
                    GgufConversion.gguf("llama", expected, _ -> true).bytes());
            HuggingFaceFolder opened = HuggingFaceFolder.open(file);
            Model model = opened.model(1, 2);
            opened.close();
            assertThatThrownBy(() -> model.numbers("model.layers.0.self_attn.q_proj.weight"))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    private void requireRefused(GgufBytes gguf, String problem) throws IOException {
        Path file = Files.write(folder.resolve("x.gguf"), gguf.bytes());
        assertThatThrownBy(() -> HuggingFaceFolder.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": " + problem);
    }

    private static GgufBytes small(String kind) {
        return new GgufBytes()
                .with("general.architecture", kind)
                .tensor("token_embd.weight", Shape.of(3, 8), new float[24])
                .tensor("token_types.weight", Shape.of(8), new float[8])
                .with(kind + ".embedding_length", 8)
                .with(kind + ".attention.head_count", 2);
    }

    @Test
    void refusesWhatIsNoKnownModel() throws IOException {
        requireRefused(
                new GgufBytes().with("general.architecture", "mamba"),
                "holds a model of the architecture 'mamba', expected one of bert, gemma, gemma2, gemma3, gpt2, gptneox, llama, olmo2,"
                        + " phi3, qwen2, qwen3, stablelm;"
                        + " its tensors can be read one by one");
        requireRefused(
                new GgufBytes(),
                "holds a model of the architecture '', expected one of bert, gemma, gemma2, gemma3, gpt2, gptneox, llama, olmo2,"
                        + " phi3, qwen2, qwen3, stablelm;"
                        + " its tensors can be read one by one");
        requireRefused(
                small("llama").with("llama.rope.scaling.type", "yarn"),
                "scaled rotary positions of this kind are not computed here, expected llama.rope.scaling.type none or linear");
        requireRefused(
                small("llama").with("llama.rope.dimension_count", 2),
                "llama.rope.dimension_count is 2, expected the head size 4");
        requireRefused(
                small("llama").with("llama.attention.value_length", 2),
                "keys and values of different lengths are not computed here");
        requireRefused(
                small("bert").with("bert.attention.causal", true),
                "bert.attention.causal is true, which is not computed here, expected false");
        requireRefused(
                small("bert").with("bert.attention.causal", 1), "bert.attention.causal is 1, expected true or false");
        requireRefused(
                small("llama").with("llama.attention.causal", false),
                "llama.attention.causal is false, which is not computed here, expected true");
        requireRefused(
                small("llama").with("llama.context_length", 8).with("llama.attention.sliding_window", 7),
                "llama.attention.sliding_window is 7, which is not computed here, expected 0, or at least the context length");
        for (String key : List.of(
                "attention.clamp_kqv", "attention.scale", "attn_logit_softcapping", "final_logit_softcapping")) {
            requireRefused(
                    small("llama").with("llama." + key, 0.5f),
                    "llama.%s is 0.5, which is not computed here, expected 0".formatted(key));
        }
        for (String key : List.of("embedding_scale", "logit_scale", "residual_scale", "rope.scaling.attn_factor")) {
            requireRefused(
                    small("llama").with("llama." + key, 0.5f),
                    "llama.%s is 0.5, which is not computed here, expected 1".formatted(key));
        }
        requireRefused(
                small("llama").with("llama.expert_count", 8),
                "llama.expert_count is 8, which is not computed here, expected 0");
        requireRefused(small("llama"), "has no llama.context_length, expected a whole number from 1");
        requireRefused(
                small("llama").with("llama.context_length", 0),
                "llama.context_length is 0, expected a whole number from 1");
        requireRefused(
                small("bert").with("bert.context_length", 8),
                "tensor 'token_types.weight' has shape (8), expected (rows, columns)");
        requireRefused(
                new GgufBytes()
                        .with("general.architecture", "gpt2")
                        .with("gpt2.embedding_length", 8)
                        .with("gpt2.attention.head_count", 3),
                "3 heads do not divide the embedding length 8");
        GgufBytes whole = small("llama").with("llama.context_length", 8).with("llama.feed_forward_length", 8);
        requireRefused(
                whole.with("llama.block_count", 2_000_000_000),
                "has no llama.attention.layer_norm_rms_epsilon, expected a number");
        requireRefused(
                whole.with("llama.attention.layer_norm_rms_epsilon", 1e-5f),
                "holds 2 tensors, too few for the 2000000000 layers of the configuration");
        GgufBytes few = small("llama")
                .with("llama.context_length", 8)
                .with("llama.feed_forward_length", 8)
                .with("llama.block_count", 2)
                .with("llama.attention.layer_norm_rms_epsilon", 1e-5f);
        requireRefused(
                few.with("llama.attention.head_count_kv", 5),
                "2 heads cannot share 5 key and value heads evenly; the second must divide the first");
        requireRefused(few.with("llama.rope.freq_base", "high"), "llama.rope.freq_base is high, expected a number");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "blk.0.ffn_up_x.bias | a bias of 'ffn_up_x': none is added there; take it out of the file if the model does without it",
                "blk.1.ffn_down.bias | a bias of 'ffn_down': none is added there; take it out of the file if the model does without it",
                "blk.0.attn_q_norm.weight | a query-key norm: no attention with such norms is computed here",
                "blk.0.rope_factors_long.weight | frequencies of rotary positions: only those of the configuration are computed here",
                "blk.0.ffn_gate_exps.weight | a part of a mixture of experts: only models with one feed-forward block a layer are computed here"
            })
    void refusesATensorThatIsNotUsed(String name, String looks) throws IOException {
        Path path = copied("llama", "attention_bias", "true");
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            GgufBytes gguf = GgufConversion.gguf("llama", expected, _ -> true).tensor(name, Shape.of(2), new float[2]);
            requireRefused(
                    gguf, "tensor '%s' is not used by a llama of 2 layers; it looks like %s".formatted(name, looks));
        }
    }

    @Test
    void leavesThePoolerOfAnEncoderAside() throws IOException {
        Path path = copied("bert", "", "");
        try (HuggingFaceFolder expected = HuggingFaceFolder.open(path)) {
            GgufBytes gguf = GgufConversion.gguf("bert", expected, _ -> true)
                    .tensor("cls.weight", Shape.of(8, 8), new float[64])
                    .tensor("cls.output.bias", Shape.of(2), new float[2]);
            requireSame(outputs(Files.write(folder.resolve("x.gguf"), gguf.bytes())), outputs(path));
        }
    }

    @Test
    void namesTheTensorThatIsMissing() throws IOException {
        requireRefused(
                small("qwen2")
                        .with("qwen2.context_length", 8)
                        .with("qwen2.feed_forward_length", 8)
                        .with("qwen2.block_count", 1)
                        .with("qwen2.attention.layer_norm_rms_epsilon", 1e-5f),
                "no tensor 'model.layers.0.input_layernorm.weight', which a qwen2 of 1 layers needs");
    }
}
