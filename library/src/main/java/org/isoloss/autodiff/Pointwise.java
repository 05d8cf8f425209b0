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
}
