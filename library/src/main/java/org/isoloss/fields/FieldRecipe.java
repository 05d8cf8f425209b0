package org.isoloss.fields;

import org.isoloss.discovery.LearningRate;

/**
 * How fields are trained.
 *
 * @param steps at least 1
 * @param batch points of a step, from 4
 * @param peak largest learning rate, positive; it rises over 100 steps and falls as a cosine to a thousandth
 * @param invariance weight of {@code |D F v|^2}, positive
 * @param brackets weight of what brackets are apart from the constants' combinations, at least 0
 * @param jacobi weight of the Jacobi identity of learned constants, at least 0
 * @param normalization weight of the fields' inner products, which keeps them from collapsing, positive
 * @param spread half of the points are drawn this many times as far from the unperturbed ones, at least 1
 */
public record FieldRecipe(
        int steps,
        int batch,
        double peak,
        double invariance,
        double brackets,
        double jacobi,
        double normalization,
        double spread) {
    /** For free fields. */
    public static final FieldRecipe FREE = new FieldRecipe(6_000, 64, 3e-3, 100, 30, 1, 10, 1.5);

    /** For affine fields. */
    public static final FieldRecipe AFFINE = new FieldRecipe(5_000, 64, 1e-2, 100, 30, 1, 10, 1.5);

    private static final double CLIP = 10;

    /** Refuses impossible values. */
    public FieldRecipe {
        boolean fits = steps >= 1
                && batch >= 4
                && peak > 0
                && invariance > 0
                && brackets >= 0
                && jacobi >= 0
                && normalization > 0
                && spread >= 1;
        if (!fits || Double.isInfinite(peak + invariance + brackets + jacobi + normalization + spread)) {
            throw new IllegalArgumentException(
                    "FieldRecipe: %d steps of %d points, peak %s, weights %s, %s, %s, %s, spread %s: expected at least 1 step and 4 points, finite numbers, and a spread of at least 1"
                            .formatted(steps, batch, peak, invariance, brackets, jacobi, normalization, spread));
        }
    }

    /**
     * {@return the same with other steps}
     *
     * @param newSteps at least 1
     */
    public FieldRecipe withSteps(int newSteps) {
        return new FieldRecipe(newSteps, batch, peak, invariance, brackets, jacobi, normalization, spread);
    }

    double clip() {
        return CLIP;
    }

    int block() {
        return 128;
    }

    LearningRate learningRate() {
        return new LearningRate.Cosine(peak, Math.min(100, steps), 1e-3);
    }
}
