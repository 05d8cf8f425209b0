package org.isoloss.source;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.ConfigKeys;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * A kind of transformer, as {@code families.yaml} describes it: what its tensors and the keys of its configuration are called,
 * and how it differs from others.
 *
 * @see "transformers 5.24.0, the configuration and modeling files of these models"
 */
final class HuggingFaceFamily {
    /** What families have in common, itself none. */
    private static final String ANCESTOR = "transformer";

    private static final Map<String, HuggingFaceFamily> ALL = read();

    private final String modelType;
    private final Map<String, String> traits;

    private HuggingFaceFamily(String modelType, Map<String, String> traits) {
        this.modelType = modelType;
        this.traits = traits;
    }

    private static Map<String, HuggingFaceFamily> read() {
        Map<String, HuggingFaceFamily> families = new LinkedHashMap<>();
        try (InputStream table = Objects.requireNonNull(HuggingFaceFamily.class.getResourceAsStream("families.yaml"))) {
            for (Map.Entry<String, JsonNode> entry :
                    new YAMLMapper().readTree(table).properties()) {
                Map<String, String> traits = new LinkedHashMap<>();
                JsonNode like = entry.getValue().get("like");
                if (like != null) {
                    traits.putAll(Objects.requireNonNull(families.get(like.asString())).traits);
                }
                entry.getValue().forEachEntry((trait, value) -> traits.put(trait, value.asString()));
                families.put(entry.getKey(), new HuggingFaceFamily(entry.getKey(), traits));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return families;
    }

    /** Returns a family that is known to be there. */
    static HuggingFaceFamily named(String modelType) {
        return Objects.requireNonNull(ALL.get(modelType));
    }

    /** Returns the family that a configuration names. */
    static HuggingFaceFamily of(ConfigKeys keys) {
        String known =
                ALL.keySet().stream().filter(name -> !name.equals(ANCESTOR)).collect(Collectors.joining(", "));
        if (!keys.isSet("model_type")) {
            throw keys.wrong("has no model_type, expected one of " + known);
        }
        String modelType = keys.text("model_type", "");
        HuggingFaceFamily family = ALL.get(modelType);
        if (family == null || modelType.equals(ANCESTOR)) {
            throw keys.wrong("model_type %s is not known, expected one of %s".formatted(quoted(modelType), known));
        }
        return family;
    }

    String modelType() {
        return modelType;
    }

    /** Tells whether there is a trait that is not empty. */
    boolean has(String trait) {
        return !traits.getOrDefault(trait, "").isEmpty();
    }

    /** Returns a trait. */
    String text(String trait) {
        return Objects.requireNonNull(traits.get(trait), () -> "family %s has no trait %s".formatted(modelType, trait));
    }

    /** Returns the words of a trait, none where it has none. */
    List<String> words(String trait) {
        return Arrays.stream(traits.getOrDefault(trait, "").split(" "))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** Returns the key of the configuration that a trait is read from; empty where it is a plain text. */
    String keyOf(String trait) {
        String text = traits.getOrDefault(trait, "");
        return text.contains("|") ? text.substring(0, text.indexOf('|')) : "";
    }
}
