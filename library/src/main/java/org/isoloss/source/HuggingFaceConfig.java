package org.isoloss.source;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.UncomputedKeys;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code config.json} says, read by the traits of its family: every key that changes numbers in transformers 5.24.0 is
 * read, or refused where it asks for something that is not computed.
 */
final class HuggingFaceConfig {
    /** Of layers, and of coordinates of a head: more than any model has. */
    private static final int MOST = 1 << 16;

    private static final Set<String> WORDS = Set.of("width", "heads", "each", "4x", "none");

    private final HuggingFaceFamily family;
    private final ConfigKeys keys;
    private final int width;
    private final int heads;
    private final int keyValueHeads;
    private final int headSize;
    private final int layers;
    private final int longest;
    private final double epsilon;
    private final Activation activation;
    private final int[] windows;
    private final List<Double> divisors;
    private final List<@Nullable HuggingFaceRotary> rotary;

    HuggingFaceConfig(ConfigKeys keys) {
        this(keys, List.of());
    }

    /**
     * Reads a configuration.
     *
     * @param keys of a file
     * @param divisors by which the rotation of each pair is slower than the keys say; none for all by 1
     */
    HuggingFaceConfig(ConfigKeys keys, List<Double> divisors) {
        this.keys = keys;
        this.divisors = divisors;
        this.family = HuggingFaceFamily.of(keys);
        requireComputed();
        this.width = size("width");
        this.heads = size("heads");
        this.headSize = size("headSize");
        this.layers = size("layers");
        if (layers > MOST || headSize > MOST) { // before anything is made for every one that is claimed
            throw keys.wrong("asks for %d layers with heads of size %d, expected at most %d of either"
                    .formatted(layers, headSize, MOST));
        }
        this.longest = size("longest");
        this.keyValueHeads = size("keyValueHeads");
        this.epsilon = number("epsilon").orElseThrow();
        this.activation = readActivation();
        if (heads % keyValueHeads != 0) {
            throw keys.wrong("%d heads cannot share %d key and value heads evenly; the second must divide the first"
                    .formatted(heads, keyValueHeads));
        }
        if ((long) heads * headSize * 3 > Integer.MAX_VALUE) {
            throw keys.wrong("%d heads of size %d are more than a matrix holds".formatted(heads, headSize));
        }
        if (epsilon <= 0) {
            throw keys.wrong("epsilon is %s, expected a finite number above 0".formatted(epsilon));
        }
        HuggingFaceWindows seen = HuggingFaceWindows.of(this);
        this.windows = seen.byLayer();
        this.rotary = HuggingFaceRotary.byLayer(this, seen);
    }

    private void requireComputed() {
        for (String only : family.words("only")) {
            String key = only.substring(0, only.indexOf('='));
            List<String> allowed =
                    Arrays.asList(only.substring(key.length() + 1).split(",", -1));
            if (keys.isThere(key) && !allowed.contains(keys.plain(key))) {
                throw keys.notComputed(key, String.join(" or ", allowed));
            }
        }
        for (String key : List.of("quantization_config", "per_layer_config")) {
            if (keys.isSet(key)) {
                throw keys.notComputed(key, "none");
            }
        }
    }

    private Activation readActivation() {
        String[] parts = family.text("activation").split("\\|", -1);
        String name = keys.text(parts[0], parts[1]);
        if (name.equals("gelu") && family.has("geluIsTanh") && flag("geluIsTanh")) {
            return Activation.GELU_TANH; // published files say gelu and were trained with the tanh form
        }
        try {
            return Activation.named(name);
        } catch (IllegalArgumentException e) {
            throw keys.wrong("%s: %s".formatted(parts[0], e.getMessage()), e);
        }
    }

    /** Returns a whole number that is a trait; 0 for none. */
    int size(String trait) {
        String[] parts = family.text(trait).split("\\|", -1);
        if (parts.length == 1 && isWord(parts[0])) {
            return word(parts[0]);
        }
        Optional<String> there = there(parts[0]);
        if (there.isEmpty()) {
            String[] names = parts[0].split(",", -1);
            return parts.length == 1 ? keys.size(names[names.length - 1]) : word(parts[1]);
        }
        return parts.length == 3 && !keys.isSet(there.get()) ? word(parts[2]) : keys.size(there.get());
    }

