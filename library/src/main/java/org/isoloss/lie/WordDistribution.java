package org.isoloss.lie;

/**
 * How a random group word is drawn: the number of factors uniform from {@code fewestFactors} to {@code mostFactors}, the
 * total absolute coefficient uniform from {@code 0.2 radius} to {@code radius}.
 *
 * @param radius upper bound of the sum of absolute coefficients, positive and finite
 * @param fewestFactors at least 1
 * @param mostFactors at least {@code fewestFactors}
 */
public record WordDistribution(double radius, int fewestFactors, int mostFactors) {
    /** The least total length as a share of the radius (appendix {@code app:one-generator-setup} of the paper). */
    public static final double SHORTEST_SHARE = 0.2;

    /** Refuses impossible values. */
    public WordDistribution {
        if (!(radius > 0) || Double.isInfinite(radius)) {
            throw new IllegalArgumentException(
                    "WordDistribution: radius is %s, expected a positive finite number".formatted(radius));
        }
        if (fewestFactors < 1 || mostFactors < fewestFactors) {
            throw new IllegalArgumentException("WordDistribution: %d to %d factors, expected 1 <= fewest <= most"
                    .formatted(fewestFactors, mostFactors));
        }
    }

    /**
     * Draws up to a number of factors, as in training.
     *
     * @param radius upper bound of the total absolute coefficient
     * @param factors the most, at least 1
     * @return from 1 to {@code factors} factors
     */
    public static WordDistribution upTo(double radius, int factors) {
        return new WordDistribution(radius, 1, factors);
    }

    /**
     * Draws one number of factors only, as in a cell of the test grid.
     *
     * @param radius upper bound of the total absolute coefficient
     * @param factors at least 1
     * @return exactly {@code factors} factors
     */
    public static WordDistribution exactly(double radius, int factors) {
        return new WordDistribution(radius, factors, factors);
    }
}
