package org.isoloss.discovery;

import org.isoloss.action.Initialization;
import org.isoloss.discovery.ActionArchitecture.Conjugated;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.lie.WordDistribution;

/**
 * How an action is trained. What only one kind of action or of optimiser has is in {@link ActionArchitecture} and {@link
 * OptimizerChoice}; {@link RecipeNumber} says which numbers are allowed.
 *
 * @param architecture what is learned
 * @param steps optimiser steps
 * @param batch samples a step
 * @param learningRate the schedule
 * @param weights of the loss terms that every architecture has, before the objective selects among them
 * @param beta field magnitude in units of the parameter scale
 * @param words largest length, at most 4, and number of factors of the sampled words
 * @param ramp share of the steps over which words grow from short to long; 0 keeps one distribution
 * @param optimizer what makes steps of gradients
 * @param clip largest norm of a gradient
 */
public record Recipe(
        ActionArchitecture architecture,
        int steps,
        int batch,
        LearningRate learningRate,
        ObjectiveWeights weights,
        double beta,
        WordDistribution words,
        double ramp,
        OptimizerChoice optimizer,
        double clip) {
    /** The base recipe of the paper (appendix {@code app:one-generator-setup}). */
    public static final Recipe PAPER_BASE = new Recipe(
            new Displacement(256, 3, Initialization.LECUN, new GroupLaw(1, 1, 0.25)),
            15_000,
            32,
            new LearningRate.Constant(1e-3),
            new ObjectiveWeights(10, 0, 1, 1),
            0.5,
            WordDistribution.upTo(0.5, 3),
            0,
            new OptimizerChoice.Adam(),
            10);

    /** The stronger recipe of the paper. */
    public static final Recipe PAPER_STRONG = PAPER_BASE
            .withLearningRate(new LearningRate.Constant(3e-4))
            .withLaw(3, 3)
            .withWeights(new ObjectiveWeights(30, 30, 1, 1));

    /**
     * The default: a cosine schedule from a high peak, and larger terms than the stronger recipe's, because Adam's epsilon
     * slows the last steps where residuals are tiny; those of the group law most, which lowers all errors of most networks.
     */
    public static final Recipe DEFAULT = PAPER_STRONG
            .withLearningRate(new LearningRate.Cosine(3e-3, 200, 1e-3))
            .withLaw(200, 200)
            .withWeights(new ObjectiveWeights(100, 100, 1, 1));

    /**
     * The default for fits that end when they are good enough: better steps from a higher peak, of a network half as wide, in
     * cycles at whose ends the errors are small. Several times faster at the tolerances; the larger network ends lower.
     */
    public static final Recipe UNTIL_FIT = DEFAULT.withArchitecture(
                    new Displacement(128, 3, Initialization.LECUN, new GroupLaw(200, 200, 0.25)))
            .withLearningRate(new LearningRate.Cycles(new LearningRate.Cosine(6e-3, 200, 1e-3)))
            .withOptimizer(new OptimizerChoice.Soap(OptimizerChoice.BLOCK));

    /**
     * The default for actions whose group law holds by construction: only the preservation is trained. A rare sample far out
     * makes a gradient thousands of times larger than the rest, hence the tighter clipping.
     */
    public static final Recipe CONJUGATED = new Recipe(
            new Conjugated(192, 2),
            PAPER_BASE.steps(),
            PAPER_BASE.batch(),
            new LearningRate.Cosine(2e-3, 200, 1e-3),
            new ObjectiveWeights(1000, 1000, 1, 1),
            PAPER_BASE.beta(),
            PAPER_BASE.words(),
            PAPER_BASE.ramp(),
            PAPER_BASE.optimizer(),
            1);

    /** The default for one action for many batches: its network is small, and only the preservation is trained. */
    public static final Recipe BATCHED = new Recipe(
            new ActionArchitecture.Batched(64, 2),
            4_000,
            64,
            new LearningRate.Cosine(6e-3, 200, 1e-3),
            new ObjectiveWeights(1000, 1000, 1, 1),
            PAPER_BASE.beta(),
            PAPER_BASE.words(),
            PAPER_BASE.ramp(),
            new OptimizerChoice.Soap(OptimizerChoice.BLOCK),
            10);

    /** Refuses numbers out of range. */
    public Recipe {
        RecipeNumber.STEPS.check(steps);
        RecipeNumber.BATCH.check(batch);
        RecipeNumber.BETA.check(beta);
        RecipeNumber.RADIUS.check(words.radius());
        RecipeNumber.RAMP.check(ramp);
        RecipeNumber.CLIP.check(clip);
    }

    private Recipe with(
            ActionArchitecture newArchitecture, int newSteps, LearningRate newRate, ObjectiveWeights newWeights) {
        return new Recipe(newArchitecture, newSteps, batch, newRate, newWeights, beta, words, ramp, optimizer, clip);
    }

    /**
     * Returns the recipe with another architecture.
     *
     * @param newArchitecture with its own settings
     * @return a new recipe
     */
    public Recipe withArchitecture(ActionArchitecture newArchitecture) {
        return with(newArchitecture, steps, learningRate, weights);
    }

    /**
     * Returns the recipe with other weights of the group law.
     *
     * @param transport weight of transport
     * @param composition weight of composition
     * @return a new recipe
     * @throws IllegalArgumentException where the group law holds by construction
     */
    public Recipe withLaw(double transport, double composition) {
        if (!(architecture instanceof Displacement network)) {
            throw new IllegalArgumentException(
                    "Recipe: the group law of a %s action holds by construction and has no weights"
                            .formatted(architecture.kind().label()));
        }
        return withArchitecture(new Displacement(
                network.width(),
                network.depth(),
                network.initialization(),
                network.law().weighed(transport, composition)));
    }

    /**
     * Returns the recipe with another schedule.
     *
     * @param newRate the schedule
     * @return a new recipe
     */
    public Recipe withLearningRate(LearningRate newRate) {
        return with(architecture, steps, newRate, weights);
    }

    /**
     * Returns the recipe with another optimiser.
     *
     * @param newOptimizer what makes steps of gradients
     * @return a new recipe
     */
    public Recipe withOptimizer(OptimizerChoice newOptimizer) {
        return new Recipe(architecture, steps, batch, learningRate, weights, beta, words, ramp, newOptimizer, clip);
    }

    /**
     * Returns the recipe with its cosine, where it has one, in cycles.
     *
     * @return a new recipe for a fit that may end early
     */
    public Recipe inCycles() {
        return learningRate instanceof LearningRate.Cosine cosine
                ? withLearningRate(new LearningRate.Cycles(cosine))
                : this;
    }

    /**
     * Returns the recipe with other weights of the terms that every architecture has.
     *
     * @param newWeights of the loss terms
     * @return a new recipe
     */
    public Recipe withWeights(ObjectiveWeights newWeights) {
        return with(architecture, steps, learningRate, newWeights);
    }

    /**
     * Returns the recipe with another length.
     *
     * @param newSteps optimiser steps, at least 1
     * @return a new recipe
     */
    public Recipe withSteps(int newSteps) {
        return with(architecture, newSteps, learningRate, weights);
    }
}
