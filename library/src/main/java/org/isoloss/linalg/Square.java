package org.isoloss.linalg;

/**
 * A square matrix in the working precision of an exponential. Every operation overwrites this matrix and leaves its
 * arguments, which must be others, as they are; none allocates in {@link DoubleDoubleSquare}.
 *
 * @param <S> the kind itself, so that precisions do not mix
 */
sealed interface Square<S extends Square<S>> permits DoubleDoubleSquare, DoubleSquare {
    /** The largest 1-norm at which the diagonal Padé approximant of degree 13 is exact to the working precision. */
    double padeRadius();

    /** Returns a zero matrix of this size and kind. */
    S like();

    /** Sets one entry to {@code high + low}, where {@code low} is at most half a unit in the last place of the other. */
    void set(int row, int column, double high, double low);

    /** One entry, rounded. */
    double high(int row, int column);

    /** What rounding took from {@link #high}; 0 in double precision. */
    double low(int row, int column);

    void clear();

    /** Adds {@code factor * x}. */
    void addScaled(double factor, S x);

    void addToDiagonal(double x);

    void setProduct(S left, S right);

    /** Adds {@code left * right}. */
    void addProduct(S left, S right);

    /** Multiplies by {@code 2^exponent}. */
    void scale(int exponent);

    double largestMagnitude();

    /** Replaces this matrix by its triangular factors, for {@link #solve}. */
    void factor();

    /** Replaces {@code right} by the solution X of {@code A X = right}, where this matrix holds the factors of A. */
    void solve(S right);
}
