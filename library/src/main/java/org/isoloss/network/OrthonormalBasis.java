package org.isoloss.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;

/**
 * An orthonormal basis of a matrix's columns: {@code A = Q R}. The rank, the number of columns of Q, is that of A with its
 * columns scaled to norm 1, so that a large column does not hide a small one. The columns are taken by the length that others
 * leave of them, in their own order where the lengths are equal up to rounding: numbers that differ in their last bits, as those
 * of another machine do, give a basis that differs as little.
 */
record OrthonormalBasis(Matrix q, Matrix r) {
    /** A column this close to the span of others, relative to its length, adds no direction. */
    private static final double DEPENDENT = 1e-12;

    /** Lengths that differ by less are equal: far above rounding, and no worse as a pivot. */
    private static final double TIE = 1e-6;

    static OrthonormalBasis of(Matrix a, String where) {
        List<Matrix> left = new ArrayList<>();
        for (int j = 0; j < a.columns(); j++) {
            Matrix column = Matrix.over(1, a.rows(), a.column(j));
            double norm = column.frobeniusNorm();
            if (norm > 0) {
                left.add(column.scaled(1 / norm));
            }
        }
        List<Matrix> basis = new ArrayList<>();
        while (!left.isEmpty()) {
            double[] lengths = left.stream().mapToDouble(Matrix::frobeniusNorm).toArray();
            double longest = Arrays.stream(lengths).max().getAsDouble();
            if (longest <= DEPENDENT) {
                break;
            }
            int next = 0;
            while (lengths[next] < (1 - TIE) * longest) {
                next++;
            }
            Matrix direction = without(left.remove(next).scaled(1 / lengths[next]), basis); // once more, for rounding
            basis.add(direction.scaled(1 / direction.frobeniusNorm()));
            left.replaceAll(column -> without(column, basis.subList(basis.size() - 1, basis.size())));
        }
        if (basis.isEmpty()) {
            throw new IllegalArgumentException(where);
        }
        Matrix rows = Matrix.zeros(basis.size(), a.rows());
        for (int i = 0; i < basis.size(); i++) {
            System.arraycopy(basis.get(i).entries(), 0, rows.entries(), i * a.rows(), a.rows());
        }
        return new OrthonormalBasis(rows.transpose(), rows.times(a));
    }

    private static Matrix without(Matrix column, List<Matrix> directions) {
        Matrix rest = column;
        for (Matrix direction : directions) {
            double along = direction.times(rest.transpose()).get(0, 0);
            rest = rest.minus(direction.scaled(along));
        }
        return rest;
    }
}
