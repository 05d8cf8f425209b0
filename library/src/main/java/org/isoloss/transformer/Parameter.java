package org.isoloss.transformer;

import java.util.ArrayList;
import java.util.List;
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

    /** A weight with its rows, or its columns, in the opposite order. */
    record Reversed(Parameter base, int rows, boolean byRow) implements Parameter {
        @Override
        public int columns() {
            return base.columns();
        }

        @Override
        public void read(long from, float[] target, int at, int count) {
            for (Stretch stretch : stretches(from, count)) {
                int first = at + stretch.at;
                base.read(stretch.from, target, first, stretch.count);
                for (int i = 0; i < stretch.count / 2 && !byRow; i++) {
                    int other = first + stretch.count - 1 - i;
                    float swapped = target[first + i];
                    target[first + i] = target[other];
                    target[other] = swapped;
                }
            }
        }

        @Override
        public void read(long from, double[] target, int at, int count) {
            for (Stretch stretch : stretches(from, count)) {
                int first = at + stretch.at;
                base.read(stretch.from, target, first, stretch.count);
                for (int i = 0; i < stretch.count / 2 && !byRow; i++) {
                    int other = first + stretch.count - 1 - i;
                    double swapped = target[first + i];
                    target[first + i] = target[other];
                    target[other] = swapped;
                }
            }
        }

        /** Consecutive numbers of the base within one row, and how many numbers come before them. */
        private record Stretch(long from, int at, int count) {}

        private List<Stretch> stretches(long from, int count) {
            int columns = columns();
            List<Stretch> stretches = new ArrayList<>();
            int done = 0;
            while (done < count) {
                int row = Math.toIntExact((from + done) / columns);
                int column = Math.toIntExact((from + done) % columns);
                int length = Math.min(columns - column, count - done);
                long begin = byRow
                        ? (long) (rows - 1 - row) * columns + column
                        : (long) row * columns + columns - column - length;
                stretches.add(new Stretch(begin, done, length));
                done += length;
            }
            return stretches;
        }
    }

    private static int lastSize(Shape shape) {
        return Math.toIntExact(shape.size(shape.rank() - 1));
    }
}
