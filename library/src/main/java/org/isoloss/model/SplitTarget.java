package org.isoloss.model;

import org.isoloss.linalg.Matrix;

/**
 * A target that is the sum of two contributions, one of units that move and one of units that compensate for them:
 * {@code F_X = Y_C + Y_B}. An action that preserves it makes the two change by opposite amounts.
 */
public interface SplitTarget extends Target {
    /**
     * Returns what the moving units contribute for each row.
     *
     * @param parameters points theta, shape (n, p); not modified
     * @return Y_C, shape (n, m), flattened like the outputs
     */
    Matrix movingOutputs(Matrix parameters);

    /**
     * Returns what the compensating units contribute for each row.
     *
     * @param parameters points theta, shape (n, p); not modified
     * @return Y_B, shape (n, m), flattened like the outputs
     */
    Matrix compensatingOutputs(Matrix parameters);

    @Override
    default Matrix outputs(Matrix parameters) {
        return movingOutputs(parameters).plus(compensatingOutputs(parameters));
    }
}
