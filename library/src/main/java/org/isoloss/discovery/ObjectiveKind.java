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

    ObjectiveWeights select(ObjectiveWeights weights) {
        return switch (this) {
            case HYBRID -> weights;
            case FINITE ->
                new ObjectiveWeights(
                        0,
                        0,
                        weights.composition(),
                        weights.preservation() > 0 ? weights.preservation() : weights.invariance(),
                        weights.scale(),
                        weights.diversity(),
                        weights.adaptive());
            case INFINITESIMAL ->
                new ObjectiveWeights(
                        weights.invariance(),
                        weights.transport(),
                        0,
                        0,
                        weights.scale(),
                        weights.diversity(),
                        weights.adaptive());
        };
    }
}
