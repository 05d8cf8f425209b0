package org.isoloss.sweep;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.isoloss.sweep.Variation.Choice;
import org.isoloss.task.NetworkSource;
import org.isoloss.task.Task;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the lists of a sweep file change in its task. */
final class Variations {
    /** The column of the seeds, which vary fastest. */
    static final String SEED = "seed";

    private static final long DEFAULT_SEED = 101;
    private static final int MOST_SEEDS = 1_000_000;

    private final SweepFile file;
    private final Task task;

    Variations(SweepFile file, Task task) {
        this.file = file;
        this.task = task;
    }

    /** All of them, seeds last. */
    List<Variation> all() {
        List<Variation> all = new ArrayList<>();
        add(all, "model", file.models(), value -> Map.of(modelKey(), value.toString()));
        add(all, "layer", file.layers(), value -> Map.of("site.layer", value.toString()));
        add(all, "prefix", file.prefixes(), value -> Map.of("data.tokens", value.toString()));
        add(all, "protect", file.protect(), value -> below("protect", "data", "rows", value));
        add(all, "recipe", file.recipes(), value -> below("recipes", "recipe", "base", value));
        if (file.vary() != null) {
            file.vary().forEach((key, values) -> add(all, key, values, value -> Map.of(key, value.toString())));
        }
        all.add(new Variation(SEED, seeds()));
        Variation.requireApart(all);
        return all;
    }

    private static void add(
            List<Variation> all,
            String key,
            @Nullable JsonNode values,
            Function<JsonNode, Map<String, String>> changes) {
        if (values == null || values.isNull()) {
            return;
        }
        List<Choice> choices = new ArrayList<>();
        if (values.isArray()) {
            values.forEach(value -> choices.add(new Choice(label(value), changes.apply(value))));
        } else if (values.isObject()) {
            values.forEachEntry((name, value) -> choices.add(new Choice(name, changes.apply(value))));
        } else {
            throw new IllegalArgumentException("'%s' is '%s', expected a list of values, or a group of named ones"
                    .formatted(key, values.asString()));
        }
        all.add(new Variation(key, choices));
    }

    private static String label(JsonNode value) {
        return value.isValueNode() ? value.asString() : value.toString();
    }

    /** Keys of a group of the task, or, where the value is no group, the value of one of them. */
    private static Map<String, String> below(String list, String group, String otherwise, JsonNode value) {
        if (!value.isObject()) {
            return Map.of(group + "." + otherwise, value.toString());
        }
        Map<String, String> changes = new LinkedHashMap<>();
        value.forEachEntry((key, part) -> changes.put(group + "." + key, part.toString()));
        if (changes.containsKey(group + "." + group)) {
            throw new IllegalArgumentException(
                    "'%s' takes keys below '%s', so leave '%s' out".formatted(list, group, group));
        }
        return changes;
    }

    private String modelKey() {
        NetworkSource network = task.network();
        if (network.model() != null) {
            return "network.model";
        }
        if (network.transformer() != null) {
            return "network.transformer";
        }
        if (network.checkpoint() != null) {
            return "network.checkpoint";
        }
        throw new IllegalArgumentException(
                "'models' takes the place of a file that the task names, and its network is made on the spot; vary 'network.widths' or another key");
    }

    private List<Choice> seeds() {
        List<Long> named = task.seeds() == null ? List.of(DEFAULT_SEED) : task.seeds();
        JsonNode given = file.seeds();
        if (given == null || given.isNull()) {
            return choices(named);
        }
        if (given.isString()) {
            return choices(range(given.asString()));
        }
        if (!given.isArray()) {
            throw new IllegalArgumentException(
                    "seeds: expected a list such as [101, 102], or 101..105, got %s".formatted(given));
        }
        List<Long> seeds = new ArrayList<>();
        for (JsonNode seed : given) {
            if (!seed.isIntegralNumber() || !seed.canConvertToLong()) {
                throw new IllegalArgumentException(
                        "seeds: '%s' is not a whole number; give a list such as [101, 102], or 101..105"
                                .formatted(label(seed)));
            }
            seeds.add(seed.asLong());
        }
        return choices(seeds);
    }

    private static List<Choice> choices(List<Long> seeds) {
        return seeds.stream()
                .map(seed -> new Choice(Long.toString(seed), Map.of()))
                .toList();
    }

    private static List<Long> range(String text) {
        if (!text.matches("-?\\d{1,15}\\.\\.-?\\d{1,15}")) {
            throw new IllegalArgumentException(
                    "seeds: '%s' is no range such as 101..105, nor a list such as [101, 102]".formatted(text));
        }
        long from = Long.parseLong(text.substring(0, text.indexOf("..")));
        long to = Long.parseLong(text.substring(text.indexOf("..") + 2));
        if (to < from || to - from >= MOST_SEEDS) {
            throw new IllegalArgumentException("seeds: %s has %s, expected 1 to %d"
                    .formatted(text, to < from ? "none" : to - from + 1, MOST_SEEDS));
        }
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
