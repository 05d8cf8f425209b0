package org.isoloss.linalg;

/**
 * A finite matrix times a power of two that brings its largest magnitude into [1/2, 1), so that no factorisation
 * overflows and results keep every bit when the problem is scaled by a power of two.
 */
final class Scaled {
    private final double[] entries;
    private final int exponent;

    private Scaled(double[] entries, int exponent) {
        this.entries = entries;
        this.exponent = exponent;
    }

    /**
     * Scales a matrix.
     *
     * @param matrix any shape; not modified
     * @param what how messages call the matrix; a NaN or an infinity in it is refused
     */
    static Scaled of(Matrix matrix, String what) {
        double largest = matrix.requireFinite(what).largestMagnitude();
        int exponent = largest == 0 ? 0 : exponentAbove(largest);
        double[] entries = matrix.entries().clone();
        for (int i = 0; i < entries.length; i++) {
            entries[i] = Math.scalb(entries[i], -exponent);
        }
        return new Scaled(entries, exponent);
    }

    /** The least e with {@code magnitude < 2^e}, for subnormal magnitudes too. */
    static int exponentAbove(double magnitude) {
        int shift = magnitude < Double.MIN_NORMAL ? 64 : 0;
        return Math.getExponent(Math.scalb(magnitude, shift)) + 1 - shift;
    }

    /** The scaled entries, row by row; the caller may overwrite them. */
    double[] entries() {
        return entries;
    }

    /**
     * Undoes the scaling of a result that is homogeneous of degree one.
     *
     * @param values of the scaled matrix; not modified
     * @param what how the message calls them when one overflows
     */
    double[] restore(double[] values, String what) {
        return timesPowerOfTwo(values, exponent, what);
    }

    /** Undoes the scaling of a result that is this matrix divided by another. */
    double[] restoreOver(Scaled divisor, double[] values, String what) {
        return timesPowerOfTwo(values, exponent - divisor.exponent, what);
    }

    private static double[] timesPowerOfTwo(double[] values, int exponent, String what) {
        double[] restored = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            restored[i] = Math.scalb(values[i], exponent);
            if (!Double.isFinite(restored[i])) {
                throw new ArithmeticException("%s %d is %.3g * 2^%d, beyond the largest double; scale the problem down"
                        .formatted(what, i, values[i], exponent));
            }
        }
        return restored;
    }
}
