package org.isoloss.discovery;

import org.isoloss.action.ActionKind;
import org.isoloss.action.Initialization;
import org.isoloss.lie.WordDistribution;

/**
 * How an action is trained.
 *
 * @param action the architecture
 * @param steps optimiser steps, at least 1
 * @param batch samples a step, at least 2
 * @param learningRate the schedule
 * @param weights of the loss terms before the objective selects among them
 * @param beta field magnitude in units of the parameter scale, positive
 * @param words largest length and number of factors of the sampled words
 * @param rampFraction share of the steps over which words grow from short to long, in [0, 1); 0 keeps one distribution
 * @param inverseShare share of the composition pairs that are inverse pairs, in [0, 1]
 * @param optimizer what makes steps of gradients
 * @param clipNorm largest norm of a gradient, positive
 * @param width units of each hidden layer of the action network, or of each coupling, at least 1
 * @param depth hidden layers of the action network, or of each coupling, at least 1
 * @param initialization of the action network; couplings, which begin near the identity, have one of their own
 */
public record Recipe(
        ActionKind action,
        int steps,
        int batch,
        LearningRate learningRate,
        ObjectiveWeights weights,
        double beta,
        WordDistribution words,
        double rampFraction,
        double inverseShare,
        OptimizerChoice optimizer,
        double clipNorm,
        int width,
        int depth,
        Initialization initialization) {
    /** The base recipe of the paper (appendix {@code app:one-generator-setup}). */
    public static final Recipe PAPER_BASE = new Recipe(
            ActionKind.DISPLACEMENT,
            15_000,
            32,
            new LearningRate.Constant(1e-3),
            new ObjectiveWeights(10, 1, 1, 0, 1, 1),
            0.5,
            WordDistribution.upTo(0.5, 3),
            0,
            0.25,
            OptimizerChoice.of(OptimizerKind.ADAM),
            10,
            256,
            3,
            Initialization.LECUN);

    /** The stronger recipe of the paper. */
    public static final Recipe PAPER_STRONG = PAPER_BASE
            .withLearningRate(new LearningRate.Constant(3e-4))
            .withWeights(new ObjectiveWeights(30, 3, 3, 30, 1, 1));

    /**
     * The default: a cosine schedule from a high peak, and larger terms than the stronger recipe's, because Adam's epsilon
     * slows the last steps where residuals are tiny; those of the group law most, which lowers all errors of most networks.
     */
    public static final Recipe DEFAULT = PAPER_STRONG
            .withLearningRate(new LearningRate.Cosine(3e-3, 200, 1e-3))
            .withWeights(new ObjectiveWeights(100, 200, 200, 100, 1, 1));

    /**
     * The default for actions whose group law holds by construction: only the preservation is trained. A rare sample far out
     * makes a gradient thousands of times larger than the rest, hence the tighter clipping.
     */
    public static final Recipe CONJUGATED = new Recipe(
            ActionKind.CONJUGATED,
            PAPER_BASE.steps(),
            PAPER_BASE.batch(),
            new LearningRate.Cosine(2e-3, 200, 1e-3),
            new ObjectiveWeights(1000, 0, 0, 1000, 1, 1),
            PAPER_BASE.beta(),
            PAPER_BASE.words(),
            PAPER_BASE.rampFraction(),
            PAPER_BASE.inverseShare(),
            OptimizerChoice.of(OptimizerKind.ADAM),
            1,
            192,
            2,
            Initialization.LECUN);

    /** Refuses numbers out of range. */
    public Recipe {
        require(steps >= 1, "steps must be at least 1, got %d", steps);
        require(batch >= 2, "batch must be at least 2, got %d", batch);
        require(beta > 0 && beta < Double.POSITIVE_INFINITY, "beta must be positive, got %s", beta);
        require(words.radius() <= 4, "radius must be at most 4, got %s", words.radius());
        require(rampFraction >= 0 && rampFraction < 1, "rampFraction must be in [0, 1), got %s", rampFraction);
        require(inverseShare >= 0 && inverseShare <= 1, "inverseShare must be in [0, 1], got %s", inverseShare);
        require(clipNorm > 0, "clipNorm must be positive, got %s", clipNorm);
        require(
                action == ActionKind.CONJUGATED || weights.transport() + weights.composition() > 0,
                "one of transport and composition must be positive for a %s",
                action.label());
        require(width >= 1 && width <= 8192, "width must be in 1 .. 8192, got %d", width);
        require(depth >= 1 && depth <= 64, "depth must be in 1 .. 64, got %d", depth);
    }

    private static void require(boolean condition, String message, Object value) {
        if (!condition) {
            throw new IllegalArgumentException("Recipe: " + message.formatted(value));
        }
    }

    /**
     * Returns the recipe with another schedule.
     *
     * @param newRate the schedule
     * @return a new recipe
     */
    public Recipe withLearningRate(LearningRate newRate) {
        return new Recipe(
                action,
                steps,
                batch,
                newRate,
                weights,
                beta,
                words,
                rampFraction,
                inverseShare,
                optimizer,
                clipNorm,
                width,
                depth,
                initialization);
    }

    /**
     * Returns the recipe with other weights.
     *
     * @param newWeights of the loss terms
     * @return a new recipe
     */
    public Recipe withWeights(ObjectiveWeights newWeights) {
        return new Recipe(
                action,
                steps,
                batch,
                learningRate,
                newWeights,
                beta,
                words,
                rampFraction,
                inverseShare,
                optimizer,
                clipNorm,
                width,
                depth,
                initialization);
    }

    /**
     * Returns the recipe with another length.
     *
     * @param newSteps optimiser steps, at least 1
     * @return a new recipe
     */
    public Recipe withSteps(int newSteps) {
        return new Recipe(
                action,
                newSteps,
                batch,
                learningRate,
                weights,
                beta,
                words,
                rampFraction,
                inverseShare,
                optimizer,
                clipNorm,
                width,
                depth,
                initialization);
    }
}
