package org.isoloss.action;

import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;

/**
 * A group action {@code a_X(g, theta)} of a matrix group on parameter vectors, for a fixed batch {@code X}
 * (equation {@code eq:map-a} of the paper).
 *
 * <p>Everything is batched: row i of the result belongs to row i of each argument. Group elements and directions are
 * s x s matrices flattened row by row. A learned action obeys the laws approximately, the others to rounding.
 */
public interface GroupAction {
    /** {@return the generators of the group, r matrices of size s} */
    Generators generators();

    /** {@return the number of parameters that the group acts on, p, at least 1} */
    int parameterCount();

    /**
     * Returns {@code a_X(g, theta)} for each row.
     *
     * @param elements group elements g, shape (n, s * s); not modified
     * @param parameters points theta, shape (n, p); not modified
     * @return moved points, shape (n, p)
     */
    Matrix apply(Matrix elements, Matrix parameters);

    /**
     * Returns where a word moves one point.
     *
     * @param word in the {@link #generators}
     * @param point theta, length p; not modified
     * @return the moved point, length p
     */
    default double[] apply(GroupWord word, double[] point) {
        Matrix element = word.matrix(generators());
        return apply(Matrix.over(1, element.entries().length, element.entries()), Matrix.of(1, point.length, point))
                .row(0);
    }

    /**
     * Returns the derivative in the group argument alone, {@code D_g a_X|_(g, theta) [direction]}, for each row: the left side
     * of {@code eq:infinitesimal-action-transport} where the direction is {@code h g}.
     *
     * @param elements group elements g, shape (n, s * s); not modified
     * @param directions tangent matrices at g, shape (n, s * s); not modified
     * @param parameters points theta, shape (n, p); not modified
     * @return tangent vectors, shape (n, p)
     */
    Matrix derivative(Matrix elements, Matrix directions, Matrix parameters);

    /**
     * Returns the induced field {@code v_(X,h)(theta) = D_g a_X|_(I, theta) [h]} for each row, along which
     * {@code eq:infinitesimal-symmetry} tests the outputs.
     *
     * @param directions h, shape (n, s * s); not modified
     * @param parameters points theta, shape (n, p); not modified
     * @return field values, shape (n, p)
     */
    default Matrix field(Matrix directions, Matrix parameters) {
        return derivative(Batches.identities(directions), directions, parameters);
    }

    /**
     * Fixes the points, for several group elements at each: an action may share what the elements have in common.
     *
     * @param parameters points theta, shape (n, p), n at least 1; not to be modified while the map is used
     * @return the action as a function of the group element
     */
    default OrbitMap at(Matrix parameters) {
        return new RowByRowOrbitMap(this, parameters);
    }
}
