package org.isoloss.autodiff;

/** A function applied entry by entry, with its first two derivatives. */
public interface Pointwise {
    /**
     * Returns the value.
     *
     * @param z finite
     * @return f(z)
     */
    double value(double z);

    /**
     * Returns the first derivative.
     *
     * @param z finite
     * @return f'(z); at a kink, the derivative from the left
     */
    double first(double z);

    /**
     * Returns the second derivative.
     *
     * @param z finite
     * @return f''(z); at a kink, 0
     */
    double second(double z);

    /** {@return whether the first derivative jumps somewhere, as that of ReLU does at 0} */
    default boolean hasKink() {
        return false;
    }

    /**
     * Replaces numbers by their values, in float64, and fills both derivatives: three arrays with one index, which is how
     * the compiler vectorises a loop.
     *
     * @param numbers arguments z on entry, f(z) on return; modified from {@code from} to {@code to - 1}
     * @param first receives f'(z); modified in the same places
     * @param second receives f''(z); modified in the same places
     * @param from first place
     * @param to one past the last place
     */
    default void evaluate(double[] numbers, double[] first, double[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            double z = numbers[i];
            numbers[i] = value(z);
            first[i] = first(z);
            second[i] = second(z);
        }
    }

    /**
     * Does the same in float32; an implementation may be faster and err by a few units of 1e-7.
     *
     * @param numbers arguments z on entry, f(z) on return; modified from {@code from} to {@code to - 1}
     * @param first receives f'(z); modified in the same places
     * @param second receives f''(z); modified in the same places
     * @param from first place
     * @param to one past the last place
     */
    default void evaluate(float[] numbers, float[] first, float[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            float z = numbers[i];
            numbers[i] = (float) value(z);
            first[i] = (float) first(z);
            second[i] = (float) second(z);
        }
    }

    /**
     * Replaces numbers by their values, in float64, where nobody asks for derivatives: the same bits as {@link #evaluate},
     * perhaps sooner.
     *
     * @param numbers arguments z on entry, f(z) on return; modified from {@code from} to {@code to - 1}
     * @param scratch a place to work; modified in the same places
     * @param more another one
     * @param from first place
     * @param to one past the last place
     */
    default void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
        evaluate(numbers, scratch, more, from, to);
    }

    /**
     * Replaces numbers by their values, in float32, where nobody asks for derivatives: the same bits as {@link #evaluate}.
     *
     * @param numbers arguments z on entry, f(z) on return; modified from {@code from} to {@code to - 1}
     * @param scratch a place to work; modified in the same places
     * @param more another one
     * @param from first place
     * @param to one past the last place
     */
    default void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
        evaluate(numbers, scratch, more, from, to);
    }
}
