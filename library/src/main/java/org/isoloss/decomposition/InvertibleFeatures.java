package org.isoloss.decomposition;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.SiteBlock;

/**
 * How far the incoming weights of some units can move, in the Frobenius norm, with their features certainly invertible: as long
 * as these change by less than their least singular value.
 */
final class InvertibleFeatures {
    /** Places at which the slope of the function is taken. */
    private static final int PLACES = 4096;

    private static final int HALVINGS = 40;

    private final Pointwise function;
    private final Matrix[] sums;
    private final double least;
    private final double inputs;
    private final double largestInput;

    private InvertibleFeatures(Pointwise function, Matrix[] sums, double least, Matrix augmented) {
        this.function = function;
        this.sums = sums;
        this.least = least;
        this.inputs = Svd.valuesOf(augmented)[0];
        this.largestInput = IntStream.range(0, augmented.columns())
                .mapToDouble(input -> Matrix.over(1, augmented.rows(), augmented.column(input))
                        .frobeniusNorm())
                .max()
                .orElse(0);
    }

    /**
     * Takes units with their own weights.
     *
     * @param augmented the batch as the block takes it
     * @param units as many as inputs
     */
    static InvertibleFeatures of(SiteBlock block, Matrix augmented, int... units) {
        Matrix all = block.incoming(units).times(augmented);
        Matrix[] sums = new Matrix[all.rows() / units.length];
        Arrays.setAll(sums, kind -> all.rows(kind * units.length, (kind + 1) * units.length));
        double[] values = Svd.valuesOf(block.features(augmented, units));
        return new InvertibleFeatures(block.activation(), sums, values[values.length - 1], augmented);
    }

    /** The radius, at most {@code most}. */
    double radius(double most) {
        double inside = 0;
        double outside = most;
        if (change(most) < least) {
            return most;
        }
        for (int i = 0; i < HALVINGS; i++) {
            double middle = 0.5 * (inside + outside);
            if (change(middle) < least) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        return inside;
    }

    /**
     * A bound on the change of the features in the Frobenius norm: {@code sigma'(g) dg}, or {@code sigma'(g) u dg + sigma(g) du}
     * where there is a gate. The largest slope is that at many places, and what the curvature there can add between them.
     */
    private double change(double radius) {
        double step = radius * largestInput;
        double low = Arrays.stream(sums[0].entries()).min().orElseThrow() - step;
        double high = Arrays.stream(sums[0].entries()).max().orElseThrow() + step;
        double half = 0.5 * (high - low) / (PLACES - 1);
        double value = 0;
        double slope = 0;
        double curvature = 0;
        for (int i = 0; i < PLACES; i++) {
            double z = low + 2 * half * i;
            value = Math.max(value, Math.abs(function.value(z)));
            slope = Math.max(slope, Math.abs(function.first(z)));
            curvature = Math.max(curvature, Math.abs(function.second(z)));
        }
        slope += half * curvature;
        if (sums.length > 1) {
            double factor = sums[1].largestMagnitude() + step;
            slope = Math.hypot(slope * factor, value + half * slope);
        }
        return slope * inputs * radius;
    }
}
