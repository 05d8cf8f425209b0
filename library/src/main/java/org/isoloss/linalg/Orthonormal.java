package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** Orthonormal bases by Householder reflections (LAPACK's dgeqrf and dorgqr). */
public final class Orthonormal {
    private static final MethodHandle DGEQRF = Lapack.routine("LAPACKE_dgeqrf", "iii pi p");
    private static final MethodHandle DORGQR = Lapack.routine("LAPACKE_dorgqr", "iiii pi p");

    private Orthonormal() {}

    /**
     * Returns vectors that complete orthonormal ones to a basis.
     *
     * @param rows shape (p, n), p at most n, rows orthonormal to rounding; not modified
     * @return shape (n - p, n), rows orthonormal and orthogonal to the given ones, to rounding
     */
    static Matrix completion(Matrix rows) {
        int p = rows.rows();
        int n = rows.columns();
        if (p == 0) {
            return Matrix.identity(n);
        }
        double[] square = Arrays.copyOf(rows.entries(), Math.multiplyExact(n, n));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment vectors = arena.allocateFrom(JAVA_DOUBLE, square);
            MemorySegment reflections = arena.allocate(JAVA_DOUBLE, p);
            int factored = (int) DGEQRF.invokeExact(Lapack.COLUMN_MAJOR, n, p, vectors, n, reflections);
            Lapack.requireDone("Orthonormal: dgeqrf", factored, "failed");
            int formed = (int) DORGQR.invokeExact(Lapack.COLUMN_MAJOR, n, n, p, vectors, n, reflections);
            Lapack.requireDone("Orthonormal: dorgqr", formed, "failed");
            double[] basis = vectors.toArray(JAVA_DOUBLE);
            return Matrix.over(n - p, n, Arrays.copyOfRange(basis, p * n, n * n));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    /**
     * Returns an orthonormal basis of which the first j vectors span the first j columns of a square matrix, for each j up
     * to its rank: the factor Q of its QR factorisation.
     *
     * @param square shape (n, n); not modified
     * @return shape (n, n), columns orthonormal to rounding, whatever the rank
     */
    public static Matrix basis(Matrix square) {
        int n = square.rows();
        if (square.columns() != n) {
            throw new IllegalArgumentException(
                    "Orthonormal.basis: shape (%d, %d), expected a square one".formatted(n, square.columns()));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment columns = arena.allocateFrom(JAVA_DOUBLE, square.entries());
            MemorySegment reflections = arena.allocate(JAVA_DOUBLE, n);
            int factored = (int) DGEQRF.invokeExact(Lapack.ROW_MAJOR, n, n, columns, n, reflections);
            Lapack.requireDone("Orthonormal: dgeqrf", factored, "failed");
            return factor(Matrix.over(n, n, columns.toArray(JAVA_DOUBLE)), reflections.toArray(JAVA_DOUBLE));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }

    /**
     * Forms the orthonormal factor of a QR factorisation.
     *
     * @param factored of shape (m, n), row by row, as LAPACK leaves it: reflections below the diagonal
     * @param scales of the reflections, p = min(m, n)
     * @return Q, shape (m, p)
     */
    static Matrix factor(Matrix factored, double[] scales) {
        int m = factored.rows();
        int p = scales.length;
        Matrix reflections = Matrix.zeros(m, p);
        for (int i = 0; i < m; i++) {
            System.arraycopy(factored.entries(), i * factored.columns(), reflections.entries(), i * p, p);
        }
        if (p == 0) {
            return reflections;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment q = arena.allocateFrom(JAVA_DOUBLE, reflections.entries());
            MemorySegment tau = arena.allocateFrom(JAVA_DOUBLE, scales);
            int info = (int) DORGQR.invokeExact(Lapack.ROW_MAJOR, m, p, p, q, p, tau);
            Lapack.requireDone("Orthonormal: dorgqr", info, "failed");
            return Matrix.over(m, p, q.toArray(JAVA_DOUBLE));
        } catch (Throwable failure) {
            throw OpenBlas.unexpected(failure);
        }
    }
}
