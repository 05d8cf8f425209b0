package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Least squares solutions of least norm, {@code min |A X - B|} column by column, by the singular value decomposition
 * (LAPACK's dgelsd).
 */
public final class LeastSquares {
    private static final MethodHandle DGELSD = Lapack.routine("LAPACKE_dgelsd", "iiii pi pi pdp");

    private final Matrix solution;
    private final double[] singularValues;
    private final int rank;

    private LeastSquares(Matrix solution, double[] singularValues, int rank) {
        this.solution = solution;
        this.singularValues = singularValues;
        this.rank = rank;
    }

    /**
     * Solves a problem.
     *
     * @param a shape (m, n), any rank; finite, or it is refused; not modified
     * @param b shape (m, k); finite, or it is refused; not modified
     * @param relTol singular values of A at most {@code relTol} times the largest count as zero; in (0, 1)
     * @return the solution, with what decided the rank
     * @throws ArithmeticException when the solution overflows
     */
    public static LeastSquares of(Matrix a, Matrix b, double relTol) {
        int m = a.rows();
        int n = a.columns();
        int k = b.columns();
        if (b.rows() != m) {
            throw new IllegalArgumentException(
                    "LeastSquares: a has shape (%d, %d) and b (%d, %d); rows must agree".formatted(m, n, b.rows(), k));
        }
        Tolerance.require("LeastSquares", relTol);
        Scaled left = Scaled.of(a, "LeastSquares: a");
        Scaled right = Scaled.of(b, "LeastSquares: b");
        int p = Math.min(m, n);
        if (p == 0) {
            return new LeastSquares(Matrix.zeros(n, k), new double[0], 0);
        }
        int width = Math.max(1, k); // with no right side, one of zeros: the rank is still wanted
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocateFrom(JAVA_DOUBLE, left.entries());
            MemorySegment x = arena.allocateFrom(
                    JAVA_DOUBLE, Arrays.copyOf(right.entries(), Math.multiplyExact(Math.max(m, n), width)));
            MemorySegment s = arena.allocate(JAVA_DOUBLE, p);
            MemorySegment rank = arena.allocate(JAVA_INT);
            int info = (int) DGELSD.invokeExact(Lapack.ROW_MAJOR, m, n, width, copy, n, x, width, s, relTol, rank);
            Lapack.requireDone("LeastSquares: dgelsd", info, "no convergence on shape (%d, %d)".formatted(m, n));
            double[] scaled = Arrays.copyOf(x.toArray(JAVA_DOUBLE), n * k);
            return new LeastSquares(
                    Matrix.over(n, k, right.restoreOver(left, scaled, "LeastSquares: solution")),
                    left.restore(s.toArray(JAVA_DOUBLE), "LeastSquares: singular value"),
                    rank.get(JAVA_INT, 0));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    /** {@return the solution: X, shape (n, k); of all minimisers the one of least norm, in each column; a copy} */
    public Matrix solution() {
        return solution.copy();
    }

    /** {@return the number of singular values of A that counted, from 0 to min(m, n)} */
    public int rank() {
        return rank;
    }

    /** {@return the singular values of A: min(m, n) values, largest first; a copy} */
    public double[] singularValues() {
        return singularValues.clone();
    }
}
