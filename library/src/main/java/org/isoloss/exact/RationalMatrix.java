package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A matrix of rationals that stores its nonzero entries only. Immutable. */
public final class RationalMatrix {
    private final int columns;
    private final List<RationalVector> rows;

    private RationalMatrix(int columns, List<RationalVector> rows) {
        this.columns = columns;
        this.rows = rows;
    }

    /**
     * Returns a matrix with the given rows.
     *
     * @param columns the length of every row
     * @param rows the rows
     * @return the matrix
     */
    public static RationalMatrix of(int columns, List<RationalVector> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).size() != columns) {
                throw new IllegalArgumentException("RationalMatrix: row %d has length %d, expected %d"
                        .formatted(i, rows.get(i).size(), columns));
            }
        }
        return new RationalMatrix(columns, List.copyOf(rows));
    }

    /**
     * Returns a matrix of integers.
     *
     * @param entries row by row, every row of the same length; not modified
     * @return the matrix
     */
    public static RationalMatrix of(long[][] entries) {
        List<RationalVector> rows = new ArrayList<>();
        for (long[] row : entries) {
            rows.add(RationalVector.of(row));
        }
        return of(entries.length == 0 ? 0 : entries[0].length, rows);
    }

    /**
     * Undoes {@link #flatten}.
     *
     * @param rows number of rows
     * @param columns number of columns
     * @param entries row by row, length {@code rows * columns}
     * @return the matrix
     */
    public static RationalMatrix of(int rows, int columns, RationalVector entries) {
        if (entries.size() != Math.multiplyExact(rows, columns)) {
            throw new IllegalArgumentException("RationalMatrix: %d entries, expected %d x %d = %d"
                    .formatted(entries.size(), rows, columns, rows * columns));
        }
        List<RationalVector> result = new ArrayList<>();
        int position = 0;
        for (int i = 0; i < rows; i++) {
            SortedMap<Integer, Rational<BigInteger>> row = new TreeMap<>();
            for (; position < entries.count() && entries.index(position) < (i + 1) * columns; position++) {
                row.put(entries.index(position) - i * columns, entries.value(position));
            }
            result.add(RationalVector.of(columns, row));
        }
        return new RationalMatrix(columns, List.copyOf(result));
    }

    /**
     * Returns the identity.
     *
     * @param size rows and columns
     * @return ones on the diagonal
     */
    public static RationalMatrix identity(int size) {
        List<RationalVector> rows = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            rows.add(RationalVector.unit(size, i));
        }
        return of(size, rows);
    }

    /** {@return the number of rows, at least 0} */
    public int rows() {
        return rows.size();
    }

    /** {@return the number of columns, at least 0} */
    public int columns() {
        return columns;
    }

    /**
     * Returns a row.
     *
     * @param index from 0, below {@link #rows}
     * @return length {@link #columns}
     */
    public RationalVector row(int index) {
        return rows.get(index);
    }

    /**
     * Returns an entry.
     *
     * @param row from 0
     * @param column from 0
     * @return 0 where nothing is stored
     */
    public Rational<BigInteger> get(int row, int column) {
        return rows.get(row).get(column);
    }

    /**
     * Returns {@code this + factor * other}.
     *
     * @param factor any
     * @param other of the same shape
     * @return the sum
     */
    public RationalMatrix plus(Rational<BigInteger> factor, RationalMatrix other) {
        if (other.rows() != rows() || other.columns != columns) {
            throw new IllegalArgumentException("RationalMatrix.plus: shapes (%d, %d) and (%d, %d) differ"
                    .formatted(rows(), columns, other.rows(), other.columns));
        }
        List<RationalVector> sum = new ArrayList<>();
        for (int i = 0; i < rows(); i++) {
            sum.add(rows.get(i).plus(factor, other.rows.get(i)));
        }
        return new RationalMatrix(columns, List.copyOf(sum));
    }

    /**
     * Returns the matrix product.
     *
     * @param right with {@link #columns} rows
     * @return shape ({@link #rows}, columns of {@code right})
     */
    public RationalMatrix times(RationalMatrix right) {
        if (columns != right.rows()) {
            throw new IllegalArgumentException("RationalMatrix.times: (%d, %d) times (%d, %d): the inner sizes differ"
                    .formatted(rows(), columns, right.rows(), right.columns));
        }
        List<RationalVector> product = new ArrayList<>();
        for (RationalVector row : rows) {
            RationalVector sum = RationalVector.zero(right.columns);
            for (int k = 0; k < row.count(); k++) {
                sum = sum.plus(row.value(k), right.rows.get(row.index(k)));
            }
            product.add(sum);
        }
        return new RationalMatrix(right.columns, List.copyOf(product));
    }

    /** {@return the transpose, shape ({@link #columns}, {@link #rows})} */
    public RationalMatrix transpose() {
        List<SortedMap<Integer, Rational<BigInteger>>> transposed = new ArrayList<>();
        for (int j = 0; j < columns; j++) {
            transposed.add(new TreeMap<>());
        }
        for (int i = 0; i < rows(); i++) {
            for (int k = 0; k < rows.get(i).count(); k++) {
                transposed.get(rows.get(i).index(k)).put(i, rows.get(i).value(k));
            }
        }
        return new RationalMatrix(
                rows(),
                transposed.stream()
                        .map(column -> RationalVector.of(rows(), column))
                        .toList());
    }

    /**
     * Returns {@code this * other - other * this}.
     *
     * @param other square, of the size of this square matrix
     * @return the commutator
     */
    public RationalMatrix commutator(RationalMatrix other) {
        return times(other).plus(Rationals.of(-1), other.times(this));
    }

    /** {@return the rows one after the other, length rows * columns, at most 2^31 - 1} */
    public RationalVector flatten() {
        SortedMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
        int size = Math.multiplyExact(rows(), columns);
        for (int i = 0; i < rows(); i++) {
            RationalVector row = rows.get(i);
            for (int k = 0; k < row.count(); k++) {
                entries.put(i * columns + row.index(k), row.value(k));
            }
        }
        return RationalVector.of(size, entries);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof RationalMatrix other && columns == other.columns && rows.equals(other.rows);
    }

    @Override
    public int hashCode() {
        return 31 * columns + rows.hashCode();
    }

    @Override
    public String toString() {
        return "RationalMatrix" + rows;
    }
}
