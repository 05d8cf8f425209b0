package org.isoloss.reproduce;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How a study is carried out, for all of its fits alike.
 *
 * @param seeds of the fits, at least one
 * @param quick whether this is the short form, which every result then says
 * @param changes of every task, by dotted key
 * @param variants that make rows of their own, at least one
 */
public record Protocol(List<Long> seeds, boolean quick, Map<String, String> changes, List<Variant> variants) {
    /** Both architectures. */
    private static final List<Variant> SHOWN = List.of(Variant.OURS, Variant.CONJUGATED);

    /** The paper's seeds and steps. */
    public static final Protocol FULL = new Protocol(List.of(101L, 102L, 103L, 104L, 105L), false, Map.of(), SHOWN);

    /** Two seeds and 3,000 steps: to see that it works, not to be compared. */
    public static final Protocol QUICK = new Protocol(List.of(101L, 102L), true, Map.of("recipe.steps", "3000"), SHOWN);

    /** Refuses a protocol without seeds or variants. */
    public Protocol {
        seeds = List.copyOf(seeds);
        variants = List.copyOf(variants);
        changes = Collections.unmodifiableMap(new LinkedHashMap<>(changes));
        if (seeds.isEmpty() || variants.isEmpty()) {
            throw new IllegalArgumentException(
                    "Protocol: seeds %s and variants %s, expected at least one of each".formatted(seeds, variants));
        }
    }

    /**
     * Returns the protocol with other seeds.
     *
     * @param others at least one
     * @return all else unchanged
     */
    public Protocol withSeeds(List<Long> others) {
        return new Protocol(others, quick, changes, variants);
    }

    /**
     * Returns the protocol with other variants.
     *
     * @param others at least one
     * @return all else unchanged
     */
    public Protocol withVariants(List<Variant> others) {
        return new Protocol(seeds, quick, changes, others);
    }

    /**
     * Returns the protocol with more changes of every task.
     *
     * @param more by dotted key, in place of those of the same key
     * @return all else unchanged
     */
    public Protocol withChanges(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(changes);
        all.putAll(more);
        return new Protocol(seeds, quick, all, variants);
    }

    /** What captions say, such as {@code seeds 101, 102; quick: recipe.steps=3000}. */
    String words() {
        String text = "seed%s %s"
                .formatted(
                        seeds.size() == 1 ? "" : "s",
                        seeds.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        String changed = changes.entrySet().stream()
                .map(change -> change.getKey() + "=" + change.getValue())
                .collect(Collectors.joining(", "));
        if (quick) {
            return "%s; QUICK, not the paper's protocol: %s".formatted(text, changed);
        }
        return changed.isEmpty() ? text : "%s; changed: %s".formatted(text, changed);
    }
}
