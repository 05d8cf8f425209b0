package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.source.Bindings;
import org.isoloss.source.GgufConversion;
import org.isoloss.source.HuggingFaceFolder;
import org.isoloss.source.OnnxModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A tensor that the computation does not use is never passed over in silence: one of a plausible name is added to each valid
 * checkpoint, 1,020 times in all, and the file is refused by that name, or, in ONNX, the tensor is named.
 */
class UnknownTensorTest {
    private static final int TRIALS = 60;
    private static final List<ElementType> TYPES = Arrays.stream(ElementType.values())
            .filter(type -> type.bits() >= Byte.SIZE)
            .toList();

    @TempDir
    Path folder;

    /** Returns a name that no parameter has, made from those that there are as other models make theirs. */
    private static String unknown(SplittableRandom random, List<String> known, int layers) {
        List<String> weights =
                known.stream().filter(name -> name.endsWith(".weight")).toList();
        while (true) {
            String weight = weights.get(random.nextInt(weights.size()));
            String module = weight.substring(0, weight.length() - ".weight".length());
            String parent = module.substring(0, Math.max(0, module.lastIndexOf('.') + 1));
            String letters = random.ints(8, 'a', 'z' + 1)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String name = switch (random.nextInt(14)) {
                case 0 -> module + ".bias";
                case 1 -> parent + "q_norm.weight";
                case 2 -> parent + "extra_layernorm.bias";
                case 3 -> module + (random.nextBoolean() ? ".lora_A.weight" : ".lora_B.default.weight");
                case 4 -> weight.replaceFirst("(?<=\\.)\\d+(?=\\.)", String.valueOf(layers + random.nextInt(3)));
                case 5 ->
                    module
                            + List.of(".weight_scale", ".qweight", ".g_idx", ".scales")
                                    .get(random.nextInt(4));
                case 6 -> "module." + weight;
                case 7 -> parent + "running_mean";
                case 8 -> parent + "mlp.experts." + random.nextInt(4) + ".down_proj.weight";
                case 9 -> module + ".masked_bias";
                case 10 -> parent + "rotary_emb.cos_cached";
                case 11 -> "score.weight";
                case 12 -> parent + letters;
                default -> letters;
            };
            if (!known.contains(name)) {
                return name;
            }
        }
    }

    private static Shape shape(SplittableRandom random) {
        long[] sizes = random.longs(random.nextInt(4), 1, 7).toArray();
        return Shape.of(sizes);
    }