    /** Returns a number that is a trait; nothing for none. */
    OptionalDouble number(String trait) {
        String[] parts = family.text(trait).split("\\|", -1);
        String given = parts.length == 1 ? parts[0] : parts[1];
        if (parts.length > 1 && keys.isThere(parts[0])) {
            if (parts.length == 2 || keys.isSet(parts[0])) {
                return OptionalDouble.of(keys.number(parts[0], 0));
            }
            given = parts[2];
        }
        return given.equals("none") ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(given));
    }

    /** Returns a number above 0 that is a trait; nothing for none. */
    OptionalDouble positive(String trait) {
        OptionalDouble number = number(trait);
        if (number.isPresent() && number.getAsDouble() <= 0) {
            throw keys.wrong(family.keyOf(trait), "a number above 0");
        }
        return number;
    }

    /** Returns whether a trait holds. */
    boolean flag(String trait) {
        String[] parts = family.text(trait).split("\\|", -1);
        return parts.length == 1 ? Boolean.parseBoolean(parts[0]) : keys.flag(parts[0], Boolean.parseBoolean(parts[1]));
    }

    private Optional<String> there(String names) {
        return Arrays.stream(names.split(",", -1)).filter(keys::isThere).findFirst();
    }

    /** Tells whether a trait is none that a key holds. */
    static boolean isFixed(String text) {
        return isWord(text) || text.equals("true") || text.equals("false");
    }

    private static boolean isWord(String text) {
        return WORDS.contains(text) || text.chars().allMatch(Character::isDigit);
    }

    private int word(String word) {
        return switch (word) {
            case "none" -> 0;
            case "width" -> width;
            case "heads" -> heads;
            case "4x" -> {
                if (width > Integer.MAX_VALUE / 4) {
                    throw keys.wrong("four times the hidden size %d is more than a matrix holds".formatted(width));
                }
                yield 4 * width;
            }
            case "each" -> {
                if (width % heads != 0) {
                    throw keys.wrong("%d heads do not divide the hidden size %d".formatted(heads, width));
                }
                yield width / heads;
            }
            default -> Integer.parseInt(word);
        };
    }

    HuggingFaceFamily family() {
        return family;
    }

    ConfigKeys keys() {
        return keys;
    }

    int width() {
        return width;
    }

    int heads() {
        return heads;
    }

    int keyValueHeads() {
        return keyValueHeads;
    }

    int headSize() {
        return headSize;
    }

    int layers() {
        return layers;
    }

    /** Returns the longest input in tokens. */
    int longest() {
        OptionalInt padding = padding();
        return padding.isPresent() ? longest - padding.getAsInt() - 1 : longest;
    }

    /** Returns how many positions the configuration speaks of. */
    int positions() {
        return longest;
    }

    double epsilon() {
        return epsilon;
    }

    Activation activation() {
        return activation;
    }

    /** Returns how many tokens back a layer sees, itself among them; 0 for all. */
    int window(int layer) {
        return windows[layer];
    }

    /** Returns how queries and keys of a layer turn; null where they do not. */
    @Nullable
    HuggingFaceRotary rotary(int layer) {
        return rotary.get(layer);
    }

    /** Returns by how much the rotation of each pair is slower than the keys say; none for all by 1. */
    List<Double> divisors() {
        return divisors;
    }

    /** Returns the id of the token that has no position, where there is one. */
    OptionalInt padding() {
        if (!family.has("padding")) {
            return OptionalInt.empty();
        }
        String[] parts = family.text("padding").split("\\|", -1);
        return OptionalInt.of(keys.count(parts[0], Integer.parseInt(parts[1])));
    }

    /** Returns what scores are multiplied with. */
    double scoreScale() {
        return switch (family.text("scoreScale")) {
            case "head" -> 1 / Math.sqrt(headSize);
            case "1" -> 1;
            default -> 1 / Math.sqrt(positive("scoreScale").orElseThrow());
        };
    }

    /** Tells whether the architecture that the configuration names has no head, so that hidden states come out. */
    boolean isHeadless() {
        List<String> names = keys.list("architectures").orElse(List.of());
        return !family.has("head")
                || (!names.isEmpty()
                        && names.stream().allMatch(name -> name.endsWith("Model") && !name.endsWith("LMHeadModel")));
    }

    /** Returns the key of the configuration that denies the bias of a module; empty where none does. */
    String biasKey(String module) {
        for (String bias : List.of("queryKeyValueBias", "outputBias", "feedForwardBias")) {
            List<String> traits = switch (bias) {
                case "queryKeyValueBias" -> List.of("query", "key", "value", "joint");
                case "outputBias" -> List.of("output");
                default -> List.of("gate", "up", "down");
            };
            for (String trait : traits) {
                if (family.has(trait) && family.text(trait).endsWith("." + module)) {
                    return family.keyOf(bias);
                }
            }
        }
        return "";
    }

    /** Returns what a reader should know of the configuration, a line each: keys that do not count and seem to. */
    List<String> notes() {
        Set<String> own = new HashSet<>(keys.asked());
        own.addAll(List.of("attention_bias", "mlp_bias"));
        List<String> passedOver = new ArrayList<>(UncomputedKeys.passedOver(own, keys));
        for (String key : List.of("hidden_act", "hidden_activation", "activation_function")) {
            if (!own.contains(key) && keys.isSet(key) && !names(keys.plain(key), activation)) {
                passedOver.add("%s = %s".formatted(key, keys.plain(key)));
            }
        }
        return passedOver.isEmpty()
                ? List.of()
                : List.of("%s: %s not used, as transformers does not read %s for model_type %s"
                        .formatted(
                                keys.file(),
                                String.join(", ", passedOver) + (passedOver.size() == 1 ? " is" : " are"),
                                passedOver.size() == 1 ? "it" : "them",
                                family.modelType()));
    }

    private static boolean names(String name, Activation activation) {
        try {
            return Activation.named(name) == activation;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "a %s of %d layers", family.modelType(), layers);
    }

    /** Returns a message that names the model type. */
    IllegalArgumentException unknownInput(String name, List<String> known) {
        return new IllegalArgumentException("%s is no input of a %s model; it has %s"
                .formatted(quoted(name), family.modelType(), String.join(", ", known)));
    }
}
