package org.isoloss.task;

import java.util.Locale;
import java.util.Map;
import org.isoloss.action.ActionKind;
import org.isoloss.discovery.Recipe;

/** Recipes by name, and the changes that a task makes to them. */
public final class Recipes {
    private static final String STANDARD = "default";

    private static final Map<String, Recipe> BY_NAME =
            Map.of(STANDARD, Recipe.DEFAULT, "paper-base", Recipe.PAPER_BASE, "paper-strong", Recipe.PAPER_STRONG);

    private Recipes() {}

    /**
     * Returns the recipe of a task.
     *
     * @param task what is asked for
     * @return the base with the changes; of the default the one for fits that end early, where this is one
     */
    public static Recipe of(Task task) {
        boolean lawful = Task.hasLaw(task.action());
        RecipeChoice choice = task.recipe();
        String name = choice == null || choice.base() == null ? STANDARD : choice.base();
        Recipe base = BY_NAME.get(name);
        if (lawful) {
            base = name.equals(STANDARD)
                    ? task.action() == ActionKind.BATCHED ? Recipe.BATCHED : Recipe.CONJUGATED
                    : null;
        } else if (name.equals(STANDARD) && task.stopMargin().isPresent()) {
            base = Recipe.UNTIL_FIT;
        }
        if (base == null) {
            throw new IllegalArgumentException("recipe: base '%s' is unknown; allowed%s: %s"
                    .formatted(
                            name,
                            lawful
                                    ? " for a %s action"
                                            .formatted(String.valueOf(task.action())
                                                    .toLowerCase(Locale.ROOT))
                                    : "",
                            lawful ? STANDARD : "default, paper-base, paper-strong"));
        }
        Recipe chosen = choice == null ? base : choice.appliedTo(base);
        return task.stopMargin().isPresent() ? chosen.inCycles() : chosen;
    }
}
