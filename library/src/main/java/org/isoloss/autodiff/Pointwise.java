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

    /**
     * Fills value and derivatives for many numbers in float64.
     *
     * @param z arguments; not modified
     * @param value receives f(z); modified
     * @param first receives f'(z); modified
     * @param second receives f''(z); modified
     * @param count how many, at most the length of each array
     */
    default void evaluate(double[] z, double[] value, double[] first, double[] second, int count) {
        for (int i = 0; i < count; i++) {
            value[i] = value(z[i]);
            first[i] = first(z[i]);
            second[i] = second(z[i]);
        }
    }

    /**
     * Fills value and derivatives for many numbers in float32; an implementation may be faster and err by a few units of
     * 1e-7.
     *
     * @param z arguments; not modified
     * @param value receives f(z); modified
     * @param first receives f'(z); modified
     * @param second receives f''(z); modified
     * @param count how many, at most the length of each array
     */
    default void evaluate(float[] z, float[] value, float[] first, float[] second, int count) {
        for (int i = 0; i < count; i++) {
            value[i] = (float) value(z[i]);
            first[i] = (float) first(z[i]);
            second[i] = (float) second(z[i]);
        }
    }
}
