package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/**
 * An action at fixed points as a function of the group element, {@code g -> a_X(g, theta)}: what depends on the points alone
 * is computed once, however many elements follow.
 *
 * <p>Where there are more elements than points, the points begin again: row i of the arguments belongs to point
 * {@code i mod n}.
 */
public interface OrbitMap {
    /**
     * Returns {@code a_X(g, theta)} for each row.
     *
     * @param elements group elements g, shape (k n, s * s), k at least 1; not modified
     * @return moved points, shape (k n, p), as {@link GroupAction#apply} gives them to rounding
     */
    Matrix apply(Matrix elements);

    /**
     * Returns the derivative in the group argument for each row.
     *
     * @param elements group elements g, shape (k n, s * s), k at least 1; not modified
     * @param directions tangent matrices at g, shape (k n, s * s); not modified
     * @return tangent vectors, shape (k n, p), as {@link GroupAction#derivative} gives them to rounding
     */
    Matrix derivative(Matrix elements, Matrix directions);

    /**
     * Returns the induced field for each row, along one direction for each point or several.
     *
     * @param directions h, shape (k n, s * s), k at least 1; not modified
     * @return field values, shape (k n, p), as {@link GroupAction#field} gives them to rounding
     */
    default Matrix field(Matrix directions) {
        return derivative(Batches.identities(directions), directions);
    }
}
