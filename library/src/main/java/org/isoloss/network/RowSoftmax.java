package org.isoloss.network;

import org.isoloss.linalg.Matrix;

/** Softmax along rows. */
final class RowSoftmax implements RowActivation {
    @Override
    public Matrix values(Matrix sums) {
        Matrix values = sums.copy();
        for (int row = 0; row < sums.rows(); row++) {
            double largest = Double.NEGATIVE_INFINITY;
            for (int j = 0; j < sums.columns(); j++) {
                largest = Math.max(largest, sums.get(row, j));
            }
            double total = 0;
            for (int j = 0; j < sums.columns(); j++) {
                values.set(row, j, Math.exp(sums.get(row, j) - largest));
                total += values.get(row, j);
            }
            for (int j = 0; j < sums.columns(); j++) {
                values.set(row, j, values.get(row, j) / total);
            }
        }
        return values;
    }

    /** {@code s_j (c_j - sum_i s_i c_i)}. */
    @Override
    public Matrix derivative(Matrix sums, Matrix change) {
        Matrix values = values(sums);
        Matrix derivative = values.copy();
        for (int row = 0; row < sums.rows(); row++) {
            double mean = 0;
            for (int j = 0; j < sums.columns(); j++) {
                mean += values.get(row, j) * change.get(row, j);
            }
            for (int j = 0; j < sums.columns(); j++) {
                derivative.set(row, j, values.get(row, j) * (change.get(row, j) - mean));
            }
        }
        return derivative;
    }
}
