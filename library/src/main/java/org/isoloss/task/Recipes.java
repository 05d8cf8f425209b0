package org.isoloss.task;

import java.util.Map;
import org.isoloss.action.ActionKind;
import org.isoloss.action.Initialization;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveWeights;
import org.isoloss.discovery.OptimizerChoice;
import org.isoloss.discovery.OptimizerKind;
import org.isoloss.discovery.Recipe;
import org.isoloss.lie.WordDistribution;
import org.isoloss.task.Task.RecipeChoice;
import org.jspecify.annotations.Nullable;

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
     * @return the base with the changes
     */
    public static Recipe of(Task task) {
        boolean conjugated = task.action() == ActionKind.CONJUGATED;
        RecipeChoice choice = task.recipe();
        String name = choice == null || choice.base() == null ? STANDARD : choice.base();
        Recipe base = conjugated ? CONJUGATED_BY_NAME.get(name) : BY_NAME.get(name);
        if (base == null) {
            throw new IllegalArgumentException("recipe: base '%s' is unknown; allowed%s: %s"
                    .formatted(
                            name,
                            conjugated ? " for a conjugated action" : "",
                            conjugated ? STANDARD : "default, paper-base, paper-strong"));
        }
        return choice == null ? base : changed(base, choice);
    }

    private static Recipe changed(Recipe base, RecipeChoice choice) {
        ObjectiveWeights weights = base.weights();
        WordDistribution words = base.words();
        return new Recipe(
                base.action(),
                or(choice.steps(), base.steps()),
                or(choice.batch(), base.batch()),
                rate(choice, base),
                new ObjectiveWeights(
                        or(choice.invariance(), weights.invariance()),
                        or(choice.transport(), weights.transport()),
                        or(choice.composition(), weights.composition()),
                        or(choice.preservation(), weights.preservation()),
                        or(choice.scale(), weights.scale()),
                        weights.diversity(),
                        or(choice.adaptive(), weights.adaptive())),
                or(choice.beta(), base.beta()),
                WordDistribution.upTo(or(choice.radius(), words.radius()), or(choice.factors(), words.mostFactors())),
                or(choice.ramp(), base.rampFraction()),
                base.inverseShare(),
                new OptimizerChoice(
                        or(choice.optimizer(), base.optimizer().kind()),
                        or(choice.block(), base.optimizer().block())),
                or(choice.clip(), base.clipNorm()),
                or(choice.width(), base.width()),
                or(choice.depth(), base.depth()),
                or(choice.initialization(), base.initialization()));
    }

    /** The changes that make a recipe out of whatever default: every number of it, and how its result is selected. */
    static RecipeChoice stated(Recipe recipe, boolean selects) {
        ObjectiveWeights weights = recipe.weights();
        return new RecipeChoice(
                null,
                recipe.steps(),
                recipe.batch(),
                recipe.learningRate() instanceof LearningRate.Cosine cosine ? cosine.peak() : null,
                recipe.learningRate() instanceof LearningRate.Constant constant ? constant.rate() : null,
                recipe.words().radius(),
                recipe.words().mostFactors(),
                weights.invariance(),
                weights.preservation(),
                weights.transport(),
                weights.composition(),
                weights.scale(),
                weights.adaptive() ? true : null,
                recipe.beta(),
                recipe.rampFraction(),
                recipe.optimizer().kind() == OptimizerKind.ADAM ? null : OptimizerKind.SOAP,
                recipe.optimizer().block() == OptimizerChoice.BLOCK
                        ? null
                        : recipe.optimizer().block(),
                recipe.clipNorm(),
                recipe.width(),
                recipe.depth(),
                recipe.initialization() == Initialization.LECUN ? null : recipe.initialization(),
                selects ? Task.Select.VALIDATION : null);
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
