package org.isoloss.linalg;

/**
 * The exponential of a 2 x 2 matrix and its Fréchet derivative in closed form, without allocation.
 *
 * <p>With m half the trace and B = A - m I, B squared is d I, so {@code exp(A) = e^m (c(d) I + s(d) B)} where c is cosh
 * and s is sinh(r) / r of r = sqrt(d), or cos and sin(r) / r where d is negative. The error is a few eps because m, B
 * and d are known to twice the precision.
 *
 * <p>Not for sharing between threads: intermediate numbers are fields.
 */
final class PlaneExponential {
    private static final double SERIES = 2; // largest |d| for the power series
    private static final double[] C = new double[13]; // 1 / (2k)!
    private static final double[] S = new double[13]; // 1 / (2k + 1)!
    private static final double[] SLOPE = new double[13]; // (k + 1) / (2k + 3)!, the series of ds/dd
    private static final double LARGEST_EXPONENT = 700;

    static {
        double factorial = 1;
        for (int k = 0; k < C.length; k++) {
            C[k] = 1 / factorial;
            factorial *= 2 * k + 1;
            S[k] = 1 / factorial;
            factorial *= 2 * k + 2;
            SLOPE[k] = (k + 1) / (factorial * (2 * k + 3));
        }
    }

    private double a;
    private double b;
    private double c;
    private double d;
    private double mean; // m = mean + meanLow
    private double meanLow;
    private double half; // B = (half + halfLow, b; c, -(half + halfLow))
    private double halfLow;
    private double square; // d = square + squareLow
    private double squareLow;
    private double factor; // e^m, unless d is beyond the series and positive
    private double cosine; // e^m c
    private double sine; // e^m s

    /**
     * Computes the exponential.
     *
     * @param matrix holds A from {@code offset}, row by row, finite; not modified
     * @param result modified from {@code resultOffset}
     * @return false, with the result untouched, where numbers are so large that the closed form might overflow
     */
    boolean exponential(double[] matrix, int offset, double[] result, int resultOffset) {
        if (!prepare(matrix, offset)) {
            return false;
        }
        boolean triangular = b == 0 || c == 0;
        double first = triangular ? Math.exp(a) : cosine + sine * half;
        double last = triangular ? Math.exp(d) : cosine - sine * half;
        return store(first, sine * b, sine * c, last, result, resultOffset, false);
    }

    /**
     * Computes the derivative L(A, E), or the transpose of L(A, E^T), which is L(A^T, E).
     *
     * @param matrix holds A from {@code offset}, row by row, finite; not modified
     * @param direction holds E from {@code directionOffset}, row by row, finite; not modified
     * @param transposed whether to take the second
     * @param result modified from {@code resultOffset}
     * @return false, with the result untouched, where numbers are so large that the closed form might overflow
     */
    boolean derivative(
            double[] matrix,
            int offset,
            double[] direction,
            int directionOffset,
            boolean transposed,
            double[] result,
            int resultOffset) {
        if (!prepare(matrix, offset)) {
            return false;
        }
        double e11 = direction[directionOffset];
        double e12 = direction[directionOffset + (transposed ? 2 : 1)];
        double e21 = direction[directionOffset + (transposed ? 1 : 2)];
        double e22 = direction[directionOffset + 3];
        double meanSlope = 0.5 * e11 + 0.5 * e22;
        double halfSlope = 0.5 * e11 - 0.5 * e22;
        double squareSlope = sumOfProducts(2 * half, halfSlope, b, e21, c, e12) + 2 * halfLow * halfSlope;
        double sineSlope = Math.abs(square) <= SERIES ? factor * series(SLOPE, square) : (cosine - sine) / (2 * square);
        double common = meanSlope * cosine + 0.5 * sine * squareSlope;
        double alongB = meanSlope * sine + sineSlope * squareSlope;
        double difference = alongB * half + sine * halfSlope;
        return store(
                common + difference,
                alongB * b + sine * e12,
                alongB * c + sine * e21,
                common - difference,
                result,
                resultOffset,
                transposed);
    }

