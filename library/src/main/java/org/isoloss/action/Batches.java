package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/** Shapes of the batched arguments of an action. */
final class Batches {
    /** How far rounding may take a group element of unit scale from the form of its group. */
    static final double ROUNDING = 1e-12;

    private Batches() {}

    /** Refuses group elements, or directions, and points that do not belong together. */
    static void require(GroupAction action, Matrix matrices, Matrix parameters) {
        int size = action.generators().size();
        String where = action.getClass().getSimpleName();
        if (matrices.columns() != size * size) {
            throw new IllegalArgumentException("%s: group elements have %d entries, expected %d x %d = %d"
                    .formatted(where, matrices.columns(), size, size, size * size));
        }
        if (parameters.columns() != action.parameterCount()) {
            throw new IllegalArgumentException("%s: points have %d parameters, expected %d"
                    .formatted(where, parameters.columns(), action.parameterCount()));
        }
        if (matrices.rows() != parameters.rows()) {
            throw new IllegalArgumentException("%s: %d group elements for %d points, expected one for each"
                    .formatted(where, matrices.rows(), parameters.rows()));
        }
    }

    static Matrix square(Matrix matrices, int row, int size) {
        return Matrix.over(size, size, matrices.row(row));
    }

    static void setRow(Matrix matrix, int row, double[] values) {
        System.arraycopy(values, 0, matrix.entries(), row * matrix.columns(), matrix.columns());
    }
}
