package org.isoloss.task;

import java.util.Map;
import org.isoloss.action.ActionKind;
import org.isoloss.discovery.Recipe;

/** Recipes by name, and the changes that a task makes to them. */
public final class Recipes {
    private static final String STANDARD = "default";

    private static final Map<String, Recipe> BY_NAME =
            Map.of(STANDARD, Recipe.DEFAULT, "paper-base", Recipe.PAPER_BASE, "paper-strong", Recipe.PAPER_STRONG);

    private static final Map<String, Recipe> CONJUGATED_BY_NAME = Map.of(STANDARD, Recipe.CONJUGATED);

    private Recipes() {}

    /**
     * Returns the recipe of a task.
     *
     * @param task what is asked for
     * @return the base with the changes; of the default the one for fits that end early, where this is one
     */
    public static Recipe of(Task task) {
        boolean conjugated = task.action() == ActionKind.CONJUGATED;
        RecipeChoice choice = task.recipe();
        String name = choice == null || choice.base() == null ? STANDARD : choice.base();
        Recipe base = conjugated ? CONJUGATED_BY_NAME.get(name) : BY_NAME.get(name);
        if (!conjugated && name.equals(STANDARD) && task.stopMargin().isPresent()) {
            base = Recipe.UNTIL_FIT;
        }
        if (base == null) {
            throw new IllegalArgumentException("recipe: base '%s' is unknown; allowed%s: %s"
                    .formatted(
                            name,
                            conjugated ? " for a conjugated action" : "",
                            conjugated ? STANDARD : "default, paper-base, paper-strong"));
        }
        Recipe chosen = choice == null ? base : choice.appliedTo(base);
        return task.stopMargin().isPresent() ? chosen.inCycles() : chosen;
    }
}
