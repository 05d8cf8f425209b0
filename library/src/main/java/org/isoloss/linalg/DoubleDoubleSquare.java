package org.isoloss.linalg;

import java.util.Arrays;

/**
 * A square matrix whose entries are unevaluated sums of two doubles, about 106 bits. Sums and products are exact but for
 * a few units of 2^-104 of the magnitudes summed.
 *
 * @see "Hida, Li and Bailey, Library for double-double and quad-double arithmetic, 2007"
 */
final class DoubleDoubleSquare implements Square<DoubleDoubleSquare> {
    private final int n;
    private final double[] high;
    private final double[] low;
    private final int[] pivots;

    DoubleDoubleSquare(int n) {
        this.n = n;
        this.high = new double[Math.multiplyExact(n, n)];
        this.low = new double[n * n];
        this.pivots = new int[n];
    }

    /** {@inheritDoc} The bound of Higham (2005), equation 2.11, for a unit roundoff of 2^-106 in place of 2^-53. */
    @Override
    public double padeRadius() {
        return 1.3203382096514475;
    }

    @Override
    public DoubleDoubleSquare like() {
        return new DoubleDoubleSquare(n);
    }

    @Override
    public void set(int row, int column, double high, double low) {
        this.high[row * n + column] = high;
        this.low[row * n + column] = low;
    }

    @Override
    public double high(int row, int column) {
        return high[row * n + column];
    }

    @Override
    public double low(int row, int column) {
        return low[row * n + column];
    }

    @Override
    public void clear() {
        Arrays.fill(high, 0);
        Arrays.fill(low, 0);
    }

    @Override
    public void addScaled(double factor, DoubleDoubleSquare x) {
        addMultiple(factor, 0, x.high, x.low, 0, high, low, 0, n * n);
        renormalise(0, n * n);
    }

    @Override
    public void addToDiagonal(double x) {
        for (int i = 0; i < n * n; i += n + 1) {
            double sum = high[i] + x;
            double part = sum - high[i];
            low[i] += (high[i] - (sum - part)) + (x - part);
            high[i] = sum;
            renormalise(i, 1);
        }
    }

    @Override
    public void setProduct(DoubleDoubleSquare left, DoubleDoubleSquare right) {
        clear();
        addProduct(left, right);
    }

    @Override
    public void addProduct(DoubleDoubleSquare left, DoubleDoubleSquare right) {
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                addMultiple(
                        left.high[i * n + k], left.low[i * n + k], right.high, right.low, k * n, high, low, i * n, n);
            }
        }
        renormalise(0, n * n);
    }

    /**
     * Adds a multiple of entries to others: {@code y += (factorHigh + factorLow) x}. The high parts of y are summed
     * without loss; the low parts grow until they are renormalised.
     */
    private static void addMultiple(
            double factorHigh,
            double factorLow,
            double[] xHigh,
            double[] xLow,
            int x,
            double[] yHigh,
            double[] yLow,
            int y,
            int count) {
        for (int i = 0; i < count; i++) {
            double h = xHigh[x + i];
            double product = factorHigh * h;
            double error = Math.fma(factorHigh, h, -product) + (factorHigh * xLow[x + i] + factorLow * h);
            double old = yHigh[y + i];
            double sum = old + product;
            double part = sum - old;
            yLow[y + i] += error + ((old - (sum - part)) + (product - part));
            yHigh[y + i] = sum;
        }
    }

    /** Makes each high part the rounded entry again. */
    private void renormalise(int from, int count) {
        for (int i = from; i < from + count; i++) {
            double sum = high[i] + low[i];
            double part = sum - high[i];
            low[i] = (high[i] - (sum - part)) + (low[i] - part);
            high[i] = sum;
        }
    }

    @Override
    public void scale(int exponent) {
        for (int i = 0; i < n * n; i++) {
            high[i] = Math.scalb(high[i], exponent);
            low[i] = Math.scalb(low[i], exponent);
        }
    }

    /** Divides every entry by an integer below 2^53. */
    void divide(double divisor) {
        for (int i = 0; i < n * n; i++) {
            double quotient = high[i] / divisor;
            double rest = Math.fma(-quotient, divisor, high[i]) + low[i];
            high[i] = quotient;
            low[i] = rest / divisor;
        }
        renormalise(0, n * n);
    }

    @Override
    public double largestMagnitude() {
        double largest = 0;
        for (double entry : high) {
            largest = Math.max(largest, Math.abs(entry));
        }
        return largest;
    }

    /** Gaussian elimination with partial pivoting; the pivots' reciprocals take their places. */
    @Override
    public void factor() {
        for (int k = 0; k < n; k++) {
            int pivot = k;
            for (int i = k + 1; i < n; i++) {
                if (Math.abs(high[i * n + k]) > Math.abs(high[pivot * n + k])) {
                    pivot = i;
                }
            }
            pivots[k] = pivot;
            swapRows(k, pivot);
            invert(k * n + k);
            for (int i = k + 1; i < n; i++) {
                multiply(i * n + k, high[k * n + k], low[k * n + k]);
                addMultiple(
                        -high[i * n + k],
                        -low[i * n + k],
                        high,
                        low,
                        k * n + k + 1,
                        high,
                        low,
                        i * n + k + 1,
                        n - k - 1);
                renormalise(i * n + k + 1, n - k - 1);
            }
        }
    }

    @Override
    public void solve(DoubleDoubleSquare right) {
        for (int k = 0; k < n; k++) {
            right.swapRows(k, pivots[k]);
        }
        for (int k = 0; k < n; k++) { // below the diagonal: ones, and the multipliers
            for (int i = k + 1; i < n; i++) {
                eliminate(right, k, i);
            }
        }
        for (int k = n - 1; k >= 0; k--) {
            for (int j = 0; j < n; j++) {
                right.multiply(k * n + j, high[k * n + k], low[k * n + k]);
            }
            for (int i = 0; i < k; i++) {
                eliminate(right, k, i);
            }
        }
    }

    private void eliminate(DoubleDoubleSquare right, int known, int row) {
        addMultiple(
                -high[row * n + known],
                -low[row * n + known],
                right.high,
                right.low,
                known * n,
                right.high,
                right.low,
                row * n,
                n);
        right.renormalise(row * n, n);
    }

    private void swapRows(int one, int other) {
        for (int j = 0; j < n && one != other; j++) {
            double h = high[one * n + j];
            double l = low[one * n + j];
            high[one * n + j] = high[other * n + j];
            low[one * n + j] = low[other * n + j];
            high[other * n + j] = h;
            low[other * n + j] = l;
        }
    }

    private void multiply(int at, double factorHigh, double factorLow) {
        double product = high[at] * factorHigh;
        low[at] = Math.fma(high[at], factorHigh, -product) + (high[at] * factorLow + low[at] * factorHigh);
        high[at] = product;
        renormalise(at, 1);
    }

    private void invert(int at) {
        double reciprocal = 1 / high[at];
        double rest = Math.fma(-reciprocal, high[at], 1) - reciprocal * low[at];
        low[at] = rest * reciprocal; // one Newton step; the rest of it is below 2^-104
        high[at] = reciprocal;
        renormalise(at, 1);
    }
}
