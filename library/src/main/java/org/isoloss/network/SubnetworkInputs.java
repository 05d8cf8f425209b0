package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/**
 * What a subnetwork receives from the rest, {@code h(theta_1, X)} in proposition {@code prop:symmetry-from-subnetworks}:
 * features for each input, and parameters that stay but stand between moving ones and the boundary.
 */
public final class SubnetworkInputs {
    private final Matrix features;
    private final double[] constants;

    SubnetworkInputs(Matrix features, double[] constants) {
        this.features = features;
        this.constants = constants;
    }

    /**
     * {@return the features: shape (k, s), one input a row: values of {@link Factorization#features}, then the sums of {@link
     * Factorization#fixedSums}; a copy}
     */
    public Matrix features() {
        return features.copy();
    }

    /** {@return the parameters that stay inside the subnetwork: in the order of {@link Factorization#constants}; a copy} */
    public double[] constants() {
        return constants.clone();
    }

    /**
     * Compares numbers.
     *
     * @param other of the same subnetwork
     * @return whether every number is the same
     */
    public boolean sameAs(SubnetworkInputs other) {
        return features.rows() == other.features.rows()
                && Arrays.equals(features.entries(), other.features.entries())
                && Arrays.equals(constants, other.constants);
    }

    double feature(int row, int column) {
        return features.get(row, column);
    }

    int rows() {
        return features.rows();
    }

    double constant(int index) {
        return constants[index];
    }
}
