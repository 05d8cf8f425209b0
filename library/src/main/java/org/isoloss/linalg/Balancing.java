package org.isoloss.linalg;

import java.util.Arrays;

/**
 * A diagonal similarity by powers of two, {@code D^-1 A D}, that makes the norm of a badly scaled matrix small without
 * rounding, so that the exponential needs few squarings. Unlike the balancing of an eigenvalue solver it acts on
 * triangular matrices too: a diagonal entry counts as at least 1, since a norm below 1 saves nothing.
 *
 * @see "Parlett and Reinsch, Balancing a matrix for calculation of eigenvalues and eigenvectors, 1969"
 */
final class Balancing {
    private static final int SWEEPS = 40; // each halves the exponent of a lone large entry, so 11 reach 1 from 1e308
    private static final int GUARD = -64; // sums of magnitudes must not overflow

    private final int n;
    private final double[] magnitudes;
    private final int[] exponents;

    Balancing(int n) {
        this.n = n;
        this.magnitudes = new double[Math.multiplyExact(n, n)];
        this.exponents = new int[n];
    }

    /**
     * Finds D for a matrix.
     *
     * @param a holds the matrix from {@code offset}, row by row; not modified
     * @param shift subtracted from the diagonal
     */
    void find(double[] a, int offset, double shift) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double entry = a[offset + i * n + j];
                magnitudes[i * n + j] =
                        Math.scalb(i == j ? Math.max(1, Math.abs(entry - shift)) : Math.abs(entry), GUARD);
            }
        }
        Arrays.fill(exponents, 0);
        boolean moved = true;
        for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
            moved = false;
            for (int i = 0; i < n; i++) {
                moved |= balance(i);
            }
        }
    }

    /** Moves the norms of one row and its column together if that makes their sum noticeably smaller. */
    private boolean balance(int i) {
        double row = 0;
        double column = 0;
        for (int j = 0; j < n; j++) {
            row += magnitudes[i * n + j];
            column += magnitudes[j * n + i];
        }
        double diagonal = magnitudes[i * n + i];
        int step = Math.floorDiv(Math.getExponent(row) - Math.getExponent(column) + 1, 2);
        double after = Math.scalb(row - diagonal, -step) + Math.scalb(column - diagonal, step) + 2 * diagonal;
        if (step == 0 || after >= 0.95 * (row + column)) {
            return false;
        }
        exponents[i] += step;
        for (int j = 0; j < n; j++) {
            if (j != i) {
                magnitudes[i * n + j] = Math.scalb(magnitudes[i * n + j], -step);
                magnitudes[j * n + i] = Math.scalb(magnitudes[j * n + i], step);
            }
        }
        return true;
    }

    /** The exponent of entry (i, j) of {@code D^-1 A D} against A's. */
    int exponent(int i, int j) {
        return exponents[j] - exponents[i];
    }

    /** The 1-norm of the balanced matrix times 2^-64, with diagonal entries counted as at least 1. */
    double guardedNorm() {
        double norm = 0;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += magnitudes[i * n + j];
            }
            norm = Math.max(norm, sum);
        }
        return norm;
    }
}
