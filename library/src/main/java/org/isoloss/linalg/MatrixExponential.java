package org.isoloss.linalg;

import org.jspecify.annotations.Nullable;

/**
 * The exponential of a real square matrix, its Fréchet derivative and that derivative's adjoint, in float64.
 *
 * <p>Relative error, in the Frobenius norm, against the exact exponential of the matrix as given (eps is 2^-52, |A| the
 * Frobenius norm). It is at most 10 eps max(1, |A|) in each of these families:
 *
 * <ul>
 *   <li>size 1, and diagonal matrices of any size: one unit in the last place of each entry;
 *   <li>size 2, any matrix, in closed form: at most 4 eps in the tests, rotations by any angle included;
 *   <li>sizes 3 to {@value #DOUBLE_DOUBLE_LIMIT}, by Padé approximation with 106 bits: 3 eps + n 2^-96 k, where k is the
 *       condition number of the exponential, which is |A| for a normal matrix and larger for others. So digits are lost
 *       only from k = 1e12 on;
 *   <li>nilpotent matrices of these sizes, plus any multiple of the identity: the finite series, exact to the last bit
 *       without such a multiple if a permutation makes them triangular or if their powers fit in 106 bits, as those of
 *       small integers do.
 * </ul>
 *
 * <p>Larger matrices are computed in double precision: the error is about n eps k, so n eps max(1, |A|) for normal ones,
 * and there is no better bound for matrices far from normal.
 *
 * <p>The derivative's error is at most 10 eps max(1, |A|) of its own norm in the first three families, with k now the
 * condition number of the derivative; the finite series is not used for it.
 *
 * <p>An {@link ArithmeticException} refuses an exponential with an entry beyond the largest double, and a matrix that has
 * a norm beyond 1e15 when a multiple of the identity is taken out and it is balanced, unless one of the exact families
 * holds it. No result is ever NaN. Static methods serve a single matrix; an instance serves many of one size, without
 * allocating up to size {@value #DOUBLE_DOUBLE_LIMIT}, and must not be shared between threads.
 *
 * @see "Higham, The scaling and squaring method for the matrix exponential revisited, 2005"
 * @see "Al-Mohy and Higham, Computing the Fréchet derivative of the matrix exponential, 2009"
 */
public final class MatrixExponential {
    /** Up to this size 106 bits cost little. */
    static final int DOUBLE_DOUBLE_LIMIT = 64;

    private final int n;
    private final ScalarShift shift = new ScalarShift();
    private final PlaneExponential plane = new PlaneExponential();
    private @Nullable NilpotentSeries series;
    private @Nullable ScalingAndSquaring<?> squaring;

    private MatrixExponential(int n) {
        this.n = n;
    }

    /**
     * Makes the work space for matrices of one size.
     *
     * @param size rows and columns, at least 0
     * @return an instance to be used by one thread at a time
     */
    public static MatrixExponential forSize(int size) {
        if (size < 0) {
            throw new IllegalArgumentException("MatrixExponential: size %d, expected at least 0".formatted(size));
        }
        return new MatrixExponential(size);
    }

    /**
     * Returns the exponential.
     *
     * @param a shape (n, n); finite, or it is refused; not modified
     * @return {@code exp(a)}, shape (n, n)
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed
     */
    public static Matrix of(Matrix a) {
        Matrix result = Matrix.zeros(a.rows(), a.rows());
        forSize(requireSquare(a, "the matrix")).exponential(a.entries(), 0, result.entries(), 0);
        return result;
    }

    /**
     * Returns the Fréchet derivative: the rate of change of {@code exp(a + t direction)} at t = 0.
     *
     * @param a shape (n, n); finite, or it is refused; not modified
     * @param direction shape (n, n); finite, or it is refused; not modified
     * @return {@code L(a, direction)}, shape (n, n), linear in the direction
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed
     */
    public static Matrix derivative(Matrix a, Matrix direction) {
        Matrix result = Matrix.zeros(a.rows(), a.rows());
        forSize(requireSameSquare(a, direction, "the direction"))
                .derivative(a.entries(), 0, direction.entries(), 0, result.entries(), 0);
        return result;
    }

