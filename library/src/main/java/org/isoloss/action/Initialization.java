package org.isoloss.action;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Orthonormal;

/** The distribution of the weights with which an {@link ActionNetwork} begins; its biases are zero. */
public enum Initialization {
    /** Normal with variance 1 / inputs (LeCun et al., 1998). */
    LECUN,
    /** Normal with variance 2 / inputs, 1 / inputs in the last layer, which no activation follows (He et al., 2015). */
    HE,
    /** As {@link #LECUN}, the square matrices replaced by orthogonal ones, uniformly distributed (Saxe et al., 2014). */
    ORTHOGONAL,
    /** As {@link #LECUN}, the last layer a tenth of it: the action begins near the identity. */
    SMALL_OUTPUT;

    /** What {@link #SMALL_OUTPUT} makes of the last layer. */
    private static final double SMALL = 0.1;

    /**
     * Draws the weights of one layer.
     *
     * @param inputs rows of the matrix, at least 1
     * @param outputs its columns, at least 1
     * @param last whether the layer is the last one
     * @param random the source of randomness; modified
     * @return shape (inputs, outputs)
     */
    Matrix draw(int inputs, int outputs, boolean last, SplittableRandom random) {
        double deviation = deviation(inputs, last);
        Matrix drawn = Matrix.zeros(inputs, outputs);
        Arrays.setAll(drawn.entries(), entry -> deviation * random.nextGaussian());
        return this == ORTHOGONAL && inputs == outputs ? orthogonal(drawn) : drawn;
    }

    private double deviation(int inputs, boolean last) {
        double deviation = 1 / Math.sqrt(inputs);
        return switch (this) {
            case LECUN, ORTHOGONAL -> deviation;
            case HE -> last ? deviation : Math.sqrt(2.0 / inputs);
            case SMALL_OUTPUT -> last ? SMALL * deviation : deviation;
        };
    }

    /** The factor Q of the QR factorisation whose R has a positive diagonal: only that one is uniformly distributed. */
    private static Matrix orthogonal(Matrix normal) {
        Matrix basis = Orthonormal.basis(normal);
        Matrix triangle = basis.transpose().times(normal);
        for (int row = 0; row < basis.rows(); row++) {
            for (int column = 0; column < basis.columns(); column++) {
                if (triangle.get(column, column) < 0) {
                    basis.set(row, column, -basis.get(row, column));
                }
            }
        }
        return basis;
    }
}
