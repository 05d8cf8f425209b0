package org.isoloss.transformer;

import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/**
 * One vector a token, in one arithmetic, with what a transformer does to them. {@link Float32States} is written by hand;
 * {@code Float64States} is generated from it when the library is built. All that take part in an operation have the same
 * arithmetic.
 */
sealed interface HiddenStates permits Float32States, Float64States {
    /** Applies an affine map; what comes is new, and the same to the bit whatever the number of threads. */
    HiddenStates times(Projection projection);

    /** Returns the normalised states, which are new. */
    HiddenStates normalized(Normalization norm);

    /** Adds states of the same shape to these. */
    void add(HiddenStates other);

    /** Multiplies these entry by entry with states of the same shape. */
    void multiply(HiddenStates other);

    /** Multiplies these with a number. */
    void scale(double factor);

    /** Applies an activation to every entry of these. */
    void activate(Activation activation);

    /** Turns pairs of coordinates of each head of these by the angles of their token's position. */
    void rotate(Heads heads, RotaryAngles angles);

    /**
     * Mixes values by how well keys fit queries, sequence by sequence.
     *
     * @param causal whether a token sees only itself and those before it
     * @return one token a row, with the query heads beside each other; new
     */
    HiddenStates attend(Heads queries, Heads keys, Heads values, TokenBatch tokens, boolean causal);

    /** Returns a copy of consecutive rows in float64. */
    Matrix toMatrix(int from, int to);
}
