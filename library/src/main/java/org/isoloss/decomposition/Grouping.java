package org.isoloss.decomposition;

/** What one factor changes, beside the outgoing weights of the compensating units. */
public enum Grouping {
    /** One coordinate, as in the proof of the theorem: d factors an increment. */
    COORDINATE,
    /** All coordinates of one hidden unit, by the same argument: H factors an increment. */
    UNIT
}
