package org.isoloss.flow;

import java.util.List;

/**
 * Where a flow is, and all that its next step depends on.
 *
 * @param point theta, length p; not to be modified
 * @param step of time that is tried next; 0 for the first
 * @param length how long the way so far is
 * @param steps how many steps were taken
 * @param rankChanges where on the way the rank changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record FlowState(double[] point, double step, double length, int steps, List<RankChange> rankChanges) {
    /** Keeps its own list. */
    public FlowState {
        rankChanges = List.copyOf(rankChanges);
    }

    /**
     * A change of the rank of the Jacobian of what is kept.
     *
     * @param distance where, as {@link LevelFlow#distance} counts
     * @param before the rank on the way there
     * @param there the rank at the place, or beyond where it stays
     */
    public record RankChange(double distance, int before, int there) {}
}
