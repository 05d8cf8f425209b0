package org.isoloss.source;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.GgufFile;
import org.isoloss.checkpoint.Shape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the metadata of a GGUF file say, as the configuration that transformers would have. Activations are not written there:
 * they are the ones of the family. Which biases there are, the tensors tell.
 *
 * @see "gguf 0.19.0, constants.py: Keys; llama.cpp, llama-model.cpp: load_hparams"
 */
final class GgufMetadata {
    static final String FREQUENCIES = "rope_freqs.weight";

    private static final Map<String, String> FAMILIES = Map.ofEntries(
            Map.entry("gptneox", "gpt_neox"),
            Map.entry("gpt2", "gpt2"),
            Map.entry("llama", "llama"),
            Map.entry("qwen2", "qwen2"),
            Map.entry("qwen3", "qwen3"),
            Map.entry("phi3", "phi3"),
            Map.entry("olmo2", "olmo2"),
            Map.entry("stablelm", "stablelm"),
            Map.entry("gemma", "gemma"),
            Map.entry("gemma2", "gemma2"),
            Map.entry("gemma3", "gemma3_text"),
            Map.entry("bert", "bert"));

    /** Numbers that change the output in llama.cpp, with the value beside 0 that does nothing. */
    private static final Map<String, Double> NEUTRAL = Map.ofEntries(
            Map.entry("attention.clamp_kqv", 0.0),
            Map.entry("attention.max_alibi_bias", 0.0),
            Map.entry("attention.output_scale", 1.0),
            Map.entry("attention.scale", 0.0),
            Map.entry("attention.shared_kv_layers", 0.0),
            Map.entry("attention.temperature_scale", 0.0),
            Map.entry("attn_logit_softcapping", 0.0),
            Map.entry("embedding_scale", 1.0),
            Map.entry("expert_count", 0.0),
            Map.entry("final_logit_softcapping", 0.0),
            Map.entry("logit_scale", 1.0),
            Map.entry("residual_scale", 1.0),
            Map.entry("rope.scaling.attn_factor", 1.0));

    /** What llama.cpp tells the largest of these by, whose scores are scaled by the width of a head of even shares. */
    private static final Map<String, Integer> LAYERS_OF_LARGEST = Map.of("gemma2", 46, "gemma3_text", 62);

    private final GgufFile file;
    private final String prefix;
    private final HuggingFaceFamily family;
    private final Set<String> names;
    private final ObjectNode json = JsonMapper.shared().createObjectNode();

    private GgufMetadata(GgufFile file, String architecture, String modelType) {
        this.file = file;
        this.prefix = architecture + ".";
        this.family = HuggingFaceFamily.named(modelType);
        this.names = new HashSet<>(file.names());
        json.put("model_type", modelType);
    }

    /** Returns the configuration; its epsilon is the float32 that the file holds. */
    static ConfigKeys read(GgufFile file) {
        String named =
                file.value("general.architecture").map(GgufMetadata::shown).orElse("");
        String modelType = FAMILIES.get(named);
        if (modelType == null) {
            throw new CheckpointFormatException(
                    file.path(),
                    "holds a model of the architecture %s, expected one of %s; its tensors can be read one by one"
                            .formatted(
                                    quoted(named),
                                    FAMILIES.keySet().stream().sorted().collect(Collectors.joining(", "))));
        }
        var metadata = new GgufMetadata(file, named, modelType);
        metadata.read();
        return ConfigKeys.of(file.path(), metadata.json.toString());
    }

