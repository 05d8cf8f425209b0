package org.isoloss.evaluation;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.SplitTarget;
import org.isoloss.network.PointSampler;

/**
 * One moving and one compensating sigmoid unit on one input, {@code F = w z + u sigma(v x)}, with two more parameters that
 * it does not use. Coordinates: w, v, and c and d, which begin at 0 and at random.
 */
record ScalarSite(double input) implements SplitTarget {
    static final ScalarSite PROTECTED = new ScalarSite(1.3);
    static final double COMPENSATING = 0.6;
    static final double OUTGOING = 0.8;
    static final int W = 0;
    static final int V = 1;
    static final int C = 2;
    static final int D = 3;

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    @Override
    public int parameterCount() {
        return 4;
    }

    @Override
    public int outputCount() {
        return 1;
    }

    @Override
    public Matrix movingOutputs(Matrix parameters) {
        Matrix outputs = Matrix.zeros(parameters.rows(), 1);
        for (int row = 0; row < parameters.rows(); row++) {
            outputs.set(row, 0, OUTGOING * sigmoid(parameters.get(row, V) * input));
        }
        return outputs;
    }

    /** The compensating feature follows the input too: {@code 0.6 x / 1.3}. */
    @Override
    public Matrix compensatingOutputs(Matrix parameters) {
        Matrix outputs = Matrix.zeros(parameters.rows(), 1);
        for (int row = 0; row < parameters.rows(); row++) {
            outputs.set(row, 0, parameters.get(row, W) * COMPENSATING * input / PROTECTED.input);
        }
        return outputs;
    }

    static PointSampler points() {
        return points(1);
    }

    private static PointSampler points(double spread) {
        return new PointSampler() {
            @Override
            public int parameterCount() {
                return 4;
            }

            @Override
            public void draw(SplittableRandom random, double[] points, int offset) {
                points[offset + W] = 0.7 + spread * 0.2 * random.nextGaussian();
                points[offset + V] = 0.4 + spread * 0.2 * random.nextGaussian();
                points[offset + C] = 0;
                points[offset + D] = spread * random.nextGaussian();
            }

            @Override
            public PointSampler widened(double factor) {
                return points(factor * spread);
            }
        };
    }
}
