package org.isoloss.source;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.checkpoint.ElementOrder;
import org.isoloss.checkpoint.GgufFile;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;

/**
 * The tensors of a GGUF file, with what the conversion did to them undone. Llama's rows of query and key are ordered for
 * rotations of adjacent pairs where transformers rotates halves; GPT-NeoX's projection has all queries first, then all keys,
 * then all values, where transformers goes head by head; GPT-2's matrices are (out, in); Gemma's norms hold the weight plus
 * one.
 *
 * @see "llama.cpp, convert_hf_to_gguf.py; gguf 0.19.0, tensor_mapping.py"
 */
final class GgufWeights extends HuggingFaceWeights {
    /** For each module of GGUF the trait that names the one of transformers; of several, the first that the family has. */
    private static final Map<String, List<String>> TRAITS = Map.ofEntries(
            Map.entry("token_embd", List.of("tokens")),
            Map.entry("token_embd_norm", List.of("embeddingNorm")),
            Map.entry("token_types", List.of("types")),
            Map.entry("position_embd", List.of("positions")),
            Map.entry("output_norm", List.of("finalNorm")),
            Map.entry("output", List.of("head")),
            Map.entry("attn_qkv", List.of("joint")),
            Map.entry("attn_q", List.of("query")),
            Map.entry("attn_k", List.of("key")),
            Map.entry("attn_v", List.of("value")),
            Map.entry("attn_q_norm", List.of("queryNorm")),
            Map.entry("attn_k_norm", List.of("keyNorm")),
            Map.entry("attn_output", List.of("output")),
            Map.entry("ffn_gate", List.of("gate")),
            Map.entry("ffn_up", List.of("jointGate", "up")),
            Map.entry("ffn_down", List.of("down")),
            Map.entry("post_attention_norm", List.of("onAttention")),
            Map.entry("post_ffw_norm", List.of("onFeedForward")));

    private static final Map<String, String> NORMS_FIRST =
            Map.of("attn_norm", "beforeAttention", "ffn_norm", "beforeFeedForward");
    private static final Map<String, String> NORMS_AFTER =
            Map.of("attn_output_norm", "beforeAttention", "layer_output_norm", "beforeFeedForward");

    private static final Pattern NAME = Pattern.compile("(?:blk\\.(\\d{1,9})\\.)?([a-z_]+)\\.(weight|bias)");

    /** What reads the hidden states of an encoder: its pooler and its classifier. */
    private static final String READERS = "cls(\\.output)?\\.(weight|bias)";

    private final GgufFile file;
    private final HuggingFaceConfig config;
    /** Those asked for, so that what has to be made from stored bytes is made once. */
    private final Map<String, StoredTensor> made = new ConcurrentHashMap<>();

    private GgufWeights(GgufFile file, HuggingFaceConfig config, SequencedMap<String, String> names) {
        super(file, names);
        this.file = file;
        this.config = config;
    }

    static GgufWeights of(GgufFile file, HuggingFaceConfig config) {
        SequencedMap<String, String> names = new LinkedHashMap<>();
        boolean encoder = !config.family().has("head");
        for (String stored : file.names()) {
            if (!stored.equals(GgufMetadata.FREQUENCIES) && !(encoder && stored.matches(READERS))) {
                names.put(name(config.family(), stored), stored);
            }
        }
        return new GgufWeights(file, config, names);
    }

    /** Returns the name of transformers, or the stored one of a tensor that the family does not have. */
    private static String name(HuggingFaceFamily family, String stored) {
        Matcher parts = NAME.matcher(stored);
        if (!parts.matches()) {
            return stored;
        }
        String layer = parts.group(1);
        String module = parts.group(2);
        String norm = (family.text("normsFirst").equals("false") ? NORMS_AFTER : NORMS_FIRST).get(module);
        List<String> traits = norm == null ? TRAITS.getOrDefault(module, List.of()) : List.of(norm);
        for (String trait : traits) {
            if (family.has(trait) && !family.text(trait).contains("%")) {
                boolean bare = trait.equals("head") || !family.has("head");
                return (bare ? "" : family.text("prefix"))
                        + (layer == null ? "" : family.text("layer").formatted(Integer.parseInt(layer)))
                        + family.text(trait)
                        + "."
                        + parts.group(3);
            }
        }
        return stored;
    }

    @Override
    Shape storedShape(String name) {
        return file.shape(storedName(name));
    }

    @Override
    StoredTensor tensor(String name) {
        return made.computeIfAbsent(name, _ -> inOrder(storedName(name)));
    }

    private StoredTensor inOrder(String stored) {
        StoredTensor tensor = file.tensor(stored);
        int size = config.headSize();
        String family = config.family().modelType();
        boolean norm = stored.endsWith("norm.weight");
        if (family.equals("llama") && stored.matches("blk\\.\\d+\\.attn_[qk]\\..*")) {
            return ElementOrder.ofRows(tensor, row -> adjacent(row, size));
        }
        if (config.family().has("joint") && config.family().text("jointOrder").equals("heads")) {
            return stored.contains(".attn_qkv.")
                    ? ElementOrder.ofRows(tensor, row -> together(row, size, config.heads()))
                    : tensor;
        }
        if (config.flag("inOut") && stored.startsWith("blk.") && tensor.shape().rank() == 2) {
            return ElementOrder.transposed(tensor);
        }
        return norm && config.family().text("norm").equals("rms+1") ? ElementOrder.lessOne(tensor) : tensor;
    }

    /** Returns where GGUF has a row of query or key: what is turned together lies in halves here, side by side there. */
    private static long adjacent(long row, int headSize) {
        long within = row % headSize;
        int half = headSize / 2;
        return row - within + 2 * (within % half) + within / half;
    }

    /** Returns where GGUF has a row of the joint projection: here each head has query, key and value, there each part all heads. */
    private static long together(long row, int headSize, int heads) {
        long head = row / (3L * headSize);
        long part = row / headSize % 3;
        return (part * heads + head) * headSize + row % headSize;
    }

    /** What a file of Llama 3 says about its rotations, which the metadata do not. */
    static List<Double> divisors(GgufFile file) {
        return file.names().contains(GgufMetadata.FREQUENCIES)
                ? Arrays.stream(file.tensor(GgufMetadata.FREQUENCIES).toDoubles())
                        .boxed()
                        .toList()
                : List.of();
    }

    @Override
    public void close() {
        made.clear();
        file.close();
    }
}
