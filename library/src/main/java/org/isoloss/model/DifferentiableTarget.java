package org.isoloss.model;

import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;

/** A target that can be recorded in a graph, for values and tangents alike. */
public interface DifferentiableTarget extends Target {
    /**
     * Records {@code F_X} for a batch of parameter vectors.
     *
     * @param graph receives the operations
     * @param parameters one parameter vector or tangent a row, shape (n, p)
     * @return one output vector or its tangent a row, shape (n, m), the same kinds of rows; the components of
     *     {@link #outputs} in their order
     */
    Jet record(Graph graph, Jet parameters);

    /**
     * Returns the Jacobian of the outputs at one point, in float64.
     *
     * @param point theta, length p; not modified
     * @return {@code D F_X}, shape (m, p), its rows in the order of {@link #outputs}
     */
    Matrix jacobian(double[] point);

    /**
     * Multiplies the Jacobian by a direction.
     *
     * @param point theta, length p; not modified
     * @param direction length p; not modified
     * @return length m
     */
    default double[] tangent(double[] point, double[] direction) {
        return Blas.gemv(jacobian(point), false, direction);
    }

    /**
     * Multiplies the transpose of the Jacobian by a gradient of the outputs.
     *
     * @param point theta, length p; not modified
     * @param gradient length m; not modified
     * @return length p
     */
    default double[] gradient(double[] point, double[] gradient) {
        return Blas.gemv(jacobian(point), true, gradient);
    }
}
