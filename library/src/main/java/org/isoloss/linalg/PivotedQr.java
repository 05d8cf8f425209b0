package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * The QR factorisation with column pivoting {@code A P = Q R} in float64 (LAPACK's dgeqp3): at each step it takes the
 * column that is farthest from the span of those taken before, so its first k pivots are k well-conditioned columns.
 *
 * <p>Multiplying A by a power of two multiplies R by it and changes nothing else.
 *
 * @see "Golub and Van Loan, Matrix Computations, 4th ed., section 5.4.2"
 */
public final class PivotedQr {
    private static final MethodHandle DGEQP3 = Lapack.routine("LAPACKE_dgeqp3", "iii pi p p");

    private final int[] pivots;
    private final Matrix factored;
    private final double[] reflectionScales;

    private PivotedQr(int[] pivots, Matrix factored, double[] reflectionScales) {
        this.pivots = pivots;
        this.factored = factored;
        this.reflectionScales = reflectionScales;
    }

    /**
     * Factors a matrix.
     *
     * @param a shape (m, n), either may be 0; finite, or it is refused; not modified
     * @return the factorisation, with p = min(m, n) steps
     */
    public static PivotedQr of(Matrix a) {
        int m = a.rows();
        int n = a.columns();
        Scaled scaled = Scaled.of(a, "PivotedQr");
        int[] pivots = new int[n];
        if (m == 0 || n == 0) {
            Arrays.setAll(pivots, i -> i);
            return new PivotedQr(pivots, Matrix.zeros(m, n), new double[0]);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocateFrom(JAVA_DOUBLE, scaled.entries());
            MemorySegment order = arena.allocate(JAVA_INT, n); // zeros: every column is free to move
            MemorySegment tau = arena.allocate(JAVA_DOUBLE, Math.min(m, n));
            int info = (int) DGEQP3.invokeExact(Lapack.ROW_MAJOR, m, n, copy, n, order, tau);
            Lapack.requireDone("PivotedQr: dgeqp3", info, "failed");
            Arrays.setAll(pivots, i -> order.getAtIndex(JAVA_INT, i) - 1);
            double[] triangle = copy.toArray(JAVA_DOUBLE);
            double[] restored = triangle.clone();
            for (int i = 0; i < Math.min(m, n); i++) {
                double[] row = scaled.restore(
                        Arrays.copyOfRange(triangle, i * n + i, (i + 1) * n), "PivotedQr: row %d of R,".formatted(i));
                System.arraycopy(row, 0, restored, i * n + i, row.length);
            }
            return new PivotedQr(pivots, Matrix.over(m, n, restored), tau.toArray(JAVA_DOUBLE));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    /** {@return the columns of A in the order in which they were taken: a permutation of 0 to n - 1; a copy} */
    public int[] pivots() {
        return pivots.clone();
    }

    /**
     * {@return the triangular factor: R, shape (p, n), zero below the diagonal; its column j belongs to column {@code
     * pivots()[j]} of A}
     */
    public Matrix r() {
        int p = reflectionScales.length;
        Matrix triangle = factored.rows(0, p);
        for (int i = 0; i < p; i++) {
            for (int j = 0; j < i; j++) {
                triangle.set(i, j, 0);
            }
        }
        return triangle;
    }

    /** {@return the orthonormal factor, Q, shape (m, p), columns orthonormal to 1e-12} */
    public Matrix q() {
        return Orthonormal.factor(factored, reflectionScales);
    }

    /**
     * {@return the magnitudes on the diagonal of R: how far each column taken was from those before; p = min(m, n) values,
     * largest first up to rounding; never compare one with exact 0}
     */
    public double[] diagonal() {
        double[] diagonal = new double[reflectionScales.length];
        Arrays.setAll(diagonal, i -> Math.abs(factored.get(i, i)));
        return diagonal;
    }

    /**
     * Returns the number of columns taken before the rest is zero up to a tolerance.
     *
     * @param relTol the diagonal of R ends where it is at most {@code relTol} times its first; in (0, 1)
     * @return from 0, for the zero matrix alone, to p
     */
    public int rank(double relTol) {
        return Tolerance.count("PivotedQr.rank", diagonal(), relTol);
    }

    /**
     * Returns the condition number of the first columns taken, in the 2-norm: that of their triangle of R.
     *
     * @param count how many columns, from 1 to p
     * @return at least 1; infinite when the columns are dependent
     */
    public double condition(int count) {
        if (count < 1 || count > reflectionScales.length) {
            throw new IllegalArgumentException(
                    "PivotedQr.condition: %d columns asked for, expected 1 to %d, the lesser side of the matrix"
                            .formatted(count, reflectionScales.length));
        }
        Matrix corner = Matrix.zeros(count, count);
        for (int i = 0; i < count; i++) {
            for (int j = i; j < count; j++) {
                corner.set(i, j, factored.get(i, j));
            }
        }
        return Svd.conditionFrom(Svd.valuesOf(corner));
    }
}
