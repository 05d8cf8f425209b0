package org.isoloss.action;

import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;

/**
 * An action, or its derivative, recorded for {@link #ROWS} rows at a time.
 *
 * @param program of the recording, weights set
 * @param elements input, group elements
 * @param directions input, tangents at the group elements
 * @param parameters input, points
 * @param result one row for each point
 */
record RecordedCall(Program program, Tensor elements, Tensor directions, Tensor parameters, Tensor result) {
    /** Large enough for fast matrix products, small enough for the second-level cache. */
    static final int ROWS = 128;

    /** Evaluates any number of rows, all three arguments having as many. */
    Matrix run(Matrix elementRows, Matrix directionRows, Matrix parameterRows) {
        Matrix results = Matrix.zeros(parameterRows.rows(), result.columns());
        for (int from = 0; from < results.rows(); from += ROWS) {
            int count = Math.min(ROWS, results.rows() - from);
            fill(elements, elementRows, from, count);
            fill(directions, directionRows, from, count);
            fill(parameters, parameterRows, from, count);
            program.forward();
            for (int i = 0; i < count * results.columns(); i++) {
                results.entries()[from * results.columns() + i] = program.get(result, i);
            }
        }
        return results;
    }

    private void fill(Tensor tensor, Matrix rows, int from, int count) {
        for (int i = 0; i < count * rows.columns(); i++) {
            program.set(tensor, i, rows.entries()[from * rows.columns() + i]);
        }
    }
}
