package org.isoloss.network;

import java.util.SplittableRandom;

/** Normal perturbations of one parameter vector, the same deviation for every coordinate; a share may stay unperturbed. */
public final class GaussianPoints implements PointSampler {
    private final double[] centre;
    private final double deviation;
    private final double original;

    /**
     * Prepares to draw.
     *
     * @param centre the unperturbed vector, finite; copied
     * @param deviation standard deviation of each coordinate, positive
     * @param original share of draws that are the centre itself, in [0, 1)
     */
    public GaussianPoints(double[] centre, double deviation, double original) {
        if (!(deviation > 0) || Double.isInfinite(deviation) || !(original >= 0 && original < 1)) {
            throw new IllegalArgumentException(
                    "GaussianPoints: deviation %s must be positive and the original share %s in [0, 1)"
                            .formatted(deviation, original));
        }
        this.centre = centre.clone();
        this.deviation = deviation;
        this.original = original;
    }

    @Override
    public int parameterCount() {
        return centre.length;
    }

    @Override
    public void draw(SplittableRandom random, double[] points, int offset) {
        boolean keep = original > 0 && random.nextDouble() < original;
        for (int i = 0; i < centre.length; i++) {
            points[offset + i] = keep ? centre[i] : centre[i] + deviation * random.nextGaussian();
        }
    }

    @Override
    public PointSampler widened(double factor) {
        return new GaussianPoints(centre, factor * deviation, original);
    }
}
