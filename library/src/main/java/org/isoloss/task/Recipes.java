package org.isoloss.task;

import java.util.Map;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveWeights;
import org.isoloss.discovery.Recipe;
import org.isoloss.lie.WordDistribution;
import org.isoloss.task.Task.RecipeChoice;
import org.jspecify.annotations.Nullable;

/** Recipes by name, and the changes that a task makes to them. */
public final class Recipes {
    private static final Map<String, Recipe> BY_NAME =
            Map.of("default", Recipe.DEFAULT, "paper-base", Recipe.PAPER_BASE, "paper-strong", Recipe.PAPER_STRONG);

    private Recipes() {}

    /**
     * Returns the recipe of a task.
     *
     * @param choice what the task says, or nothing
     * @return the base with the changes
     */
    public static Recipe of(@Nullable RecipeChoice choice) {
        if (choice == null) {
            return Recipe.DEFAULT;
        }
        Recipe base = choice.base() == null ? Recipe.DEFAULT : BY_NAME.get(choice.base());
        if (base == null) {
            throw new IllegalArgumentException(
                    "recipe: base '%s' is unknown; allowed: default, paper-base, paper-strong"
                            .formatted(choice.base()));
        }
        ObjectiveWeights weights = base.weights();
        WordDistribution words = base.words();
        return new Recipe(
                or(choice.steps(), base.steps()),
                or(choice.batch(), base.batch()),
                rate(choice, base),
                new ObjectiveWeights(
                        or(choice.invariance(), weights.invariance()),
                        or(choice.transport(), weights.transport()),
                        or(choice.composition(), weights.composition()),
                        or(choice.preservation(), weights.preservation()),
                        weights.scale(),
                        weights.diversity()),
                or(choice.beta(), base.beta()),
                WordDistribution.upTo(or(choice.radius(), words.radius()), or(choice.factors(), words.mostFactors())),
                or(choice.ramp(), base.rampFraction()),
                base.inverseShare(),
                base.clipNorm(),
                or(choice.width(), base.width()),
                or(choice.depth(), base.depth()));
    }

    private static LearningRate rate(RecipeChoice choice, Recipe base) {
        if (choice.constant() != null) {
            return new LearningRate.Constant(choice.constant());
        }
        return choice.peak() == null ? base.learningRate() : new LearningRate.Cosine(choice.peak(), 200, 1e-3);
    }

    private static <T> T or(@Nullable T chosen, T base) {
        return chosen == null ? base : chosen;
    }
}
