package org.isoloss.affine;

/**
 * Constraints {@code J [A b] (theta, 1) = 0} that every field of the class satisfies, without rounding: their coefficients
 * at the unknowns, modulo {@link org.isoloss.exact.ModularRank#PRIME}.
 */
interface ExactRows {
    /** The number of rows. */
    int count();

    /** The coefficient of {@code A_ab}, or of {@code b_a} where b is p. */
    long coefficient(int row, int a, int b);
}
