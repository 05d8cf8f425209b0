package org.isoloss.model;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/** The numbers of a {@link Reception}: features for each batch, and parameters that stay but lie inside. */
public final class SubnetworkInputs {
    private final Matrix features;
    private final double[] constants;

    SubnetworkInputs(Matrix features, double[] constants) {
        this.features = features;
        this.constants = constants;
    }

    /**
     * {@return the features: shape (k, s), one batch a row: entries of {@link Reception#features}, then those of {@link
     * Reception#sums}; a copy}
     */
    public Matrix features() {
        return features.copy();
    }

    /** {@return the parameters that stay inside the subnetwork: in the order of {@link Reception#constants}; a copy} */
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
}
