package org.isoloss.linalg;

/** Stand-in until the real one is merged. */
public final class MatrixExponential {
    private MatrixExponential() {}

    /**
     * Returns exp(a).
     *
     * @param a square
     * @return the exponential
     */
    public static Matrix of(Matrix a) {
        Matrix scaled = a.scaled(1.0 / 1024);
        Matrix term = Matrix.identity(a.rows());
        Matrix sum = term;
        for (int k = 1; k < 20; k++) {
            term = term.times(scaled).scaled(1.0 / k);
            sum = sum.plus(term);
        }
        for (int i = 0; i < 10; i++) {
            sum = sum.times(sum);
        }
        return sum;
    }
}
