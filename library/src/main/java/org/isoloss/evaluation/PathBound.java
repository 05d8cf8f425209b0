package org.isoloss.evaluation;

/**
 * A finite error beside its bound along one path (propositions {@code prop:pathwise-associativity} and
 * {@code prop:pathwise-loss-drift} of the paper). All in the units of the parameters, or of the outputs for their change. The
 * propositions are exact; the numbers estimate their integrals from places on the path, and enclose nothing ({@link
 * ErrorBounds}).
 *
 * @param length of the path
 * @param measured the finite error itself
 * @param initial what the identity's error contributes to the bound, grown along the path
 * @param accumulated what the residuals along the path contribute
 * @param sharp the bound with the residuals that the proofs add up before their norms are taken: the difference of the
 *     two transport residuals, or the whole derivative of the outputs; {@code quadrature} and {@code rounding} are in it
 * @param quadrature estimated error of the integrals, carried through the growth; steps between the places are in it, what
 *     rises and falls again between two places is not
 * @param rounding what float64 may contribute to the measured error: {@link ErrorBounds#ROUNDING} times the largest norm
 *     of the compared vectors or, for outputs, of the point times their derivative
 * @param constants the largest residuals, growth and derivative that were met, each in a direction of norm 1
 */
public record PathBound(
        double length,
        double measured,
        double initial,
        double accumulated,
        double sharp,
        double quadrature,
        double rounding,
        UniformBounds constants) {
    /**
     * {@return the bound of the paper, as it is estimated, with what seems to be wrong about its numbers: the sum of all
     * contributions; infinite where something on the path was not finite}
     */
    public double bound() {
        return initial + accumulated + quadrature + rounding;
    }

    /**
     * {@return whether the estimates are above the error, as the bounds are: whether the measured error is at most the bound
     * and at most the sharp bound; false for NaN}
     */
    public boolean holds() {
        return measured <= bound() && measured <= sharp;
    }
}
