package org.isoloss.evaluation;

import org.isoloss.linalg.Matrix;

/** The derivative {@code D_theta F_X} of what an action should preserve. */
@FunctionalInterface
public interface OutputJacobian {
    /**
     * Returns the Jacobian at one point.
     *
     * @param point theta, length p, finite; not modified
     * @return shape (m, p)
     */
    Matrix at(double[] point);
}