    private static boolean store(
            double first, double upper, double lower, double last, double[] result, int offset, boolean transposed) {
        if (!Double.isFinite(first) || !Double.isFinite(upper) || !Double.isFinite(lower) || !Double.isFinite(last)) {
            return false;
        }
        result[offset] = first + 0.0; // no negative zero
        result[offset + (transposed ? 2 : 1)] = upper + 0.0;
        result[offset + (transposed ? 1 : 2)] = lower + 0.0;
        result[offset + 3] = last + 0.0;
        return true;
    }

    /** Finds m, B, d and the two functions; false where they may overflow. */
    private boolean prepare(double[] matrix, int offset) {
        a = matrix[offset];
        b = matrix[offset + 1];
        c = matrix[offset + 2];
        d = matrix[offset + 3];
        double left = 0.5 * a;
        double right = 0.5 * d;
        mean = left + right;
        double part = mean - left;
        meanLow = (left - (mean - part)) + (right - part);
        half = left - right;
        part = half - left;
        halfLow = (left - (half - part)) - (right + part);
        double halfSquare = half * half;
        double product = b * c;
        square = halfSquare + product;
        part = square - halfSquare;
        squareLow = (halfSquare - (square - part))
                + (product - part)
                + Math.fma(half, half, -halfSquare)
                + Math.fma(b, c, -product)
                + 2 * half * halfLow;
        double sum = square + squareLow;
        squareLow -= sum - square;
        square = sum;
        double root = Math.sqrt(Math.abs(square));
        double largest = square > 0 ? Math.abs(mean) + root : Math.abs(mean);
        if (!(largest < LARGEST_EXPONENT) || !Double.isFinite(squareLow)) { // also where d is not a number
            return false;
        }
        if (Math.abs(square) <= SERIES) {
            factor = exponentialOfMean();
            cosine = factor * series(C, square);
            sine = factor * series(S, square);
        } else {
            evaluateAt(root);
        }
        return true;
    }

    private void evaluateAt(double root) {
        double sign = Math.signum(square);
        double rootLow = (Math.fma(-root, root, sign * square) + sign * squareLow) / (2 * root);
        if (sign < 0) {
            factor = exponentialOfMean();
            double cos = Math.cos(root);
            double sin = Math.sin(root);
            cosine = factor * (cos - sin * rootLow);
            sine = factor * (sin + cos * rootLow) / root;
        } else {
            double plus = exponentialOfSum(root, rootLow);
            double minus = exponentialOfSum(-root, -rootLow);
            cosine = 0.5 * (plus + minus);
            sine = 0.5 * (plus - minus) / root;
        }
    }

    private double exponentialOfMean() {
        double value = Math.exp(mean);
        return value + value * meanLow;
    }

    /** e^(m + r), for r known to twice the precision. */
    private double exponentialOfSum(double r, double rLow) {
        double sum = mean + r;
        double part = sum - mean;
        double lost = (mean - (sum - part)) + (r - part) + meanLow + rLow;
        double value = Math.exp(sum);
        return value + value * lost;
    }

    private static double series(double[] coefficients, double x) {
        double sum = 0;
        for (int k = coefficients.length - 1; k >= 0; k--) {
            sum = Math.fma(sum, x, coefficients[k]);
        }
        return sum;
    }

    /** Three products, summed with their rounding errors: they may nearly cancel. */
    private static double sumOfProducts(double a, double x, double b, double y, double c, double z) {
        double p = a * x;
        double q = b * y;
        double r = c * z;
        double errors = Math.fma(a, x, -p) + Math.fma(b, y, -q) + Math.fma(c, z, -r);
        double first = p + q;
        double part = first - p;
        errors += (p - (first - part)) + (q - part);
        double second = first + r;
        part = second - first;
        errors += (first - (second - part)) + (r - part);
        return second + errors;
    }
}
