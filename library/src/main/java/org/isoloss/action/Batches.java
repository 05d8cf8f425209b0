package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/** Shapes of the batched arguments of an action. */
final class Batches {
    /** How far rounding may take a group element of unit scale from the form of its group. */
    static final double ROUNDING = 1e-12;

    private Batches() {}

    /** Refuses group elements, or directions, and points that do not belong together. */
    static void require(GroupAction action, Matrix matrices, Matrix parameters) {
        requireWidths(action, matrices, parameters);
        if (matrices.rows() != parameters.rows()) {
            throw new IllegalArgumentException("%s: %d group elements for %d points, expected one for each"
                    .formatted(action.getClass().getSimpleName(), matrices.rows(), parameters.rows()));
        }
    }

    /** Refuses group elements, or directions, that are not the same number for each point. */
    static void requireSeveral(GroupAction action, Matrix matrices, Matrix parameters) {
        requireWidths(action, matrices, parameters);
        if (parameters.rows() == 0 || matrices.rows() == 0 || matrices.rows() % parameters.rows() != 0) {
            throw new IllegalArgumentException("%s: %d group elements for %d points, expected the same number for each"
                    .formatted(action.getClass().getSimpleName(), matrices.rows(), parameters.rows()));
        }
    }

    private static void requireWidths(GroupAction action, Matrix matrices, Matrix parameters) {
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
    }

    static Matrix square(Matrix matrices, int row, int size) {
        return Matrix.over(size, size, matrices.row(row));
    }

    static void setRow(Matrix matrix, int row, double[] values) {
        System.arraycopy(values, 0, matrix.entries(), row * matrix.columns(), matrix.columns());
    }

    /** As many rows as wanted, which begin again behind the last one. */
    static Matrix repeated(Matrix rows, int count) {
        if (count == rows.rows()) {
            return rows;
        }
        Matrix repeated = Matrix.zeros(count, rows.columns());
        for (int row = 0; row < count; row++) {
            setRow(repeated, row, rows.row(row % rows.rows()));
        }
        return repeated;
    }

    /** Identity matrices of the size of given matrices, one for each row. */
    static Matrix identities(Matrix matrices) {
        int size = (int) Math.round(Math.sqrt(matrices.columns()));
        return repeated(Matrix.over(1, size * size, Matrix.identity(size).entries()), matrices.rows());
    }
}
