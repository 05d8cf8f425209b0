package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/** An action whose maps can be differentiated in the parameters, as adjoint equivariance of its fields needs it. */
public interface ParameterDerivative extends GroupAction {
    /**
     * Returns {@code D_theta a_X|_(g, theta) [w]} for each row: how the moved point changes when the point moves along w, the
     * left side of {@code eq:generator-adjoint-equivariance} where w is a field.
     *
     * @param elements group elements g, shape (n, s * s); not modified
     * @param parameters points theta, shape (n, p); not modified
     * @param velocities w, shape (n, p); not modified
     * @return tangents at the moved points, shape (n, p)
     */
    Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities);
}
