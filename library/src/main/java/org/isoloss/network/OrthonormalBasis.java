package org.isoloss.network;

import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;

/**
 * An orthonormal basis of a matrix's columns: {@code A = Q R}. The rank, the number of columns of Q, is that of A with its
 * columns scaled to norm 1, so that a large column does not hide a small one.
 */
record OrthonormalBasis(Matrix q, Matrix r) {
    /** A column this close to the span of others, relative to its length, adds no direction. */
    private static final double DEPENDENT = 1e-12;

    static OrthonormalBasis of(Matrix a, String where) {
        Matrix scaled = a.copy();
        for (int j = 0; j < a.columns(); j++) {
            double norm = Matrix.over(a.rows(), 1, a.column(j)).frobeniusNorm();
            for (int i = 0; i < a.rows() && norm > 0; i++) {
                scaled.set(i, j, a.get(i, j) / norm);
            }
        }
        PivotedQr factors = PivotedQr.of(scaled);
        int rank = factors.rank(DEPENDENT);
        if (rank == 0) {
            throw new IllegalArgumentException(where);
        }
        Matrix all = factors.q();
        Matrix triangle = factors.r();
        Matrix q = Matrix.zeros(a.rows(), rank);
        for (int j = 0; j < rank; j++) {
            double sign = triangle.get(j, j) < 0 ? -1 : 1; // of one column, R is its norm and not the negative
            for (int i = 0; i < a.rows(); i++) {
                q.set(i, j, sign * all.get(i, j));
            }
        }
        return new OrthonormalBasis(q, q.transpose().times(a));
    }
}