    /**
     * Returns the adjoint of the Fréchet derivative, what reverse differentiation needs: the gradient with respect to
     * {@code a} of the sum of {@code cotangent * exp(a)}, entry by entry. It equals {@code L(a^T, cotangent)}.
     *
     * @param a shape (n, n); finite, or it is refused; not modified
     * @param cotangent shape (n, n); finite, or it is refused; not modified
     * @return the gradient, shape (n, n), linear in the cotangent
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed
     */
    public static Matrix adjoint(Matrix a, Matrix cotangent) {
        Matrix result = Matrix.zeros(a.rows(), a.rows());
        forSize(requireSameSquare(a, cotangent, "the cotangent"))
                .adjoint(a.entries(), 0, cotangent.entries(), 0, result.entries(), 0);
        return result;
    }

    /**
     * Computes an exponential, without allocation after the first call up to size
     * {@value #DOUBLE_DOUBLE_LIMIT}.
     *
     * @param a holds the matrix, row by row; finite, or it is refused; not modified unless it is {@code result}
     * @param aOffset index of its first entry
     * @param result modified: holds the exponential, row by row; may be {@code a}
     * @param resultOffset index of its first entry
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed; the
     *     result is then unusable
     */
    public void exponential(double[] a, int aOffset, double[] result, int resultOffset) {
        requireFinite(a, aOffset, "the matrix");
        requireRoom(result, resultOffset, "the result");
        if (n == 1) {
            result[resultOffset] = Math.exp(a[aOffset]);
        } else if (n == 2 && plane.exponential(a, aOffset, result, resultOffset)) {
            return;
        } else if (isDiagonal(a, aOffset)) {
            for (int i = 0; i < n * n; i++) {
                result[resultOffset + i] = i % (n + 1) == 0 ? Math.exp(a[aOffset + i]) : 0;
            }
        } else if (!nilpotent(a, aOffset, result, resultOffset)) {
            squaring().exponential(a, aOffset, result, resultOffset);
        }
        requireNoOverflow(result, resultOffset, "the exponential");
    }

    /**
     * Computes the Fréchet derivative, without allocation after the first call up to size
     * {@value #DOUBLE_DOUBLE_LIMIT}.
     *
     * @param a holds the matrix, row by row; finite, or it is refused; not modified unless it is {@code result}
     * @param aOffset index of its first entry
     * @param direction holds the direction, row by row; finite, or it is refused; not modified unless it is
     *     {@code result}
     * @param directionOffset index of its first entry
     * @param result modified: holds {@code L(a, direction)}, row by row; may be one of the others
     * @param resultOffset index of its first entry
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed; the
     *     result is then unusable
     */
    public void derivative(
            double[] a, int aOffset, double[] direction, int directionOffset, double[] result, int resultOffset) {
        differentiate(a, aOffset, direction, directionOffset, false, result, resultOffset);
    }

    /**
     * Computes the adjoint of the Fréchet derivative, as {@link #adjoint(Matrix, Matrix)} does, without allocation after
     * the first call up to size {@value #DOUBLE_DOUBLE_LIMIT}.
     *
     * @param a holds the matrix, row by row; finite, or it is refused; not modified unless it is {@code result}
     * @param aOffset index of its first entry
     * @param cotangent holds the cotangent, row by row; finite, or it is refused; not modified unless it is
     *     {@code result}
     * @param cotangentOffset index of its first entry
     * @param result modified: holds {@code L(a^T, cotangent)}, row by row; may be one of the others
     * @param resultOffset index of its first entry
     * @throws ArithmeticException when an entry overflows or the norm is beyond what can be computed; the
     *     result is then unusable
     */
    public void adjoint(
            double[] a, int aOffset, double[] cotangent, int cotangentOffset, double[] result, int resultOffset) {
        differentiate(a, aOffset, cotangent, cotangentOffset, true, result, resultOffset);
    }

