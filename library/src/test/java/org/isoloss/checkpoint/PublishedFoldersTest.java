package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.isoloss.source.HuggingFaceFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublishedFoldersTest {
    @TempDir
    Path folder;

    /** Writes a model folder with tensors of zeros, in the types and shapes in which transformers stored them. */
    private Map<String, Shape> write(String name, UnaryOperator<String> rename) throws IOException {
        return write(name, rename, Map.of());
    }

    /** Writes more tensors too. */
    private Map<String, Shape> write(String name, UnaryOperator<String> rename, Map<String, Shape> more)
            throws IOException {
        var shapes = new LinkedHashMap<String, Shape>();
        var renamed = new LinkedHashMap<String, StoredModel.Entry>();
        StoredModel.write(name, folder).forEach((tensor, entry) -> {
            if (!rename.apply(tensor).isEmpty()) {
                shapes.put(tensor, entry.shape());
                renamed.put(rename.apply(tensor), entry);
            }
        });
        more.forEach((tensor, shape) -> renamed.put(
                tensor, new StoredModel.Entry(tensor.endsWith("_ids") ? ElementType.I64 : ElementType.F32, shape)));
        Files.write(folder.resolve("model.safetensors"), SafetensorsBytes.zeros(renamed));
        return shapes;
    }

    private void requireRefused(String problem) {
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(folder + "/" + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt2-gelu-new | transformer.h.1.attn.bias | 1,1,32,32",
                "gpt2-gelu-new | h.0.attn.bias | 1,1,8,8",
                "gpt2-gelu-new | transformer.h.0.attn.masked_bias | 1",
                "gptneox-bf16 | gpt_neox.layers.1.attention.bias | 1,1,64,64",
                "gptneox-bf16 | gpt_neox.layers.1.attention.masked_bias | 1",
                "gptneox-bf16 | gpt_neox.layers.0.attention.rotary_emb.inv_freq | 3",
                "gptneox-bf16 | rotary_emb.inv_freq | 3",
                "llama-gqa | model.layers.0.self_attn.rotary_emb.inv_freq | 4",
                "llama-gqa | model.rotary_emb.inv_freq | 4",
                "bert-postln | embeddings.position_ids | 1,64",
                "bert-postln | bert.embeddings.token_type_ids | 1,64",
                "bert-postln | bert.pooler.dense.bias | 32",
                "bert-postln | cls.predictions.bias | 96",
                "bert-postln | cls.predictions.decoder.weight | 96,32",
                "bert-postln | cls.predictions.transform.dense.weight | 32,32",
                "bert-postln | cls.predictions.transform.LayerNorm.gamma | 32",
                "bert-postln | cls.seq_relationship.weight | 2,32",
                "bert-postln | classifier.weight | 3,32",
                "bert-postln | qa_outputs.bias | 2"
            })
    void leavesBuffersAside(String model, String name, String sizes) throws IOException {
        write(model, UnaryOperator.identity(), Map.of(name, shape(sizes)));
        try (HuggingFaceFolder stored = HuggingFaceFolder.open(folder)) {
            assertThat(stored.weights().names()).contains(name);
            assertThat(parameters(stored)).isNotEmpty().doesNotContain(name);
        }
    }

    private static Shape shape(String sizes) {
        return Shape.of(
                Arrays.stream(sizes.split(",")).mapToLong(Long::parseLong).toArray());
    }

    /** What has the name of a buffer but not its form, its place or its architecture is none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt2-gelu-new | transformer.h.1.attn.bias | 24 | a bias of 'attn': none is added there; take it out of the file if the model does without it",
                "gpt2-gelu-new | transformer.h.2.attn.masked_bias | 1 | a part of layer 2, beyond the 2 of the configuration: set the number of layers right, or take it out of the file",
                "gpt2-gelu-new | score.weight | 2,24 | a head, or a part of one, that is not computed here: take it out of the file if the model does without it",
                "gptneox-bf16 | gpt_neox.rotary_emb.inv_freq | 2 | frequencies of rotary positions: only those of the configuration are computed here",
                "llama-gqa | model.layers.0.self_attn.bias | 1,1,8,8 | a bias of 'self_attn': none is added there; take it out of the file if the model does without it",
                "llama-gqa | model.layers.0.self_attn.q_proj.bias | 32 | a bias of 'q_proj': set attention_bias to true in the configuration if the model adds it, otherwise take it out of the file",
                "llama-gqa | model.layers.1.mlp.up_proj.bias | 64 | a bias of 'up_proj': set mlp_bias to true in the configuration if the model adds it, otherwise take it out of the file",
                "llama-gqa | model.layers.0.self_attn.q_norm.weight | 8 | a query-key norm: no attention with such norms is computed here",
                "qwen2-biases | model.layers.0.self_attn.o_proj.bias | 32 | a bias of 'o_proj': none is added there; take it out of the file if the model does without it",
                "bert-postln | encoder.layer.0.running_mean | 32 | a running statistic of a batch norm: no batch norm is computed here",
                "bert-postln | classifier.dense.weight | 32,32 | a head, or a part of one, that is not computed here: take it out of the file if the model does without it",
                "llama-gqa | something | 2,3 | nothing that is known here, of shape (2, 3): take it out of the file if the model does without it"
            })
    void refusesWhatIsNoBuffer(String model, String name, String sizes, String looks) throws IOException {
        write(model, UnaryOperator.identity(), Map.of(name, shape(sizes)));
        String kind = model.startsWith("gptneox") ? "gpt_neox" : model.substring(0, model.indexOf('-'));
        requireRefused("model.safetensors: tensor '%s' is not used by a %s of 2 layers; it looks like %s"
                .formatted(name, kind, looks));
    }

    @Test
    void countsTheOthers() throws IOException {
        write("llama-gqa", UnaryOperator.identity(), new TreeMap<>(Map.of("x", Shape.of(1), "y", Shape.of(2))));
        requireRefused(
                "model.safetensors: tensor 'x' is not used by a llama of 2 layers, nor are other tensors (2 in all);"
                        + " it looks like nothing that is known here, of shape (1): take it out of the file if the model does"
                        + " without it");
    }

    @Test
    void saysWhyATensorIsMissing() throws IOException {
        String strip = ", as DataParallel (module.) and torch.compile (_orig_mod.) name it: strip that with python -c"
                + " \"import re, sys; from safetensors.torch import load_file, save_file;"
                + " save_file({re.sub(r'(?<![^.])(module|_orig_mod|_fsdp_wrapped_module)[.]', '', k): v"
                + " for k, v in load_file(sys.argv[1]).items()}, sys.argv[2], {'format': 'pt'})\""
                + " old.safetensors model.safetensors";
        String start =
                "model.safetensors: no tensor 'model.embed_tokens.weight', which a llama of 2 layers needs; it has ";
        for (String wrapper : List.of("module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module.")) {
            write("llama-gqa", name -> wrapper + name);
            requireRefused(start + "'" + wrapper + "model.embed_tokens.weight'" + strip);
        }
        write("llama-gqa", name -> name.replace("layers.0.", "layers.0._orig_mod."));
        requireRefused(
                "model.safetensors: no tensor 'model.layers.0.input_layernorm.weight', which a llama of 2 layers needs;"
                        + " it has 'model.layers.0._orig_mod.input_layernorm.weight'" + strip);
        write("llama-gqa", name -> "net." + name);
        requireRefused(start + "'net.model.embed_tokens.weight': take the prefix 'net.' off all names");
        write("llama-gqa", name -> name.replace("q_proj.weight", "q_proj.qweight"));
        requireRefused(
                "model.safetensors: no tensor 'model.layers.0.self_attn.q_proj.weight', which a llama of 2 layers"
                        + " needs; it has 'model.layers.0.self_attn.q_proj.qweight', which looks like a scale or code of a quantised"
                        + " weight: save the model with plain weights, as F32, F16 or BF16");
        write("llama-gqa", UnaryOperator.identity(), Map.of("model.layers.0.self_attn.q_proj.bias", Shape.of(32)));
        Path config = folder.resolve("config.json");
        Files.writeString(
                config, Files.readString(config).replace("\"attention_bias\":false", "\"attention_bias\":true"));
        requireRefused(
                "model.safetensors: no tensor 'model.layers.0.self_attn.k_proj.bias', which a llama of 2 layers needs;"
                        + " the biases of that layer are 'model.layers.0.self_attn.q_proj.bias'");
    }

    @Test
    void refusesAnAdapter() throws IOException {
        write("llama-gqa", UnaryOperator.identity());
        Files.writeString(folder.resolve("adapter_config.json"), "{}");
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(
                        folder + ": holds adapter_config.json, an adapter (LoRA); merge it into its base model first:"
                                + " PeftModel's merge_and_unload(), then save_pretrained()");
    }

    @Test
    void namesALinkThatLeadsNowhere() throws IOException {
        write("llama-gqa", UnaryOperator.identity());
        String gone =
                " is a link to '../blobs/gone', which is not there; download it again or copy the file in place of the link";
        for (String name : List.of("model.safetensors", "config.json")) {
            Path file = folder.resolve(name);
            Path kept = Files.move(file, folder.resolve("kept"));
            Files.createSymbolicLink(file, Path.of("../blobs/gone"));
            requireRefused(name + ":" + gone);
            Files.move(kept, file, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.writeString(folder.resolve("model.safetensors"), "../../blobs/gone");
        requireRefused("model.safetensors: not a safetensors file: its first 8 bytes say that the header has"
                + " 7809856579203706414 bytes, but at most 100000000 are allowed; it looks like the text of a link to"
                + " '../../blobs/gone', as copying without links leaves; copy the file that it names");
        Files.delete(folder.resolve("model.safetensors"));
        Files.createSymbolicLink(folder.resolve("other.gguf"), Path.of("../blobs/gone"));
        requireRefused("other.gguf:" + gone);
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder.resolve("other.gguf")))
                .isInstanceOf(IOException.class)
                .hasMessage(folder.resolve("other.gguf") + ":" + gone);
        Files.writeString(
                folder.resolve("model.safetensors.index.json"), "{\"weight_map\":{\"a\":\"one.safetensors\"}}");
        Files.createSymbolicLink(folder.resolve("one.safetensors"), Path.of("../blobs/gone"));
        requireRefused("one.safetensors:" + gone);
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
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            List<String> expected = stored.keySet().stream()
                    .filter(tensor -> !isBuffer(tensor) && !tensor.startsWith("pooler."))
                    .toList();
            assertThat(parameters(model)).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static Set<String> parameters(HuggingFaceFolder folder) {
        return folder.model(1, 1).parameters().keySet();
    }

    /** As transformers since version 5: what is stored counts, unless the older behaviour is asked for. */
    @Test
    void anotherHeadThanTheTiedEmbeddingIsUsed() throws IOException {
        write("gpt2-gelu-new", UnaryOperator.identity());
        Path file = folder.resolve("model.safetensors");
        addHead(file, 0);
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            assertThat(parameters(model)).as("the same head").doesNotContain("lm_head.weight");
            assertThat(model.notes()).isEmpty();
        }
        addHead(file, 1);
        String problem = file + ": the configuration ties 'lm_head.weight' to 'transformer.wte.weight', but both are"
                + " stored and differ: ";
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            assertThat(parameters(model)).contains("lm_head.weight");
            assertThat(model.notes())
                    .containsExactly(problem + "the stored head makes the logits, as in transformers since version 5");
        }
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder, Tying.AS_CONFIGURED)) {
            assertThat(parameters(model)).doesNotContain("lm_head.weight");
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
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            assertThat(parameters(model)).contains("h.0.attn.c_attn.bias").hasSize(28);
        }
        write("bert-postln", name -> "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma"));
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            assertThat(parameters(model)).contains("bert.embeddings.LayerNorm.gamma");
        }
    }

    @Test
    void refusesWhatDoesNotFitTheConfiguration() throws IOException {
        Path file = folder.resolve("model.safetensors");
        write("llama-gqa", name -> name.equals("model.layers.1.mlp.up_proj.weight") ? "" : name);
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": no tensor 'model.layers.1.mlp.up_proj.weight', which a llama of 2 layers needs");
        write("llama-gqa", UnaryOperator.identity());
        Path config = folder.resolve("config.json");
        String text = Files.readString(config);
        Files.writeString(config, text.replace("\"num_key_value_heads\":2", "\"num_key_value_heads\":4"));
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .hasMessage(file + ": tensor 'model.layers.0.self_attn.k_proj.weight' has shape (16, 32),"
                        + " but the configuration asks for (32, 32)");
        Files.writeString(config, text.replace("\"tie_word_embeddings\":false", "\"tie_word_embeddings\":true"));
        try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
            assertThat(parameters(model)).as("tied").doesNotContain("lm_head.weight");
        }
        write("gpt2-gelu-new", UnaryOperator.identity());
        Files.writeString(
                config,
                Files.readString(config).replace("\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false"));
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .hasMessage(file + ": no tensor 'lm_head.weight', which a gpt2 of 2 layers needs");
    }
}
