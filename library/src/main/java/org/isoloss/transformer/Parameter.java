package org.isoloss.transformer;

import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;

/** One weight of a transformer, a matrix or a vector; its numbers are read in stretches, and only those that are used. */
sealed interface Parameter {
    /** Length of a row: of the last axis. */
    int columns();

    /** Reads consecutive numbers, row by row, as float32. */
    void read(long from, float[] target, int at, int count);

    /** Reads consecutive numbers, row by row, as float64, exactly. */
    void read(long from, double[] target, int at, int count);

    /** A weight in a file. */
    record Stored(StoredTensor tensor) implements Parameter {
        @Override
        public int columns() {
            return lastSize(tensor.shape());
        }

        @Override
        public void read(long from, float[] target, int at, int count) {
            tensor.read(from, target, at, count);
        }

        @Override
        public void read(long from, double[] target, int at, int count) {
            tensor.read(from, target, at, count);
        }
    }

    /** A weight that an edit puts in the place of a stored one; float32 takes the nearest number. */
    record Replaced(Matrix matrix, int columns) implements Parameter {
        @Override
        public void read(long from, float[] target, int at, int count) {
            int first = Math.toIntExact(from);
            for (int i = 0; i < count; i++) {
                target[at + i] = (float) matrix.entries()[first + i];
            }
        }

        @Override
        public void read(long from, double[] target, int at, int count) {
            System.arraycopy(matrix.entries(), Math.toIntExact(from), target, at, count);
        }
    }

    /** Returns all numbers as a matrix; a vector is one row. */
    default Matrix toMatrix(int rows) {
        Matrix matrix = Matrix.zeros(rows, columns());
        read(0, matrix.entries(), 0, matrix.entries().length);
        return matrix;
    }

    private static int lastSize(Shape shape) {
        return Math.toIntExact(shape.size(shape.rank() - 1));
    }
}
