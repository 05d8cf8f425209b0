package org.isoloss.network;

import org.isoloss.linalg.Matrix;

/**
 * A row-wise activation: one smooth function of k numbers to k numbers, applied to each row by itself. Rows are hidden units,
 * columns the inputs of the batch: what a unit computes on one input may depend on its sums on the others, and never on
 * another unit. Every {@link Activation} is one, and each entry of it depends on that entry alone.
 */
public interface RowActivation {
    /** {@code exp(z_j) / (exp(z_1) + ... + exp(z_k))} along each row: softmax over the batch. It does not overflow. */
    RowActivation SOFTMAX = new RowSoftmax();

    /**
     * Applies the activation.
     *
     * @param sums one unit a row, one input a column; not modified
     * @return the same shape
     */
    Matrix values(Matrix sums);

    /**
     * Returns the derivative of {@link #values} when the sums change.
     *
     * @param sums one unit a row, one input a column; not modified
     * @param change of the sums, the same shape; not modified
     * @return the same shape
     */
    Matrix derivative(Matrix sums, Matrix change);
}
