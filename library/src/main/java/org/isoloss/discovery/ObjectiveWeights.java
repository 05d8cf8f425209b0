package org.isoloss.discovery;

/**
 * Weights of the loss terms that every architecture has; a term of weight 0 is not computed.
 *
 * @param invariance of {@code eq:discovery-invariance-loss}
 * @param preservation of {@code eq:discovery-finite-preservation-loss}
 * @param scale of {@code eq:generator-scale-regularizer}, positive
 * @param diversity of {@code eq:generator-diversity-regularizer}; counts from two generators on
 * @param adaptive whether the weights of residuals, which are all terms but scale and diversity, are divided by the sizes
 *     of their terms in the same step
 */
public record ObjectiveWeights(
        double invariance, double preservation, double scale, double diversity, boolean adaptive) {
    /** Refuses negative weights, and weights that leave nothing to preserve. */
    public ObjectiveWeights {
        RecipeNumber.INVARIANCE.check(invariance);
        RecipeNumber.PRESERVATION.check(preservation);
        RecipeNumber.SCALE.check(scale);
        RecipeNumber.DIVERSITY.check(diversity);
        if (invariance + preservation == 0) {
            throw new IllegalArgumentException("ObjectiveWeights: one of invariance and preservation must be positive");
        }
    }

    /**
     * Weights that stay as they are.
     *
     * @param invariance of {@code eq:discovery-invariance-loss}
     * @param preservation of {@code eq:discovery-finite-preservation-loss}
     * @param scale of {@code eq:generator-scale-regularizer}, positive
     * @param diversity of {@code eq:generator-diversity-regularizer}; counts from two generators on
     */
    public ObjectiveWeights(double invariance, double preservation, double scale, double diversity) {
        this(invariance, preservation, scale, diversity, false);
    }
}
