package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StoredTransformerTest {
    @TempDir
    Path folder;

    /** Writes a model folder with tensors of zeros, in the types and shapes in which transformers stored them. */
    private Map<String, Shape> write(String name, UnaryOperator<String> rename) throws IOException {
        JsonNode model = JsonMapper.shared()
                .readTree(Resources.path("transformers/" + name + ".json").toFile());
        Files.writeString(folder.resolve("config.json"), model.get("config").toString());
        var shapes = new LinkedHashMap<String, Shape>();
        var writer = new SafetensorsWriter();
        model.get("tensors").forEachEntry((tensor, entry) -> {
            List<Long> sizes = new ArrayList<>();
            entry.get(1).forEach(size -> sizes.add(size.longValue()));
            var shape = new Shape(sizes);
            String renamed = rename.apply(tensor);
            if (!renamed.isEmpty()) {
                shapes.put(tensor, shape);
                ElementType type = ElementType.valueOf(entry.get(0).asString());
                writer.add(renamed, type.isFloat() ? type : ElementType.F32, shape, new double[(int) shape.count()]);
            }
        });
        writer.saveTo(folder.resolve("model.safetensors"));
        return shapes;
    }

    private static boolean isBuffer(String name) {
        return name.endsWith(".attention.bias") || name.endsWith("masked_bias") || name.endsWith("inv_freq");
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
    void namesEveryParameterAndNoBuffer(String name) throws IOException {
        Map<String, Shape> stored = write(name, UnaryOperator.identity());
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            List<String> expected = stored.keySet().stream()
                    .filter(tensor -> !isBuffer(tensor) && !tensor.startsWith("pooler."))
                    .toList();
            assertThat(model.parameters()).containsExactlyInAnyOrderElementsOf(expected);
            for (String parameter : expected) {
                assertThat(model.tensor(parameter).shape()).isEqualTo(stored.get(parameter));
            }
        }
    }

    /** As transformers since version 5: what is stored counts, unless the older behaviour is asked for. */
    @Test
    void anotherHeadThanTheTiedEmbeddingIsUsed() throws IOException {
        write("gpt2-gelu-new", UnaryOperator.identity());
        Path file = folder.resolve("model.safetensors");
        addHead(file, 0);
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.config().tied()).as("the same head").isTrue();
            assertThat(model.notes()).isEmpty();
        }
        addHead(file, 1);
        String problem = file + ": the configuration ties 'lm_head.weight' to 'transformer.wte.weight', but both are"
                + " stored and differ: ";
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.config().tied()).isFalse();
            assertThat(model.parameters()).contains("lm_head.weight");
            assertThat(model.notes())
                    .containsExactly(problem + "the stored head makes the logits, as in transformers since version 5");
        }
        try (StoredTransformer model = StoredTransformer.open(folder, Tying.AS_CONFIGURED)) {
            assertThat(model.config().tied()).isTrue();
            assertThat(model.parameters()).doesNotContain("lm_head.weight");
            assertThat(model.notes())
                    .containsExactly(problem + "the embedding makes the logits, as in transformers before version 5");
        }
    }

    /** Writes the file again with a head whose first weight is given, the others 0 as the embedding's are. */
    private static void addHead(Path file, double first) throws IOException {
        var writer = new SafetensorsWriter();
        try (SafetensorsFile old = SafetensorsFile.open(file)) {
            for (String name : old.names()) {
                StoredTensor tensor = old.tensor(name);
                if (!name.equals("lm_head.weight")) {
                    writer.add(
                            name,
                            tensor.type(),
                            tensor.shape(),
                            new double[(int) tensor.shape().count()]);
                }
            }
            StoredTensor embedding = old.tensor("transformer.wte.weight");
            double[] head = new double[(int) embedding.shape().count()];
            head[0] = first;
            writer.add("lm_head.weight", embedding.type(), embedding.shape(), head);
        }
        writer.saveTo(file);
    }

    @Test
    void acceptsTheSpellingsOfPublishedFiles() throws IOException {
        write("gpt2-gelu-new", name -> name.replace("transformer.", ""));
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.storedName("transformer.h.0.attn.c_attn.bias")).isEqualTo("h.0.attn.c_attn.bias");
            assertThatThrownBy(() -> model.storedName("h.0"))
                    .hasMessageStartingWith(folder.resolve("model.safetensors") + ": no tensor 'h.0'; it holds 28: ");
        }
        write("bert-postln", name -> "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma"));
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.storedName("embeddings.LayerNorm.weight")).isEqualTo("bert.embeddings.LayerNorm.gamma");
        }
    }

    @Test
    void refusesWhatDoesNotFitTheConfiguration() throws IOException {
        Path file = folder.resolve("model.safetensors");
        write("llama-gqa", name -> name.equals("model.layers.1.mlp.up_proj.weight") ? "" : name);
        assertThatThrownBy(() -> StoredTransformer.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": no tensor 'model.layers.1.mlp.up_proj.weight', which a llama of 2 layers needs");
        write("llama-gqa", UnaryOperator.identity());
        Path config = folder.resolve("config.json");
        String text = Files.readString(config);
        Files.writeString(config, text.replace("\"num_key_value_heads\":2", "\"num_key_value_heads\":4"));
        assertThatThrownBy(() -> StoredTransformer.open(folder))
                .hasMessage(file + ": tensor 'model.layers.0.self_attn.k_proj.weight' has shape (16, 32),"
                        + " but the configuration asks for (32, 32)");
        Files.writeString(config, text.replace("\"tie_word_embeddings\":false", "\"tie_word_embeddings\":true"));
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.parameters()).as("tied").doesNotContain("lm_head.weight");
        }
        write("gpt2-gelu-new", UnaryOperator.identity());
        Files.writeString(
                config,
                Files.readString(config).replace("\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false"));
        assertThatThrownBy(() -> StoredTransformer.open(folder))
                .hasMessage(file + ": no tensor 'lm_head.weight', which a gpt2 of 2 layers needs");
        assertThatThrownBy(() -> StoredTransformer.open(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file
                        + ": is no model, expected a folder with config.json and model.safetensors, a GGUF file or an"
                        + " ONNX file");
    }
}
