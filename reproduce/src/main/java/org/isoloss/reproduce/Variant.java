package org.isoloss.reproduce;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.isoloss.discovery.ObjectiveKind;

/**
 * One way to learn, which makes rows of its own: a recipe and an architecture, as changes of a task file.
 *
 * @param name on the command line
 * @param recipe what the rows say of the recipe
 * @param action what the rows say of the architecture
 * @param objectives that it can be trained with
 * @param changes values by dotted key of the task file
 */
public record Variant(
        String name, String recipe, String action, List<ObjectiveKind> objectives, Map<String, String> changes) {
    /** The recipe of the task files and the paper's architecture. */
    public static final Variant OURS = new Variant("ours", "ours", "paper", List.of(ObjectiveKind.values()), Map.of());

    /**
     * The paper's recipe and architecture: a constant rate, and checkpoints selected by validation. The words of the task file stay, because the paper states them
     * for each setting; at sites of transformers, whose task files have longer ones, a {@link Study} takes the paper's.
     */
    public static final Variant PAPER = new Variant(
            "paper",
            "paper",
            "paper",
            List.of(ObjectiveKind.values()),
            inPlaceOfTheRecipe(Map.of("recipe.base", "paper-strong", "recipe.select", "validation")));

    /** The group law by construction, with that architecture's own recipe; nothing but preservation is trained. */
    public static final Variant CONJUGATED = new Variant(
            "conjugated",
            "ours",
            "conjugated",
            List.of(ObjectiveKind.HYBRID),
            inPlaceOfTheRecipe(Map.of("action", "conjugated")));

    /** Every variant, in the order of the rows. */
    public static final List<Variant> ALL = List.of(OURS, CONJUGATED, PAPER);

    /** Keeps a map of its own, in its order. */
    public Variant {
        objectives = List.copyOf(objectives);
        changes = Collections.unmodifiableMap(new LinkedHashMap<>(changes));
    }

    /**
     * Finds a variant.
     *
     * @param name on the command line
     * @return the variant
     */
    public static Variant named(String name) {
        return ALL.stream()
                .filter(variant -> variant.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("variant '%s' is unknown; allowed: %s"
                        .formatted(
                                name,
                                String.join(
                                        ", ", ALL.stream().map(Variant::name).toList()))));
    }

    /** Takes back what a task file says of rate and weights, and says something else. */
    private static Map<String, String> inPlaceOfTheRecipe(Map<String, String> instead) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String taken : List.of(
                "base",
                "peak",
                "invariance",
                "preservation",
                "transport",
                "composition",
                "scale",
                "adaptive",
                "optimizer",
                "block",
                "clip",
                "initialization",
                "select")) {
            changes.put("recipe." + taken, "null");
        }
        changes.putAll(new TreeMap<>(instead));
        return changes;
    }
}