    private void read() {
        readScaling();
        new TreeMap<>(NEUTRAL).forEach(this::requireNeutral);
        boolean causal = Boolean.parseBoolean(family.text("causal"));
        if (flag("attention.causal", causal) != causal) {
            throw notComputed("attention.causal", String.valueOf(causal));
        }
        readWindows();
        int width = size("embedding_length");
        int heads = size("attention.head_count");
        readHeads(width, heads);
        put("width", width);
        put("heads", heads);
        put("vocabulary", rows("token_embd.weight"));
        put("longest", size("context_length"));
        if (family.has("types")) {
            put("typeCount", rows("token_types.weight"));
        }
        put("inner", size("feed_forward_length"));
        int layers = size("block_count");
        put("layers", layers);
        json.put(key("epsilon"), number(epsilon(), Optional.empty()));
        if (!family.text("rotary").equals("none")) {
            json.put(key("base"), number("rope.freq_base", Optional.of(10_000.0)));
        }
        if (family.has("localBase")) {
            json.put(key("localBase"), number("rope.freq_base_swa", Optional.of(10_000.0)));
        }
        if (layers > names.size()) { // before anything is made for every layer that is claimed
            throw wrong(
                    "holds %d tensors, too few for the %d layers of the configuration".formatted(names.size(), layers));
        }
        if (family.has("head")) {
            json.put(key("tied"), !names.contains("output.weight"));
        }
        put("queryKeyValueBias", hasBias(family.has("joint") ? "attn_qkv" : "attn_q"));
        put("feedForwardBias", hasBias("ffn_up"));
        if (family.text("parallelNorm").equals("shared")) {
            put("parallel", !names.contains("blk.0.ffn_norm.weight"));
        } else {
            put("parallel", flag("use_parallel_residual", true));
        }
        if (family.has("scoreScale") && !family.keyOf("scoreScale").isEmpty()) {
            boolean largest = layers == LAYERS_OF_LARGEST.getOrDefault(family.modelType(), 0);
            put("scoreScale", largest ? width / heads : size("attention.key_length", width / heads));
        }
    }

    private String epsilon() {
        return family.text("norm").equals("layer")
                ? "attention.layer_norm_epsilon"
                : "attention.layer_norm_rms_epsilon";
    }

    private void readHeads(int width, int heads) {
        boolean own = !family.keyOf("headSize").isEmpty();
        if (!own && width % heads != 0) {
            throw wrong("%d heads do not divide the embedding length %d".formatted(heads, width));
        }
        int size = size("attention.key_length", width / heads);
        if (size("attention.value_length", size) != size) {
            throw wrong("keys and values of different lengths are not computed here");
        }
        if (own) {
            put("headSize", size);
        } else if (size != width / heads) {
            throw notComputed("attention.key_length", String.valueOf(width / heads));
        }
        int shared = size("attention.head_count_kv", heads);
        if (!key("keyValueHeads").isEmpty()) {
            put("keyValueHeads", shared);
        } else if (shared != heads) {
            throw notComputed("attention.head_count_kv", String.valueOf(heads));
        }
        if (family.text("rotary").equals("none")) {
            return;
        }
        int turned = size("rope.dimension_count", size);
        if (family.has("rotaryFraction")) { // a little more where the product would fall below the whole number
            json.put(key("rotaryFraction"), turned == size ? 1 : Math.nextUp((double) turned / size));
        } else if (turned != size) {
            throw wrong("%srope.dimension_count is %d, expected the head size %d".formatted(prefix, turned, size));
        }
    }

    private void readWindows() {
        double window = anyNumber("attention.sliding_window", 0);
        boolean known =
                !family.keyOf("window").isEmpty() && !family.text("windows").equals("switched");
        if (known && file.value(prefix + "attention.sliding_window").isPresent() && window != 0) {
            put("window", size("attention.sliding_window"));
        } else if (window != 0 && !(window >= size("context_length"))) {
            throw notComputed("attention.sliding_window", "0, or at least the context length");
        }
        String pattern = "attention.sliding_window_pattern";
        if (file.value(prefix + pattern).isPresent()) {
            if (family.keyOf("pattern").isEmpty()) {
                throw notComputed(pattern, "none");
            }
            put("pattern", size(pattern));
        }
    }

