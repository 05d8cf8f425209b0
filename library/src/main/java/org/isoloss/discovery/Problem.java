package org.isoloss.discovery;

import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.network.Calibration;
import org.isoloss.network.PointSampler;
import org.isoloss.network.SitePool;

/**
 * What a fit is about.
 *
 * @param target the function to be preserved
 * @param points where parameters are sampled
 * @param group the search class
 * @param parameterScale s_theta, the root-mean-square parameter coordinate
 * @param outputScale s_F, the root-mean-square norm of the whole output
 * @param pool the batches that an action for many of them is trained on; nothing for other actions
 */
public record Problem(
        DifferentiableTarget target,
        PointSampler points,
        Group group,
        double parameterScale,
        double outputScale,
        Optional<SitePool> pool) {
    /** Refuses scales that are not positive and sizes that do not fit. */
    public Problem {
        if (!(parameterScale > 0 && outputScale > 0)) {
            throw new IllegalArgumentException("Problem: parameter scale %s and output scale %s must be positive"
                    .formatted(parameterScale, outputScale));
        }
        if (target.parameterCount() != points.parameterCount()) {
            throw new IllegalArgumentException("Problem: the target has %d parameters, the sampler %d"
                    .formatted(target.parameterCount(), points.parameterCount()));
        }
    }

    /**
     * States a problem of one batch.
     *
     * @param target the function to be preserved
     * @param points where parameters are sampled
     * @param group the search class
     * @param parameterScale s_theta, the root-mean-square parameter coordinate
     * @param outputScale s_F, the root-mean-square norm of the whole output
     */
    public Problem(
            DifferentiableTarget target, PointSampler points, Group group, double parameterScale, double outputScale) {
        this(target, points, group, parameterScale, outputScale, Optional.empty());
    }

    /**
     * Adds the batches that an action for many of them is trained on.
     *
     * @param batches of the site that is the target
     * @return all else unchanged
     */
    public Problem over(SitePool batches) {
        return new Problem(target, points, group, parameterScale, outputScale, Optional.of(batches));
    }

    /**
     * Measures the scales.
     *
     * @param target the function to be preserved
     * @param points where parameters are sampled
     * @param group the search class
     * @param random the stream of the points on which the scales are measured; modified
     * @return the problem
     */
    public static Problem calibrated(
            DifferentiableTarget target, PointSampler points, Group group, SplittableRandom random) {
        Calibration scales = Calibration.of(target, points, random);
        return new Problem(target, points, group, scales.parameterScale(), scales.outputScale());
    }

    Normalizers normalizers(double beta) {
        return new Normalizers(outputScale, parameterScale * beta, parameterScale * beta);
    }
}
