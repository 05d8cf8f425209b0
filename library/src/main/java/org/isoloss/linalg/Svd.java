package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The thin singular value decomposition {@code A = U diag(s) V^T} in float64, by LAPACK's divide and conquer (dgesdd), or by
 * iteration (dgesvd) where that does not converge.
 *
 * <p>Singular values come largest first, each within a small multiple of eps times the largest. Of each pair of
 * singular vectors, the right one has a positive entry of largest magnitude (the first of those within 1e-8 of it).
 * Multiplying A by a power of two multiplies the singular values by it and changes no bit of anything else.
 *
 * @see "Golub and Van Loan, Matrix Computations, 4th ed., section 8.6"
 */
public final class Svd {
    private static final MethodHandle DGESDD = Lapack.routine("LAPACKE_dgesdd", "icii pi p pi pi");
    private static final MethodHandle DGESVD = Lapack.routine("LAPACKE_dgesvd", "iccii pi p pi pi p");

    private final double[] singularValues;
    private final Matrix left;
    private final Matrix rightRows; // V^T, one right vector a row

    private Svd(double[] singularValues, Matrix left, Matrix rightRows) {
        this.singularValues = singularValues;
        this.left = left;
        this.rightRows = rightRows;
    }

    /**
     * Decomposes a matrix.
     *
     * @param a shape (m, n), either may be 0; finite, or it is refused; not modified
     * @return the decomposition, with p = min(m, n) singular values
     */
    public static Svd of(Matrix a) {
        int m = a.rows();
        int n = a.columns();
        int p = Math.min(m, n);
        Scaled scaled = Scaled.of(a, "Svd");
        if (p == 0) {
            return new Svd(new double[0], Matrix.zeros(m, 0), Matrix.zeros(0, n));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(JAVA_DOUBLE, p);
            MemorySegment u = arena.allocate(JAVA_DOUBLE, (long) m * p);
            MemorySegment v = arena.allocate(JAVA_DOUBLE, (long) n * p);
            decompose('S', arena, scaled, m, n, s, u, v);
            Matrix left = Matrix.over(m, p, u.toArray(JAVA_DOUBLE));
            Matrix rightRows = Matrix.over(p, n, v.toArray(JAVA_DOUBLE));
            fixSigns(rightRows, left);
            return new Svd(scaled.restore(s.toArray(JAVA_DOUBLE), "Svd: singular value"), left, rightRows);
        }
    }

    /**
     * Returns the singular values alone, several times faster than {@link #of}; their last bits may differ from its.
     *
     * @param a shape (m, n), either may be 0; finite, or it is refused; not modified
     * @return min(m, n) values, largest first
     */
    public static double[] valuesOf(Matrix a) {
        Scaled scaled = Scaled.of(a, "Svd");
        int p = Math.min(a.rows(), a.columns());
        if (p == 0) {
            return new double[0];
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(JAVA_DOUBLE, p);
            decompose('N', arena, scaled, a.rows(), a.columns(), s, s, s);
            return scaled.restore(s.toArray(JAVA_DOUBLE), "Svd: singular value");
        }
    }

