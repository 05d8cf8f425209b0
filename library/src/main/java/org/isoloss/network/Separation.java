package org.isoloss.network;

/**
 * Whether the rest of a network sees moving parameters through a boundary alone, the premise of proposition
 * {@code prop:symmetry-from-subnetworks}: computed from the graph, either the factorisation or a way around the boundary.
 */
public sealed interface Separation permits Factorization, Leak {
    /**
     * Returns the factorisation.
     *
     * @return where there is one
     * @throws IllegalArgumentException with the way around the boundary where there is none
     */
    Factorization orThrow();
}
