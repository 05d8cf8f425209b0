package org.isoloss.linalg;

import java.util.Arrays;

/**
 * The exponential of a nilpotent matrix as the finite sum of its powers over factorials, in double-double: zeros come
 * out as zeros, and the sum is correctly rounded whenever the powers are exact in 106 bits.
 */
final class NilpotentSeries {
    /** The powers of A / 32 do not overflow before A^k / k! does: k! is less than 32^k up to k = 83. */
    private static final int GUARD = 5;

    private final int n;
    private final boolean[] dropped;
    private final DoubleDoubleSquare base;
    private final DoubleDoubleSquare sum;
    private final DoubleDoubleSquare term;
    private DoubleDoubleSquare power;
    private DoubleDoubleSquare next;

    NilpotentSeries(int n) {
        this.n = n;
        dropped = new boolean[n];
        base = new DoubleDoubleSquare(n);
        sum = new DoubleDoubleSquare(n);
        term = new DoubleDoubleSquare(n);
        power = new DoubleDoubleSquare(n);
        next = new DoubleDoubleSquare(n);
    }

    /**
     * Sums the series of {@code A - shift I} if that matrix is nilpotent.
     *
     * @param a holds the matrix A from {@code offset}, row by row; not modified
     * @return whether it is; {@link #sum} then holds the exponential
     */
    boolean evaluate(double[] a, int offset, double shift) {
        load(a, offset, shift);
        int scale;
        if (isAcyclic()) {
            scale = GUARD;
        } else if (mayVanish()) {
            scale = Scaled.exponentAbove(base.largestMagnitude());
        } else {
            return false;
        }
        base.scale(-scale); // the powers below are those of A / 2^scale
        sum.clear();
        sum.addToDiagonal(1);
        power.clear();
        power.addScaled(1, base);
        for (int k = 1; k <= n; k++) {
            if (power.largestMagnitude() == 0) {
                return true;
            }
            addTerm(k, scale);
            next.setProduct(power, base);
            DoubleDoubleSquare old = power;
            power = next;
            next = old;
        }
        return power.largestMagnitude() == 0;
    }

    DoubleDoubleSquare sum() {
        return sum;
    }

    private void load(double[] a, int offset, double shift) {
        base.clear();
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double entry = a[offset + i * n + j];
                double difference = i == j ? entry - shift : entry;
                double part = difference - entry;
                double lost = i == j ? (entry - (difference - part)) - (shift + part) : 0;
                base.set(i, j, difference, lost);
            }
        }
    }

    private void addTerm(int k, int scale) {
        term.clear();
        term.addScaled(1, power);
        double divisor = 1;
        for (int factor = 2; factor <= k; factor++) {
            if (divisor * factor >= 0x1p53) {
                term.divide(divisor);
                divisor = 1;
            }
            divisor *= factor;
        }
        term.divide(divisor);
        term.scale(scale * k);
        sum.addScaled(1, term);
    }

    /** Whether some permutation makes the matrix strictly triangular: repeatedly drop an index whose row is empty. */
    private boolean isAcyclic() {
        Arrays.fill(dropped, false);
        int left = n;
        for (boolean progress = true; progress; ) {
            progress = false;
            for (int i = 0; i < n; i++) {
                if (!dropped[i] && rowIsEmpty(i)) {
                    dropped[i] = true;
                    progress = true;
                    left--;
                }
            }
        }
        return left == 0;
    }

    private boolean rowIsEmpty(int i) {
        for (int j = 0; j < n; j++) {
            if (!dropped[j] && base.high(i, j) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the traces of the matrix and of its square are 0 up to rounding, as a nilpotent's are, and the entries of
     * sizes whose products cannot vanish by underflow.
     */
    private boolean mayVanish() {
        double largest = base.largestMagnitude(); // not 0: the zero matrix is acyclic
        double trace = 0;
        double traceOfSquare = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < n; i++) {
            trace += base.high(i, i) / largest;
            for (int j = 0; j < n; j++) {
                double entry = Math.abs(base.high(i, j));
                least = entry == 0 ? least : Math.min(least, entry);
                traceOfSquare += base.high(i, j) / largest * (base.high(j, i) / largest);
            }
        }
        // a filter only, so rounding of the traces is allowed for; the powers decide
        double slack = n * n * Math.ulp(1.0);
        return Math.abs(trace) <= slack
                && Math.abs(traceOfSquare) <= slack * n * n
                && n * (Math.getExponent(largest) - Math.getExponent(least) + 1) < 900;
    }
}
