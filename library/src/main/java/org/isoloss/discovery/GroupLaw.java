package org.isoloss.discovery;

/**
 * How the group law is trained; a term of weight 0 is not computed.
 *
 * @param transport weight of {@code eq:discovery-associativity-loss}
 * @param composition weight of {@code eq:discovery-finite-composition-loss}
 * @param inverseShare share of the composition pairs that are inverse pairs, in [0, 1]
 */
public record GroupLaw(double transport, double composition, double inverseShare) {
    /** Refuses numbers out of range, and a law without terms. */
    public GroupLaw {
        RecipeNumber.TRANSPORT.check(transport);
        RecipeNumber.COMPOSITION.check(composition);
        if (!(inverseShare >= 0 && inverseShare <= 1)) {
            throw new IllegalArgumentException(
                    "Recipe: inverseShare must be in [0, 1], got %s".formatted(inverseShare));
        }
        if (transport + composition == 0) {
            throw new IllegalArgumentException(
                    "Recipe: one of transport and composition must be positive for a displacement");
        }
    }

    /**
     * Returns the law with other weights.
     *
     * @param newTransport weight of transport
     * @param newComposition weight of composition
     * @return the same share of inverse pairs
     */
    public GroupLaw weighed(double newTransport, double newComposition) {
        return new GroupLaw(newTransport, newComposition, inverseShare);
    }
}
