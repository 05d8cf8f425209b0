package org.isoloss.network;

import org.isoloss.linalg.Matrix;

/**
 * The function that a symmetry must preserve: {@code F_X(theta)} for a fixed batch {@code X}, with every output
 * component of every input kept apart.
 */
public interface Target {
    /**
     * Returns the number of parameters.
     *
     * @return p, at least 1
     */
    int parameterCount();

    /**
     * Returns the number of output components.
     *
     * @return m, at least 1
     */
    int outputCount();

    /**
     * Returns {@code F_X(theta)} for each row, in float64.
     *
     * @param parameters points theta, shape (n, p); not modified
     * @return outputs, shape (n, m)
     */
    Matrix outputs(Matrix parameters);
}