    private void differentiate(
            double[] a,
            int aOffset,
            double[] direction,
            int directionOffset,
            boolean adjoint,
            double[] result,
            int resultOffset) {
        requireFinite(a, aOffset, "the matrix");
        requireFinite(direction, directionOffset, adjoint ? "the cotangent" : "the direction");
        requireRoom(result, resultOffset, "the result");
        if (n == 1) {
            result[resultOffset] = timesExponential(direction[directionOffset], a[aOffset]);
        } else if (n == 2 && plane.derivative(a, aOffset, direction, directionOffset, adjoint, result, resultOffset)) {
            return;
        } else if (n > 0) {
            squaring().derivative(a, aOffset, direction, directionOffset, adjoint, result, resultOffset);
        }
        requireNoOverflow(result, resultOffset, adjoint ? "the adjoint" : "the derivative");
    }

    private boolean isDiagonal(double[] a, int aOffset) {
        for (int i = 0; i < n * n; i++) {
            if (a[aOffset + i] != 0 && i % (n + 1) != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean nilpotent(double[] a, int aOffset, double[] result, int resultOffset) {
        if (n > DOUBLE_DOUBLE_LIMIT) {
            return false;
        }
        NilpotentSeries finite = series == null ? new NilpotentSeries(n) : series;
        series = finite;
        shift.choose(a, aOffset, n);
        if (!finite.evaluate(a, aOffset, shift.value())) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                result[resultOffset + i * n + j] =
                        shift.apply(finite.sum().high(i, j), finite.sum().low(i, j), 0);
            }
        }
        return true;
    }

    private ScalingAndSquaring<?> squaring() {
        ScalingAndSquaring<?> made = squaring;
        if (made == null) {
            made = n <= DOUBLE_DOUBLE_LIMIT
                    ? new ScalingAndSquaring<>(n, new DoubleDoubleSquare(n), shift)
                    : new ScalingAndSquaring<>(n, new DoubleSquare(n), shift);
            squaring = made;
        }
        return made;
    }

    /** The product may be in range where the exponential is not. */
    private static double timesExponential(double factor, double exponent) {
        double root = Math.exp(exponent / 2);
        double direct = factor * Math.exp(exponent);
        return factor == 0 || (Double.isFinite(direct) && direct != 0) ? direct : factor * root * root;
    }

    private static int requireSquare(Matrix a, String what) {
        if (a.rows() != a.columns()) {
            throw new IllegalArgumentException("MatrixExponential: %s has shape (%d, %d), expected a square matrix"
                    .formatted(what, a.rows(), a.columns()));
        }
        return a.rows();
    }

    private static int requireSameSquare(Matrix a, Matrix other, String what) {
        int size = requireSquare(a, "the matrix");
        if (other.rows() != size || other.columns() != size) {
            throw new IllegalArgumentException(
                    "MatrixExponential: %s has shape (%d, %d), expected the matrix's (%d, %d)"
                            .formatted(what, other.rows(), other.columns(), size, size));
        }
        return size;
    }

    private void requireRoom(double[] array, int offset, String what) {
        if (offset < 0 || array.length - offset < n * n) {
            throw new IllegalArgumentException(
                    "MatrixExponential: %s has %d entries from index %d of %d, expected %d x %d"
                            .formatted(what, array.length - offset, offset, array.length, n, n));
        }
    }

    private void requireFinite(double[] array, int offset, String what) {
        requireRoom(array, offset, what);
        for (int i = 0; i < n * n; i++) {
            if (!Double.isFinite(array[offset + i])) {
                throw new IllegalArgumentException(
                        "MatrixExponential: %s: entry (%d, %d) is %s; all entries must be finite"
                                .formatted(what, i / n, i % n, array[offset + i]));
            }
        }
    }

    private void requireNoOverflow(double[] result, int offset, String what) {
        for (int i = 0; i < n * n; i++) {
            if (!Double.isFinite(result[offset + i])) {
                throw new ArithmeticException(
                        "MatrixExponential: entry (%d, %d) of %s is beyond the largest double; scale the matrix down"
                                .formatted(i / n, i % n, what));
            }
        }
    }
}
