package org.isoloss.discovery;

/** The variants of the training objective (paragraph "Finite preservation and objective variants" of
 * appendix {@code app:discovery-objectives} of the paper). */
public enum ObjectiveKind {
    /** Infinitesimal conditions together with finite composition, and finite preservation where the recipe weighs it. */
    HYBRID,
    /** Finite composition and finite preservation alone. */
    FINITE,
    /** The infinitesimal conditions alone. */
    INFINITESIMAL;

    /** The weights that count, of the terms that every architecture has. */
    ObjectiveWeights select(ObjectiveWeights weights) {
        double finite = this == FINITE && weights.preservation() == 0 ? weights.invariance() : weights.preservation();
        return new ObjectiveWeights(
                this == FINITE ? 0 : weights.invariance(),
                this == INFINITESIMAL ? 0 : finite,
                weights.scale(),
                weights.diversity(),
                weights.adaptive());
    }

    /** The weights that count, of a law that is trained. */
    GroupLaw select(GroupLaw law) {
        if (this == FINITE ? law.composition() == 0 : this == INFINITESIMAL && law.transport() == 0) {
            throw new IllegalArgumentException("Objective: transport and composition have no weight, but one must:"
                    + " a displacement obeys the group law only as far as it is trained");
        }
        return law.weighed(this == FINITE ? 0 : law.transport(), this == INFINITESIMAL ? 0 : law.composition());
    }
}