    private static void requireRefused(Path path, String name, long seed) {
        assertThatThrownBy(() -> HuggingFaceFolder.open(path).close())
                .as("seed %d: %s", seed, name)
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("'" + name + "'")
                .message()
                .containsAnyOf(" is not used by a ", "; the biases of that layer are ")
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gptneox-parallel-f32",
                "gptneox-sequential-f16",
                "gptneox-bf16",
                "gpt2-gelu-new",
                "llama-gqa",
                "bert-postln",
                "gemma-geglu",
                "qwen2-biases"
            })
    void isRefusedInAFolder(String model) throws IOException {
        Map<String, StoredModel.Entry> tensors = StoredModel.write(model, folder);
        Path file = folder.resolve("model.safetensors");
        List<String> known = List.copyOf(tensors.keySet());
        Files.write(file, SafetensorsBytes.zeros(tensors));
        HuggingFaceFolder.open(folder).close();
        for (int seed = 0; seed < TRIALS; seed++) {
            var random = new SplittableRandom(seed);
            String name = unknown(random, known, 2);
            ElementType type = TYPES.get(random.nextInt(TYPES.size()));
            var more = new LinkedHashMap<>(tensors);
            more.put(name, new StoredModel.Entry(type, shape(random)));
            Files.write(file, SafetensorsBytes.zeros(more));
            requireRefused(folder, name, seed);
        }
    }

    @Test
    void isRefusedInAnyOfSeveralFiles() throws IOException {
        Map<String, StoredModel.Entry> tensors = StoredModel.write("llama-gqa", folder);
        List<String> known = List.copyOf(tensors.keySet());
        for (int seed = 0; seed < TRIALS; seed++) {
            var random = new SplittableRandom(seed);
            String name = unknown(random, known, 2);
            var parts = List.of(
                    new LinkedHashMap<String, StoredModel.Entry>(), new LinkedHashMap<String, StoredModel.Entry>());
            tensors.forEach((tensor, entry) -> parts.get(random.nextInt(2)).put(tensor, entry));
            parts.get(random.nextInt(2)).put(name, new StoredModel.Entry(ElementType.F32, shape(random)));
            List<String> index = new ArrayList<>();
            for (int part = 0; part < 2; part++) {
                String file = "model-0000%d-of-00002.safetensors".formatted(part + 1);
                Files.write(folder.resolve(file), SafetensorsBytes.zeros(parts.get(part)));
                parts.get(part).keySet().forEach(tensor -> index.add("\"%s\":\"%s\"".formatted(tensor, file)));
            }
            Files.writeString(
                    folder.resolve("model.safetensors.index.json"),
                    "{\"weight_map\":{" + String.join(",", index) + "}}");
            requireRefused(folder, name, seed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "gptneox-parallel-f32, gptneox",
        "gpt2-gelu-new, gpt2",
        "llama-gqa, llama",
        "bert-postln, bert",
        "gemma-geglu, gemma",
        "qwen2-biases, qwen2"
    })
    void isRefusedInGguf(String model, String kind) throws IOException {
        Files.write(folder.resolve("model.safetensors"), SafetensorsBytes.zeros(StoredModel.write(model, folder)));
        Path file = folder.resolve("model.file");
        try (HuggingFaceFolder stored = HuggingFaceFolder.open(folder)) {
            Files.write(file, GgufConversion.gguf(kind, stored, _ -> true).bytes());
            List<String> known;
            try (HuggingFaceFolder opened = HuggingFaceFolder.open(file)) {
                known = opened.weights().names();
            }
            for (int seed = 0; seed < TRIALS; seed++) {
                var random = new SplittableRandom(seed);
                String name = unknown(random, known, 2);
                Shape shape = shape(random);
                GgufBytes gguf = GgufConversion.gguf(kind, stored, _ -> true);
                Files.write(
                        file,
                        gguf.tensor(name, shape, new float[(int) shape.count()]).bytes());
                requireRefused(file, name, seed);
            }
        }
    }

    /** A graph says itself what it computes, so that an initialiser that nothing reads is left aside, by its name. */
    @Test
    void isNamedInOnnx() throws IOException {
        Path file = folder.resolve("model.onnx");
        List<String> known = List.of("layers.0.fc.weight", "layers.1.fc.weight");
        for (int seed = 0; seed < 2 * TRIALS; seed++) {
            var random = new SplittableRandom(seed);
            String name = unknown(random, known, 2);
            Shape shape = shape(random);
            long[] sizes = new long[shape.rank()];
            Arrays.setAll(sizes, shape::size);
            Files.write(
                    file,
                    new OnnxBytes()
                            .opset(17)
                            .floats("x", 2, 3)
                            .weights(known.get(0), new float[12], 3, 4)
                            .weights(known.get(1), new float[8], 4, 2)
                            .weights(name, new float[(int) shape.count()], sizes)
                            .node("MatMul", "first", List.of("x", known.get(0)), "hidden")
                            .node("MatMul", "second", List.of("hidden", known.get(1)), "y")
                            .output("y")
                            .bytes());
            try (OnnxModel opened = OnnxModel.open(file, Bindings.NONE)) {
                assertThat(opened.notes())
                        .as("seed %d", seed)
                        .containsExactly("the initialiser '%s' is left aside: no output depends on it".formatted(name));
            }
        }
    }
}
