package org.isoloss.decomposition;

import org.isoloss.action.FlowAction;

/**
 * A smooth family of diffeomorphisms {@code phi_t}, t from 0 to 1, with {@code phi_0 = id} and {@code F_X phi_t = F_X}, all of
 * them the identity outside one compact set in the domain {@code Omega_B} where the compensating units' features are
 * invertible (theorem {@code thm:subnet-map-generation} of the paper).
 */
@FunctionalInterface
public interface OutputPreservingFamily {
    /**
     * Returns {@code phi_to phi_from^-1 (theta)}.
     *
     * @param from from 0 to 1
     * @param to from 0 to 1, before or after {@code from}
     * @param point theta, length p; not modified
     * @return length p
     */
    double[] carry(double from, double to, double[] point);

    /**
     * Takes the flow of a field.
     *
     * @param flow of a field of compact support in the domain, such as {@link org.isoloss.action.SmoothCutoff#times} makes
     * @return the family {@code phi_t = exp(t v)}
     */
    static OutputPreservingFamily flow(FlowAction flow) {
        return (from, to, point) -> flow.follow(to - from, point).orThrow();
    }
}
