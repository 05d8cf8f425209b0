package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A square matrix factored once (LU with partial pivoting, LAPACK's dgetrf), to solve {@code A X = B} for any number of
 * right sides.
 *
 * <p>A solution's relative error is about eps over {@link #reciprocalCondition}. A matrix that is singular to working
 * precision is refused when it is solved with, so that its condition can still be read.
 */
public final class LinearSolve {
    private static final MethodHandle DGETRF = Lapack.routine("LAPACKE_dgetrf", "iii pi p");
    private static final MethodHandle DGETRS = Lapack.routine("LAPACKE_dgetrs", "icii pi p pi");
    private static final MethodHandle DGECON = Lapack.routine("LAPACKE_dgecon", "ici pi dp");
    private static final double EPSILON = Math.ulp(1.0);

    private final int size;
    private final double[] factored;
    private final int[] swaps;
    private final Scaled scaled;
    private final double reciprocalCondition;

    private LinearSolve(int size, double[] factored, int[] swaps, Scaled scaled, double reciprocalCondition) {
        this.size = size;
        this.factored = factored;
        this.swaps = swaps;
        this.scaled = scaled;
        this.reciprocalCondition = reciprocalCondition;
    }

    /**
     * Factors a matrix.
     *
     * @param a shape (n, n); finite, or it is refused; not modified
     * @return the factored matrix
     */
    public static LinearSolve of(Matrix a) {
        int n = a.rows();
        if (a.columns() != n) {
            throw new IllegalArgumentException(
                    "LinearSolve: shape (%d, %d), expected a square matrix".formatted(n, a.columns()));
        }
        Scaled scaled = Scaled.of(a, "LinearSolve");
        if (n == 0) {
            return new LinearSolve(0, new double[0], new int[0], scaled, 1);
        }
        double norm = columnSumNorm(n, scaled.entries());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocateFrom(JAVA_DOUBLE, scaled.entries());
            MemorySegment rows = arena.allocate(JAVA_INT, n);
            MemorySegment condition = arena.allocate(JAVA_DOUBLE);
            int info = (int) DGETRF.invokeExact(Lapack.ROW_MAJOR, n, n, copy, n, rows);
            if (info <= 0) { // else a pivot is exactly 0, and so is the condition
                Lapack.requireDone("LinearSolve: dgetrf", info, "failed");
                int estimated = (int) DGECON.invokeExact(Lapack.ROW_MAJOR, (byte) '1', n, copy, n, norm, condition);
                Lapack.requireDone("LinearSolve: dgecon", estimated, "failed");
            }
            return new LinearSolve(
                    n, copy.toArray(JAVA_DOUBLE), rows.toArray(JAVA_INT), scaled, condition.get(JAVA_DOUBLE, 0));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    private static double columnSumNorm(int n, double[] entries) {
        double norm = 0;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += Math.abs(entries[i * n + j]);
            }
            norm = Math.max(norm, sum);
        }
        return norm;
    }

    /**
     * {@return an estimate of the reciprocal condition number in the 1-norm: from 0, singular, to 1; rarely more than 3 times
     * too large}
     */
    public double reciprocalCondition() {
        return reciprocalCondition;
    }

    /**
     * Solves {@code A X = B}.
     *
     * @param b shape (n, k); finite, or it is refused; not modified
     * @return X, shape (n, k)
     * @throws ArithmeticException when A is singular to working precision, or X overflows
     */
    public Matrix solve(Matrix b) {
        return solve('N', b);
    }

    /**
     * Solves {@code A x = b}.
     *
     * @param b length n; finite, or it is refused; not modified
     * @return x, length n
     * @throws ArithmeticException when A is singular to working precision, or x overflows
     */
    public double[] solve(double[] b) {
        return solve(Matrix.over(b.length, 1, b)).entries();
    }

    /**
     * Solves {@code A^T X = B}.
     *
     * @param b shape (n, k); finite, or it is refused; not modified
     * @return X, shape (n, k)
     * @throws ArithmeticException when A is singular to working precision, or X overflows
     */
    public Matrix solveTransposed(Matrix b) {
        return solve('T', b);
    }

    private Matrix solve(char transpose, Matrix b) {
        int columns = b.columns();
        if (b.rows() != size) {
            throw new IllegalArgumentException(
                    "LinearSolve: right side of shape (%d, %d), expected %d rows".formatted(b.rows(), columns, size));
        }
        Scaled right = Scaled.of(b, "LinearSolve: right side");
        if (reciprocalCondition < EPSILON) {
            throw new ArithmeticException(
                    "LinearSolve: the matrix (%d, %d) is singular to working precision: reciprocal condition %.2e, below %.2e"
                            .formatted(size, size, reciprocalCondition, EPSILON));
        }
        if (size == 0 || columns == 0) {
            return Matrix.zeros(size, columns);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment factors = arena.allocateFrom(JAVA_DOUBLE, factored);
            MemorySegment rows = arena.allocateFrom(JAVA_INT, swaps);
            MemorySegment solution = arena.allocateFrom(JAVA_DOUBLE, right.entries());
            int info = (int) DGETRS.invokeExact(
                    Lapack.ROW_MAJOR, (byte) transpose, size, columns, factors, size, rows, solution, columns);
            Lapack.requireDone("LinearSolve: dgetrs", info, "failed");
            double[] entries = right.restoreOver(scaled, solution.toArray(JAVA_DOUBLE), "LinearSolve: solution");
            return Matrix.over(size, columns, entries);
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }
}
