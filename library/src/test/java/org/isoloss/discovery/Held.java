package org.isoloss.discovery;

/** A part of the loss through which differentiation may or may not pass. */
enum Held {
    /** The points a(q, theta) at which the differential losses are taken: the paper detaches them, and nothing else. */
    SAMPLED_POINTS,
    /** The matrix exponentials of all words. */
    EXPONENTIALS,
    /** The point a(g, x) in the right side of the transport residual, v(a(g, x)). */
    POINT_OF_FIELD,
    /** The h in the left side of the transport residual, D_g a [h g]. */
    CARRIED_DIRECTION,
    /** The h in the right side of the transport residual, v_h(a(g, x)). */
    DIRECTION_OF_FIELD,
    /** The inner point a(g1, x) of a composition. */
    INNER_POINT
}
