package org.isoloss.autodiff;

/**
 * A function of a parameter vector that is computed elsewhere: with it, derivatives along directions, and gradients of both.
 * {@link Graph#apply} makes it a part of a recording.
 */
public interface JetFunction {
    /** {@return the length p of a parameter vector} */
    int inputCount();

    /** {@return the number m of values} */
    int outputCount();

    /**
     * Prepares to compute with one vector.
     *
     * @param precision of all numbers
     * @param tangents how many directions come with the vector, at least 0
     * @return for one thread
     */
    Evaluator evaluator(Precision precision, int tangents);

    /** Computes with one vector and its directions, and keeps what the gradients need; nothing is allocated. */
    interface Evaluator {
        /**
         * Computes the values and their derivatives.
         *
         * @param rows the vector, then the directions, p numbers each; not modified
         * @param results receives the values, then their derivatives, m numbers each; modified
         */
        void evaluate(double[] rows, double[] results);

        /**
         * Computes gradients where the values were computed last.
         *
         * @param upstream gradients of the results, in their order; not modified
         * @param gradients receives the gradients of the rows, in their order; modified
         */
        void gradients(double[] upstream, double[] gradients);
    }
}
