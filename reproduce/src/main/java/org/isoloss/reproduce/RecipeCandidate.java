package org.isoloss.reproduce;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.isoloss.discovery.ObjectiveKind;

/**
 * A recipe that takes part in a search. Words (radius and factors) and points are the task's: they belong to the setting.
 *
 * @param variant the family that it competes in, one winner each
 * @param name what rows say of it
 * @param recipe its whole recipe, as changes of the task by dotted key
 */
public record RecipeCandidate(Variant variant, String name, Map<String, String> recipe) {
    /** Keeps a map of its own, in its order. */
    public RecipeCandidate {
        recipe = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(recipe));
    }

    /**
     * Returns the recipes that the paper and we search: three in each family, the paper's own (appendix
     * {@code app:one-generator-setup}) in one and cosine schedules with heavier weights in the others, that of the task file
     * among them.
     *
     * @param objective what is trained; only the hybrid one has a family of conjugated actions
     * @return family by family
     */
    public static List<RecipeCandidate> of(ObjectiveKind objective) {
        List<RecipeCandidate> all = new ArrayList<>(List.of(
                paper("base 1e-3", "paper-base", "1e-3"),
                paper("base 3e-4", "paper-base", "3e-4"),
                paper("strong 3e-4", "paper-strong", "3e-4"),
                cosine("peak 6e-3, preservation 30, law 10", "6e-3", "30", "10"),
                cosine("peak 3e-3, preservation 100, law 30", "3e-3", "100", "30"),
                ofTheTaskFile()));
        if (Variant.CONJUGATED.objectives().contains(objective)) {
            all.add(conjugated("peak 2e-3, preservation 1000", "2e-3", "1000"));
            all.add(conjugated("peak 4e-3, preservation 1000", "4e-3", "1000"));
            all.add(conjugated("peak 2e-3, preservation 300", "2e-3", "300"));
        }
        return List.copyOf(all);
    }

    /**
     * Returns the recipe of a task file and changes of it, which compete as one family.
     *
     * @param changes each a change of the task by dotted key, at least one key
     * @return the recipe of the task file first
     */
    public static List<RecipeCandidate> changing(List<Map<String, String>> changes) {
        List<RecipeCandidate> all = new ArrayList<>(List.of(ofTheTaskFile()));
        for (Map<String, String> change : changes) {
            String name = change.entrySet().stream()
                    .map(one -> one.getKey() + "=" + one.getValue())
                    .collect(Collectors.joining(", "));
            all.add(new RecipeCandidate(Variant.OURS, name, change));
        }
        return List.copyOf(all);
    }

    private static RecipeCandidate ofTheTaskFile() {
        return new RecipeCandidate(Variant.OURS, "of the task file", Map.of());
    }

    private static RecipeCandidate paper(String name, String base, String rate) {
        return new RecipeCandidate(Variant.PAPER, name, Map.of("recipe.base", base, "recipe.constant", rate));
    }

    private static RecipeCandidate cosine(String name, String peak, String preservation, String law) {
        return new RecipeCandidate(
                Variant.OURS,
                name,
                Map.of(
                        "recipe.peak",
                        peak,
                        "recipe.invariance",
                        preservation,
                        "recipe.preservation",
                        preservation,
                        "recipe.transport",
                        law,
                        "recipe.composition",
                        law));
    }

    private static RecipeCandidate conjugated(String name, String peak, String preservation) {
        return new RecipeCandidate(
                Variant.CONJUGATED,
                name,
                Map.of("recipe.peak", peak, "recipe.invariance", preservation, "recipe.preservation", preservation));
    }

    /** What it changes of a task: also takes back what the task file says of a recipe. */
    Map<String, String> changes() {
        Map<String, String> changes = new LinkedHashMap<>(variant.changes());
        changes.putAll(recipe);
        return changes;
    }
}
