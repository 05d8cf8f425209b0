package org.isoloss.discovery;

/**
 * Weights of the loss terms; a term of weight 0 is not computed. A conjugated action has no use for the weights of transport
 * and composition, a displacement needs one of them.
 *
 * @param invariance of {@code eq:discovery-invariance-loss}
 * @param transport of {@code eq:discovery-associativity-loss}
 * @param composition of {@code eq:discovery-finite-composition-loss}
 * @param preservation of {@code eq:discovery-finite-preservation-loss}
 * @param scale of {@code eq:generator-scale-regularizer}, positive
 * @param diversity of {@code eq:generator-diversity-regularizer}; counts from two generators on
 * @param adaptive whether the weights of residuals, which are all terms but scale and diversity, are divided by the sizes
 *     of their terms in the same step
 */
public record ObjectiveWeights(
        double invariance,
        double transport,
        double composition,
        double preservation,
        double scale,
        double diversity,
        boolean adaptive) {
    /** Refuses negative weights, and weights that leave nothing to preserve. */
    public ObjectiveWeights {
        double[] all = {invariance, transport, composition, preservation, scale, diversity};
        for (double weight : all) {
            if (!(weight >= 0) || Double.isInfinite(weight)) {
                throw new IllegalArgumentException(
                        "ObjectiveWeights: %s is no weight, expected at least 0".formatted(weight));
            }
        }
        if (scale == 0 || invariance + preservation == 0) {
            throw new IllegalArgumentException(
                    "ObjectiveWeights: scale and one of invariance and preservation must be positive");
        }
    }

    /**
     * Weights that stay as they are.
     *
     * @param invariance of {@code eq:discovery-invariance-loss}
     * @param transport of {@code eq:discovery-associativity-loss}
     * @param composition of {@code eq:discovery-finite-composition-loss}
     * @param preservation of {@code eq:discovery-finite-preservation-loss}
     * @param scale of {@code eq:generator-scale-regularizer}, positive
     * @param diversity of {@code eq:generator-diversity-regularizer}; counts from two generators on
     */
    public ObjectiveWeights(
            double invariance,
            double transport,
            double composition,
            double preservation,
            double scale,
            double diversity) {
        this(invariance, transport, composition, preservation, scale, diversity, false);
    }
}
