package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/** An action whose fields can be differentiated in the parameters, as Lie brackets of fields need it. */
public interface FieldDerivative extends GroupAction {
    /**
     * Returns {@code D_theta v_(X,h)|_theta [w]} for each row: how the field of h changes along w.
     *
     * @param directions h, shape (n, s * s); not modified
     * @param parameters points theta, shape (n, p); not modified
     * @param velocities w, shape (n, p); not modified
     * @return derivatives of the field, shape (n, p)
     */
    Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities);
}
