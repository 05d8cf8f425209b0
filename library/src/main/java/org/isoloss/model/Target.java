package org.isoloss.model;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/**
 * The function that a symmetry must preserve: {@code F_X(theta)} for a fixed batch {@code X}, with every output
 * component of every input kept apart.
 */
public interface Target {
    /** {@return the number of parameters, p, at least 1} */
    int parameterCount();

    /** {@return the number of output components, m, at least 1} */
    int outputCount();

    /**
     * Returns {@code F_X(theta)} for each row, in float64.
     *
     * @param parameters points theta, shape (n, p); not modified
     * @return outputs, shape (n, m)
     */
    Matrix outputs(Matrix parameters);

    /**
     * Returns the norm of the weights that each row stands for, the base of relative motion. Coordinates that measure
     * changes from somewhere else than the weights' own zero have another norm than the weights.
     *
     * @param parameters points theta, shape (n, p); not modified
     * @return n Euclidean norms; those of the rows unless the target says otherwise
     */
    default double[] weightNorms(Matrix parameters) {
        double[] norms = new double[parameters.rows()];
        Arrays.setAll(norms, row -> parameters.rows(row, row + 1).frobeniusNorm());
        return norms;
    }
}
