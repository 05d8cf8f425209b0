package org.isoloss.linalg;

import java.util.Arrays;

/** A square matrix in float64, over OpenBLAS: for exponentials of large matrices. */
final class DoubleSquare implements Square<DoubleSquare> {
    private final int n;
    private final double[] entries;
    private LinearSolve factors = LinearSolve.of(Matrix.zeros(0, 0));

    DoubleSquare(int n) {
        this.n = n;
        this.entries = new double[Math.multiplyExact(n, n)];
    }

    /** {@inheritDoc} From Higham, "The scaling and squaring method for the matrix exponential revisited", table 2.3. */
    @Override
    public double padeRadius() {
        return 5.371920351148152;
    }

    @Override
    public DoubleSquare like() {
        return new DoubleSquare(n);
    }

    @Override
    public void set(int row, int column, double high, double low) {
        entries[row * n + column] = high + low;
    }

    @Override
    public double high(int row, int column) {
        return entries[row * n + column];
    }

    @Override
    public double low(int row, int column) {
        return 0;
    }

    @Override
    public void clear() {
        Arrays.fill(entries, 0);
    }

    @Override
    public void addScaled(double factor, DoubleSquare x) {
        for (int i = 0; i < entries.length; i++) {
            entries[i] += factor * x.entries[i];
        }
    }

    @Override
    public void addToDiagonal(double x) {
        for (int i = 0; i < n; i++) {
            entries[i * n + i] += x;
        }
    }

    @Override
    public void setProduct(DoubleSquare left, DoubleSquare right) {
        multiply(left, right, 0);
    }

    @Override
    public void addProduct(DoubleSquare left, DoubleSquare right) {
        multiply(left, right, 1);
    }

    private void multiply(DoubleSquare left, DoubleSquare right, double beta) {
        Blas.gemm(left.entries, 0, n, false, right.entries, 0, n, false, entries, 0, n, n, n, n)
                .run(1, beta);
    }

    @Override
    public void scale(int exponent) {
        for (int i = 0; i < entries.length; i++) {
            entries[i] = Math.scalb(entries[i], exponent);
        }
    }

    @Override
    public double largestMagnitude() {
        return Matrix.over(n, n, entries).largestMagnitude();
    }

    @Override
    public void factor() {
        factors = LinearSolve.of(Matrix.over(n, n, entries));
    }

    @Override
    public void solve(DoubleSquare right) {
        double[] solution = factors.solve(Matrix.over(n, n, right.entries)).entries();
        System.arraycopy(solution, 0, right.entries, 0, solution.length);
    }
}
