package org.isoloss.linalg;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A dense float64 matrix, row by row. A batch of vectors is a matrix with one vector a row.
 *
 * <p>Entries may be changed with {@link #set}; every other method returns something new.
 */
public final class Matrix {
    /** So many rows and columns of two matrices lie in the first cache together. */
    private static final int TILE = 32;

    private final int rows;
    private final int columns;
    private final double[] entries;

    private Matrix(int rows, int columns, double[] entries) {
        this.rows = rows;
        this.columns = columns;
        this.entries = entries;
    }

    /**
     * Returns a matrix that holds {@code entries} itself: later changes of the array are seen.
     *
     * @param rows number of rows, at least 0
     * @param columns number of columns, at least 0
     * @param entries row by row, length {@code rows * columns}; kept, not copied
     * @return the matrix over the array
     */
    public static Matrix over(int rows, int columns, double[] entries) {
        if (rows < 0 || columns < 0 || entries.length != (long) rows * columns) {
            throw new IllegalArgumentException("Matrix: %d entries given, expected %d x %d = %d"
                    .formatted(entries.length, rows, columns, (long) rows * columns));
        }
        return new Matrix(rows, columns, entries);
    }

    /**
     * Returns a matrix with its own copy of the entries.
     *
     * @param rows number of rows, at least 0
     * @param columns number of columns, at least 0
     * @param entries row by row, length {@code rows * columns}; copied
     * @return the matrix
     */
    public static Matrix of(int rows, int columns, double... entries) {
        return over(rows, columns, entries.clone());
    }

    /**
     * Returns the zero matrix.
     *
     * @param rows number of rows, at least 0
     * @param columns number of columns, at least 0
     * @return a new matrix of zeros
     */
    public static Matrix zeros(int rows, int columns) {
        return over(rows, columns, new double[Math.multiplyExact(rows, columns)]);
    }

    /**
     * Returns the identity.
     *
     * @param size rows and columns, at least 0
     * @return a new identity matrix
     */
    public static Matrix identity(int size) {
        Matrix identity = zeros(size, size);
        for (int i = 0; i < size; i++) {
            identity.set(i, i, 1);
        }
        return identity;
    }

    /**
     * Draws a matrix of independent normal numbers of mean 0 and deviation 1, row by row.
     *
     * @param rows number of rows, at least 0
     * @param columns number of columns, at least 0
     * @param random is drawn from, once for each entry
     * @return a new matrix
     */
    public static Matrix gaussian(int rows, int columns, SplittableRandom random) {
        Matrix gaussian = zeros(rows, columns);
        Arrays.setAll(gaussian.entries, _ -> random.nextGaussian());
        return gaussian;
    }

    /** {@return the number of rows, at least 0} */
    public int rows() {
        return rows;
    }

    /** {@return the number of columns, at least 0} */
    public int columns() {
        return columns;
    }

    /**
     * Returns one entry.
     *
     * @param row from 0
     * @param column from 0
     * @return the entry
     */
    public double get(int row, int column) {
        return entries[row * columns + column];
    }

    /**
     * Changes one entry.
     *
     * @param row from 0
     * @param column from 0
     * @param value the new entry
     */
    public void set(int row, int column, double value) {
        entries[row * columns + column] = value;
    }

    /** {@return the array beneath, row by row; writing to it changes the matrix; length {@code rows * columns}} */
    public double[] entries() {
        return entries;
    }

    /**
     * Returns a copy of one row.
     *
     * @param row from 0
     * @return length {@code columns}
     */
    public double[] row(int row) {
        return Arrays.copyOfRange(entries, row * columns, (row + 1) * columns);
    }

    /**
     * Returns a copy of one column.
     *
     * @param column from 0
     * @return length {@code rows}
     */
    public double[] column(int column) {
        double[] copy = new double[rows];
        for (int i = 0; i < rows; i++) {
            copy[i] = get(i, column);
        }
        return copy;
    }

    /**
     * Returns a copy of consecutive rows.
     *
     * @param from first row
     * @param to one past the last row
     * @return shape (to - from, columns)
     */
    public Matrix rows(int from, int to) {
        return over(to - from, columns, Arrays.copyOfRange(entries, from * columns, to * columns));
    }

    /** {@return a copy, a matrix with entries of its own} */
    public Matrix copy() {
        return over(rows, columns, entries.clone());
    }

    /** {@return the transpose, shape (columns, rows)} */
    public Matrix transpose() {
        Matrix transpose = zeros(columns, rows);
        for (int tileRow = 0; tileRow < rows; tileRow += TILE) {
            for (int tileColumn = 0; tileColumn < columns; tileColumn += TILE) {
                int endRow = Math.min(rows, tileRow + TILE);
                int endColumn = Math.min(columns, tileColumn + TILE);
                for (int i = tileRow; i < endRow; i++) {
                    for (int j = tileColumn; j < endColumn; j++) {
                        transpose.entries[j * rows + i] = entries[i * columns + j];
                    }
                }
            }
        }
        return transpose;
    }

    /**
     * Returns the matrix product {@code this * right}.
     *
     * @param right shape (columns, n); not modified
     * @return shape (rows, n)
     */
    public Matrix times(Matrix right) {
        if (columns != right.rows) {
            throw new IllegalArgumentException("Matrix.times: (%d, %d) times (%d, %d): the inner sizes differ"
                    .formatted(rows, columns, right.rows, right.columns));
        }
        Matrix product = zeros(rows, right.columns);
        for (int i = 0; i < rows; i++) {
            for (int k = 0; k < columns; k++) {
                double factor = get(i, k);
                for (int j = 0; j < right.columns; j++) {
                    product.entries[i * right.columns + j] += factor * right.entries[k * right.columns + j];
                }
            }
        }
        return product;
    }

    /**
     * Returns {@code this + other}.
     *
     * @param other the same shape; not modified
     * @return the sum
     */
    public Matrix plus(Matrix other) {
        return plus(1, other);
    }

    /**
     * Returns {@code this - other}.
     *
     * @param other the same shape; not modified
     * @return the difference
     */
    public Matrix minus(Matrix other) {
        return plus(-1, other);
    }

    /**
     * Adds another matrix to this one in place.
     *
     * @param other the same shape; not modified
     */
    public void add(Matrix other) {
        if (rows != other.rows || columns != other.columns) {
            throw new IllegalArgumentException("Matrix.add: shapes (%d, %d) and (%d, %d) differ"
                    .formatted(rows, columns, other.rows, other.columns));
        }
        for (int i = 0; i < entries.length; i++) {
            entries[i] += other.entries[i];
        }
    }

    private Matrix plus(double factor, Matrix other) {
        if (rows != other.rows || columns != other.columns) {
            throw new IllegalArgumentException("Matrix.plus: shapes (%d, %d) and (%d, %d) differ"
                    .formatted(rows, columns, other.rows, other.columns));
        }
        Matrix sum = copy();
        for (int i = 0; i < entries.length; i++) {
            sum.entries[i] += factor * other.entries[i];
        }
        return sum;
    }

    /**
     * Returns {@code factor * this}.
     *
     * @param factor the scale
     * @return the multiple
     */
    public Matrix scaled(double factor) {
        Matrix multiple = copy();
        for (int i = 0; i < entries.length; i++) {
            multiple.entries[i] *= factor;
        }
        return multiple;
    }

    /**
     * {@return the Frobenius norm, without overflow or underflow of the squares: the root of the sum of squares; NaN when an
     * entry is NaN}
     */
    public double frobeniusNorm() {
        double largest = largestMagnitude();
        if (largest == 0 || !Double.isFinite(largest)) {
            return largest;
        }
        double sum = 0;
        for (double entry : entries) {
            double ratio = entry / largest;
            sum += ratio * ratio;
        }
        return largest * Math.sqrt(sum);
    }

    /** {@return the largest magnitude of an entry: 0 for an empty matrix; NaN when an entry is NaN} */
    public double largestMagnitude() {
        double largest = 0;
        for (double entry : entries) {
            largest = Math.max(largest, Math.abs(entry));
        }
        return largest;
    }

    /**
     * Refuses a matrix that holds a NaN or an infinity, naming the first.
     *
     * @param what how the message calls the matrix
     * @return this matrix
     */
    public Matrix requireFinite(String what) {
        for (int i = 0; i < entries.length; i++) {
            if (!Double.isFinite(entries[i])) {
                throw new IllegalArgumentException("%s: entry (%d, %d) is %s; all entries must be finite"
                        .formatted(what, i / columns, i % columns, entries[i]));
            }
        }
        return this;
    }

    @Override
    public String toString() {
        return "Matrix(" + rows + ", " + columns + ")" + Arrays.toString(entries);
    }
}
