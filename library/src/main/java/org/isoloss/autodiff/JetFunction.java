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
     * Prepares to compute with some vectors, each with as many directions.
     *
     * @param precision of all numbers
     * @param tangents how many directions come with each vector, at least 0
     * @param vectors how many vectors there are, at least 1
     * @return for one thread
     */
    Evaluator evaluator(Precision precision, int tangents, int vectors);

    /** Computes with vectors and their directions, and keeps what the gradients need; nothing is allocated. */
    interface Evaluator {
        /**
         * Computes the values and their derivatives.
         *
         * @param rows all vectors, then the first directions of all, then the second, p numbers each; not modified
         * @param results receives the values of all, then the derivatives along the first directions, m numbers each; modified
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
