package org.isoloss.symmetry;

import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * Explains motions of channels by affine maps of the channels, by least squares over samples.
 *
 * @param rows the channels on the samples and ones, one sample a row
 * @param functions an orthonormal basis of the channels and ones as functions on the samples, one a column
 * @param coefficients of the channels and ones in that basis
 * @param size the largest singular value of the rows; 1 where they are zero
 */
record AffineFit(Matrix rows, Matrix functions, Matrix coefficients, double size) {
    /** Singular values below this share of the largest are taken for zeros. */
    private static final double RANK = 1e-9;

    /**
     * Prepares fits.
     *
     * @param numbers of the channels, one sample a row
     */
    static AffineFit of(Matrix numbers) {
        Matrix rows = withOnes(numbers);
        Svd svd = Svd.of(rows);
        double[] singular = svd.singularValues();
        int rank = singular.length == 0 || singular[0] == 0 ? 0 : svd.rank(RANK);
        Matrix coefficients = columns(svd.right(), rank);
        for (int i = 0; i < coefficients.rows(); i++) {
            for (int f = 0; f < rank; f++) {
                coefficients.set(i, f, coefficients.get(i, f) / singular[f]);
            }
        }
        return new AffineFit(rows, columns(svd.left(), rank), coefficients, rank == 0 ? 1 : singular[0]);
    }

    private static Matrix withOnes(Matrix rows) {
        Matrix wide = Matrix.zeros(rows.rows(), rows.columns() + 1);
        for (int i = 0; i < rows.rows(); i++) {
            System.arraycopy(rows.entries(), i * rows.columns(), wide.entries(), i * wide.columns(), rows.columns());
            wide.set(i, rows.columns(), 1);
        }
        return wide;
    }

    /** The first columns. */
    static Matrix columns(Matrix matrix, int count) {
        Matrix first = Matrix.zeros(matrix.rows(), count);
        for (int i = 0; i < matrix.rows(); i++) {
            for (int j = 0; j < count; j++) {
                first.set(i, j, matrix.get(i, j));
            }
        }
        return first;
    }

    /**
     * Computes what a map makes of channels.
     *
     * @param channels n of them
     * @param map of these, shape (n, n + 1)
     * @return in coordinates of the basis, over the size, a channel a column
     */
    Matrix moved(int[] channels, Matrix map) {
        Matrix own = Matrix.zeros(rows.rows(), channels.length + 1);
        for (int row = 0; row < rows.rows(); row++) {
            for (int i = 0; i < channels.length; i++) {
                own.set(row, i, rows.get(row, channels[i]));
            }
            own.set(row, channels.length, 1);
        }
        return coordinates(own.times(map.transpose()));
    }

    /** The part of a motion, one sample a row, that an affine map makes, in coordinates of the basis, over the size. */
    Matrix coordinates(Matrix motion) {
        return functions.transpose().times(motion).scaled(1 / size);
    }

    /** The part of a motion that no affine map makes, over the size. */
    Matrix residual(Matrix motion) {
        return motion.scaled(1 / size).minus(functions.times(coordinates(motion)));
    }

    /** The shortest map, shape (n, n + 1), that makes a motion of given coordinates. */
    Matrix map(Matrix coordinates) {
        return coefficients.times(coordinates).scaled(size).transpose();
    }
}
