package org.isoloss.source;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.ConfigKeys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which layers see only so many tokens back.
 *
 * @param sliding for each layer, whether it does
 * @param turned for each layer, whether its queries and keys turn with the position
 * @param window how many tokens such a layer sees, the last one itself; 0 where there is no such layer
 * @see "transformers 5.24.0, masking_utils.py and the configuration classes"
 */
record HuggingFaceWindows(List<Boolean> sliding, List<Boolean> turned, int window) {
    private static final String TYPES = "layer_types";
    private static final String FULL = "full_attention";
    private static final String SLIDING = "sliding_attention";

    /** Tokens back for each layer, 0 for all. */
    int[] byLayer() {
        return sliding.stream().mapToInt(is -> is ? window : 0).toArray();
    }

    static HuggingFaceWindows of(HuggingFaceConfig config) {
        ConfigKeys keys = config.keys();
        int layers = config.layers();
        List<Boolean> turned = Collections.nCopies(layers, true);
        return switch (config.family().text("windows")) {
            case "unread" -> all(config, false, 0);
            case "never" -> {
                types(config, all(config, false, 0), 0);
                requireWide(config, "sliding_window");
                requireWide(config, "attention_chunk_size");
                yield all(config, false, 0);
            }
            case "always" -> {
                int window = config.size("window");
                if (window == 0) {
                    requireWide(config, "attention_chunk_size");
                }
                HuggingFaceWindows all = all(config, window > 0, window);
                HuggingFaceWindows named = types(config, all, window);
                if (!named.sliding().equals(all.sliding())) {
                    throw keys.notComputed(TYPES, "%s in every layer".formatted(window > 0 ? SLIDING : FULL));
                }
                yield all;
            }
            case "switched" -> {
                int window = keys.flag("use_sliding_window", false) ? config.size("window") : 0;
                int first = keys.count("max_window_layers", 28);
                yield types(config, of(layers, i -> window > 0 && i >= first, turned, window), window);
            }
            case "alternate" -> {
                int pattern = config.size("pattern");
                int window = config.size("window");
                yield types(config, of(layers, i -> (i + 1) % pattern != 0, turned, window), window);
            }
            case "unturned" -> {
                List<Boolean> rotary = rotary(config);
                int window = config.size("window");
                boolean used = keys.flag("use_sliding_window", false) && window > 0;
                yield types(config, of(layers, i -> used && !rotary.get(i), rotary, window), window);
            }
            default -> local(config, turned);
        };
    }

    private interface Choice {
        boolean of(int layer);
    }

    private static HuggingFaceWindows of(int layers, Choice sliding, List<Boolean> turned, int window) {
        return new HuggingFaceWindows(
                IntStream.range(0, layers).mapToObj(sliding::of).toList(), turned, window);
    }

    private static HuggingFaceWindows all(HuggingFaceConfig config, boolean sliding, int window) {
        return of(config.layers(), _ -> sliding, Collections.nCopies(config.layers(), true), window);
    }

    /** Returns what the types of layers say where they are given; refuses a layer with a window where none is set. */
    private static HuggingFaceWindows types(HuggingFaceConfig config, HuggingFaceWindows usual, int window) {
        ConfigKeys keys = config.keys();
        Optional<List<String>> types = keys.list(TYPES);
        HuggingFaceWindows found = usual;
        if (types.isPresent()) {
            for (String type : types.get()) {
                if (!type.equals(FULL) && !(type.equals(SLIDING) && window > 0)) {
                    throw keys.notComputed(
                            TYPES, window > 0 ? FULL + " or " + SLIDING + " in every layer" : FULL + " in every layer");
                }
            }
            if (types.get().size() != config.layers()) {
                throw keys.wrong(TYPES, "one type for each of the %d layers".formatted(config.layers()));
            }
            found = of(config.layers(), i -> types.get().get(i).equals(SLIDING), usual.turned(), window);
        }
        if (window == 0 && found.sliding().contains(true)) {
            throw keys.wrong(config.family().keyOf("window"), "a whole number from 1, as layers with windows need it");
        }
        return found;
    }

    /** Refuses windows that transformers reads in its cache alone: a text gives other numbers token by token than at once. */
    private static void requireWide(HuggingFaceConfig config, String key) {
        ConfigKeys keys = config.keys();
        if (keys.isSet(key) && keys.size(key) < config.positions()) {
            throw keys.notComputed(key, "null, or at least the %d positions".formatted(config.positions()));
        }
    }

    private static List<Boolean> rotary(HuggingFaceConfig config) {
        ConfigKeys keys = config.keys();
        Optional<List<String>> given = keys.list("no_rope_layers");
        if (given.isEmpty()) {
            int interval = keys.size("no_rope_layer_interval", 4);
            return IntStream.range(0, config.layers())
                    .mapToObj(i -> (i + 1) % interval != 0)
                    .toList();
        }
        if (given.get().size() < config.layers()
                || !given.get().stream().allMatch(one -> one.equals("0") || one.equals("1"))) {
            throw keys.wrong("no_rope_layers", "0 or 1 for each of the %d layers".formatted(config.layers()));
        }
        return given.get().stream().map(one -> one.equals("1")).toList().subList(0, config.layers());
    }

    /** GPT-Neo names its layers by patterns that repeat: {@code [[["global", "local"], 12]]}. */
    private static HuggingFaceWindows local(HuggingFaceConfig config, List<Boolean> turned) {
        ConfigKeys keys = config.keys();
        String key = "attention_types";
        String expected = "patterns of global and local with their numbers, for %d layers".formatted(config.layers());
        String text = keys.isSet(key) ? keys.plain(key) : "[[[\"global\",\"local\"],12]]";
        List<Boolean> sliding = new ArrayList<>();
        for (JsonNode item : JsonMapper.shared().readTree(text)) {
            JsonNode names = item.path(0);
            JsonNode times = item.path(1);
            if (!names.isArray() || !times.isIntegralNumber() || times.intValue() > config.layers()) {
                throw keys.wrong(key, expected);
            }
            for (int i = 0; i < times.intValue(); i++) {
                for (JsonNode name : names) {
                    String word = name.asString("");
                    if (!word.equals("global") && !word.equals("local")) {
                        throw keys.notComputed(key, expected);
                    }
                    sliding.add(word.equals("local"));
                }
            }
        }
        if (sliding.size() != config.layers()) {
            throw keys.wrong(key, expected);
        }
        List<String> names = sliding.stream().map(is -> is ? "local" : "global").toList();
        if (!keys.list("attention_layers").orElse(names).equals(names)) {
            throw keys.wrong("attention_layers", "what attention_types says");
        }
        return new HuggingFaceWindows(sliding, turned, config.size("window"));
    }
}
