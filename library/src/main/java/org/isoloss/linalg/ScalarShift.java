package org.isoloss.linalg;

/**
 * A multiple of the identity taken out of an exponent, {@code exp(A) = e^shift exp(A - shift I)}, with its factor kept
 * as {@code (high + low) 2^exponent} so that it neither overflows nor vanishes by itself.
 */
final class ScalarShift {
    private static final double LN2_HIGH = 0.6931471805599453;
    private static final double LN2_LOW = 2.3190468138462996e-17;
    private static final double LARGEST = 1e15; // beyond, the remainder of a power of two is rounding alone
    private static final int GUARD = -31; // sums must not overflow

    private double shift;
    private double high = 1;
    private double low;
    private double exponent;

    /**
     * Chooses the mean of a diagonal, exactly its entries where they agree.
     *
     * @param a holds the matrix from {@code offset}, row by row; not modified
     * @param n its size, at least 1
     */
    void choose(double[] a, int offset, int n) {
        double first = a[offset];
        boolean constant = true;
        double sum = 0;
        double lost = 0; // by rounding the sum, so that a trace that is exactly 0 is found so
        for (int i = 0; i < n; i++) {
            double entry = a[offset + i * n + i];
            constant &= entry == first;
            double term = Math.scalb(entry, GUARD);
            double next = sum + term;
            double part = next - sum;
            lost += (sum - (next - part)) + (term - part);
            sum = next;
        }
        set(constant ? first : Math.scalb((sum + lost) / n, -GUARD));
    }

    private void set(double value) {
        shift = value + 0.0; // no negative zero
        exponent = Math.rint(shift / LN2_HIGH);
        high = 1;
        low = 0;
        if (Math.abs(shift) > LARGEST) {
            return; // so large that only a matrix of such a norm could bring the product back into range
        }
        double product = exponent * LN2_HIGH;
        double rest = shift - product; // exact: the two are within a factor of two, or the product is 0
        double lost = Math.fma(exponent, LN2_HIGH, -product) + exponent * LN2_LOW;
        double reduced = rest - lost;
        high = Math.exp(reduced);
        low = high * ((rest - reduced) - lost);
    }

    double value() {
        return shift;
    }

    /**
     * Multiplies by the factor and a power of two, rounding once.
     *
     * @param entryHigh the entry, rounded
     * @param entryLow what rounding took from it
     * @param power of two
     * @return infinite if it overflows
     */
    double apply(double entryHigh, double entryLow, double power) {
        double product = Math.fma(entryHigh, high, entryLow * high + entryHigh * low);
        double total = Math.max(-5000, Math.min(5000, power + exponent)); // beyond, 0 or infinite all the same
        return Math.scalb(product, (int) total) + 0.0;
    }
}
