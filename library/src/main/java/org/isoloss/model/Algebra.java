package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/**
 * Numbers of any kind that a model can be computed with: floating-point ones, rationals, residues, power series, dual
 * numbers, or sets of what a number depends on.
 *
 * @param <T> the elements, immutable
 */
public interface Algebra<T> {
    /**
     * Returns a constant.
     *
     * @param value finite, or minus infinity where something is left out of a largest
     * @return its element
     */
    T constant(double value);

    /**
     * Adds.
     *
     * @param left a summand
     * @param right a summand
     * @return the sum
     */
    T plus(T left, T right);

    /**
     * Multiplies.
     *
     * @param left a factor
     * @param right a factor
     * @return the product
     */
    T times(T left, T right);

    /**
     * Applies a function of one variable.
     *
     * @param function the function
     * @param argument where
     * @return its value
     * @throws UnsupportedOperationException when the function has no value here, with the reason
     */
    T apply(Pointwise function, T argument);

    /**
     * Returns the number that decides choices: of two, the larger; of a mask, whether it holds; of an index, which.
     *
     * @param element any
     * @return the number that it stands for
     * @throws UnsupportedOperationException when elements stand for no single number, with the reason
     */
    double number(T element);

    /**
     * Returns the larger of two.
     *
     * @param left one
     * @param right another
     * @return the first where they are equal
     */
    default T larger(T left, T right) {
        return number(right) > number(left) ? right : left;
    }

    /**
     * Chooses.
     *
     * @param mask stands for 0 where the other one is taken
     * @param chosen one
     * @param other another
     * @return one of the two
     */
    default T chosen(T mask, T chosen, T other) {
        return number(mask) != 0 ? chosen : other;
    }

    /**
     * Compares.
     *
     * @param kind how
     * @param left one
     * @param right another
     * @return 1 where the comparison holds, 0 elsewhere
     */
    default T compared(Comparison.Kind kind, T left, T right) {
        return constant(kind.holds(number(left), number(right)) ? 1 : 0);
    }

    /**
     * Returns whether {@link #number} is known.
     *
     * @param element any
     * @return true for numbers
     */
    default boolean decides(T element) {
        return true;
    }
}