    /** Row by row, A is the transpose of what LAPACK reads column by column, so U and V change places. */
    private static void decompose(
            char job,
            Arena arena,
            Scaled scaled,
            int m,
            int n,
            MemorySegment s,
            MemorySegment left,
            MemorySegment rightRows) {
        int p = Math.min(m, n);
        MemorySegment copy = arena.allocateFrom(JAVA_DOUBLE, scaled.entries());
        try {
            int info =
                    (int) DGESDD.invokeExact(Lapack.COLUMN_MAJOR, (byte) job, n, m, copy, n, s, rightRows, n, left, p);
            if (info > 0) { // divide and conquer may stall where the iteration does not
                MemorySegment again = arena.allocateFrom(JAVA_DOUBLE, scaled.entries());
                MemorySegment rest = arena.allocate(JAVA_DOUBLE, p);
                info = (int) DGESVD.invokeExact(
                        Lapack.COLUMN_MAJOR, (byte) job, (byte) job, n, m, again, n, s, rightRows, n, left, p, rest);
            }
            Lapack.requireDone("Svd: dgesvd", info, "no convergence on shape (%d, %d)".formatted(m, n));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    private static void fixSigns(Matrix vectorsInRows, Matrix partnersInColumns) {
        for (int i = 0; i < vectorsInRows.rows(); i++) {
            if (startsNegative(vectorsInRows.row(i))) {
                for (int j = 0; j < vectorsInRows.columns(); j++) {
                    vectorsInRows.set(i, j, -vectorsInRows.get(i, j));
                }
                for (int j = 0; j < partnersInColumns.rows(); j++) {
                    partnersInColumns.set(j, i, -partnersInColumns.get(j, i));
                }
            }
        }
    }

    /** Whether the first entry among the largest in magnitude is negative: entries that tie must not flip by rounding. */
    private static boolean startsNegative(double[] vector) {
        double largest = 0;
        for (double entry : vector) {
            largest = Math.max(largest, Math.abs(entry));
        }
        for (double entry : vector) {
            if (Math.abs(entry) >= (1 - 1e-8) * largest) {
                return entry < 0;
            }
        }
        return false;
    }

    /** {@return the singular values: p = min(m, n) values, largest first; a copy} */
    public double[] singularValues() {
        return singularValues.clone();
    }

    /** {@return the left singular vectors: U, shape (m, p), columns orthonormal to 1e-12; a copy} */
    public Matrix left() {
        return left.copy();
    }

    /** {@return the right singular vectors: V, shape (n, p), columns orthonormal to 1e-12; a copy} */
    public Matrix right() {
        return rightRows.transpose();
    }

    /**
     * Returns the number of singular values that count as nonzero.
     *
     * @param relTol singular values at most {@code relTol} times the largest count as zero; in (0, 1)
     * @return from 0, for the zero matrix alone, to p
     */
    public int rank(double relTol) {
        return Tolerance.count("Svd.rank", singularValues, relTol);
    }

    /**
     * Returns the directions that A takes to zero: its null space.
     *
     * @param relTol singular values at most {@code relTol} times the largest count as zero; in (0, 1)
     * @return shape (n, n - rank), columns orthonormal to 1e-12 and orthogonal to the counted right vectors; first the
     *     right singular vectors that do not count, in their order, then, where A has more columns than rows, a
     *     completion; signs fixed as those of {@link #right}
     * @see "Golub and Van Loan, Matrix Computations, 4th ed., section 5.4"
     */
    public Matrix nullSpace(double relTol) {
        int rank = Tolerance.count("Svd.nullSpace", singularValues, relTol);
        int n = rightRows.columns();
        int p = rightRows.rows();
        Matrix basis = Matrix.zeros(n - rank, n);
        System.arraycopy(rightRows.entries(), rank * n, basis.entries(), 0, (p - rank) * n);
        if (n > p) {
            Matrix completion = Orthonormal.completion(rightRows);
            fixSigns(completion, Matrix.zeros(0, n - p));
            System.arraycopy(completion.entries(), 0, basis.entries(), (p - rank) * n, (n - p) * n);
        }
        return basis.transpose();
    }

    /**
     * Returns how clear the rank decision is: the least singular value that counts over the largest that does not.
     *
     * @param relTol singular values at most {@code relTol} times the largest count as zero; in (0, 1)
     * @return at least 1, where near 1 means no gap; infinite when no singular value but exact zeros is left out
     */
    public double gap(double relTol) {
        int rank = Tolerance.count("Svd.gap", singularValues, relTol);
        return rank == 0 || rank == singularValues.length
                ? Double.POSITIVE_INFINITY
                : singularValues[rank - 1] / singularValues[rank];
    }

    /**
     * {@return the condition number: the largest singular value over the least; at least 1; infinite when the least is 0; 1 for
     * an empty matrix}
     */
    public double condition() {
        return conditionFrom(singularValues);
    }

    static double conditionFrom(double[] singularValues) {
        if (singularValues.length == 0) {
            return 1;
        }
        double least = singularValues[singularValues.length - 1];
        return least == 0 ? Double.POSITIVE_INFINITY : singularValues[0] / least;
    }
}
