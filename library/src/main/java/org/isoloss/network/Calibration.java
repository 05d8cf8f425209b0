package org.isoloss.network;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;

/**
 * The scales by which a setting is measured, fixed before training (paragraph "Finite-action tests" of appendix
 * {@code app:one-generator-setup} of the paper).
 *
 * @param parameterScale s_theta, the root-mean-square parameter coordinate, positive
 * @param outputScale s_F, the root-mean-square norm of the whole output, positive
 */
public record Calibration(double parameterScale, double outputScale) {
    /** Number of calibration samples. */
    public static final int SAMPLES = 64;

    /** Refuses scales that are not positive. */
    public Calibration {
        if (!(parameterScale > 0 && outputScale > 0) || Double.isInfinite(parameterScale + outputScale)) {
            throw new IllegalArgumentException(
                    "Calibration: parameter scale %s and output scale %s, expected positive finite numbers: parameters and outputs must not all be zero"
                            .formatted(parameterScale, outputScale));
        }
    }

    /**
     * Measures the scales.
     *
     * @param target the function to be preserved
     * @param points where parameters are sampled
     * @param random the stream to draw from; modified
     * @return the scales
     */
    public static Calibration of(Target target, PointSampler points, SplittableRandom random) {
        Matrix samples = Matrix.zeros(SAMPLES, points.parameterCount());
        for (int i = 0; i < SAMPLES; i++) {
            points.draw(random, samples.entries(), i * points.parameterCount());
        }
        Matrix outputs = target.outputs(samples);
        return new Calibration(
                samples.frobeniusNorm() / Math.sqrt(samples.entries().length),
                outputs.frobeniusNorm() / Math.sqrt(SAMPLES));
    }
}