    /** A factor counts in llama.cpp even where the type of scaling is left out, but not where the type is "none". */
    private void readScaling() {
        Optional<String> type = file.value(prefix + "rope.scaling.type").map(GgufMetadata::shown);
        double factor = type.orElse("linear").equals("linear") ? anyNumber("rope.scaling.factor", 1) : 1;
        boolean known =
                type.isEmpty() || type.get().equals("none") || type.get().equals("linear");
        if (!known || number("rope.scale_linear", Optional.of(1.0)) != 1 || Double.isNaN(factor)) {
            throw wrong(
                    "scaled rotary positions of this kind are not computed here, expected %srope.scaling.type none or linear"
                            .formatted(prefix));
        }
        if (factor != 0 && factor != 1) {
            json.putObject("rope_scaling").put("rope_type", "linear").put("factor", factor);
        }
    }

    /** Returns the key of the configuration that holds a trait; empty where it is fixed. */
    private String key(String trait) {
        String text = family.text(trait);
        String key = text.split("[|,]", -1)[0];
        return text.contains("|") || !HuggingFaceConfig.isFixed(key) ? key : "";
    }

    private void put(String trait, int number) {
        json.put(key(trait), number);
    }

    private void put(String trait, boolean holds) {
        if (!key(trait).isEmpty()) {
            json.put(key(trait), holds);
        }
    }

    private void requireNeutral(String key, double neutral) {
        String trait = key.equals("attn_logit_softcapping")
                ? "scoreCap"
                : key.equals("final_logit_softcapping") ? "logitCap" : "";
        double number = anyNumber(key, neutral);
        if (!trait.isEmpty() && !family.keyOf(trait).isEmpty()) {
            if (file.value(prefix + key).isPresent()) {
                json.put(key(trait), number == 0 ? null : (Double) number);
            }
        } else if (number != 0 && number != neutral) {
            throw notComputed(key, neutral == 0 ? "0" : "1");
        }
    }

    private CheckpointFormatException notComputed(String key, String expected) {
        return wrong("%s%s is %s, which is not computed here, expected %s"
                .formatted(
                        prefix,
                        key,
                        file.value(prefix + key).map(GgufMetadata::shown).orElse("left out"),
                        expected));
    }

    private double anyNumber(String key, double usual) {
        return file.value(prefix + key).orElse(usual) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private boolean hasBias(String module) {
        return names.contains("blk.0." + module + ".bias");
    }

    private int rows(String name) {
        Shape shape = file.shape(name);
        if (shape.rank() != 2 || shape.size(0) > Integer.MAX_VALUE) {
            throw wrong("tensor %s has shape %s, expected (rows, columns)".formatted(quoted(name), shape));
        }
        return (int) shape.size(0);
    }

    private int size(String key) {
        Object value = file.value(prefix + key)
                .orElseThrow(() -> wrong("has no %s%s, expected a whole number from 1".formatted(prefix, key)));
        if (!(value instanceof Long size) || size < 1 || size > Integer.MAX_VALUE) {
            throw wrong("%s%s is %s, expected a whole number from 1".formatted(prefix, key, shown(value)));
        }
        return size.intValue();
    }

    private int size(String key, int usual) {
        return file.value(prefix + key).isPresent() ? size(key) : usual;
    }

    private double number(String key, Optional<Double> usual) {
        Object value = file.value(prefix + key)
                .or(() -> usual)
                .orElseThrow(() -> wrong("has no %s%s, expected a number".formatted(prefix, key)));
        return switch (value) {
            case Float number -> number;
            case Double number -> number;
            default -> throw wrong("%s%s is %s, expected a number".formatted(prefix, key, shown(value)));
        };
    }

    private boolean flag(String key, boolean usual) {
        Object value = file.value(prefix + key).orElse(usual);
        if (!(value instanceof Boolean flag)) {
            throw wrong("%s%s is %s, expected true or false".formatted(prefix, key, shown(value)));
        }
        return flag;
    }

    private static String shown(Object value) {
        return GgufFile.shown(value).orElse("an array");
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file.path(), problem);
    }
}
