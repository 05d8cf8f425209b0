package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.PointSampler;
import org.isoloss.network.Support;

/**
 * An action on part of a network beside one on the whole of it, on the same parameters, inputs and coefficients (table
 * {@code tab:experimental-paired} of the paper). Displacements and output errors are plain norms, without a unit.
 *
 * @param radius of the words
 * @param localMotion median displacement by the action on the part
 * @param fullMotion median displacement by the action on the whole
 * @param localOutput 95th percentile of the change of the network's outputs by the action on the part
 * @param fullOutput the same by the action on the whole
 */
public record PairedHost(double radius, double localMotion, double fullMotion, double localOutput, double fullOutput) {
    /** Number of samples in the paper. */
    public static final int SAMPLES = 128;

    /** Factors of each word in the paper. */
    public static final int FACTORS = 2;

    /** Radii in the paper. */
    public static final List<Double> RADII = List.of(0.1, 0.3, 0.5, 0.8);

    /** {@return how many times smaller the output error of the local action is, full over local} */
    public double ratio() {
        return fullOutput / localOutput;
    }

    /**
     * Compares two actions.
     *
     * @param local on the parameters of {@code moving} alone, whatever the others are
     * @param moving the part
     * @param full on all parameters
     * @param host what the whole network computes
     * @param points where all parameters are drawn
     * @param random the stream to draw from; modified
     * @return one comparison for each of {@link #RADII}
     * @throws IllegalArgumentException when sizes or numbers of generators do not fit together
     */
    public static List<PairedHost> of(
            GroupAction local,
            Support moving,
            GroupAction full,
            Target host,
            PointSampler points,
            SplittableRandom random) {
        if (local.parameterCount() != moving.size()
                || full.parameterCount() != host.parameterCount()
                || moving.fullSize() != host.parameterCount()
                || points.parameterCount() != host.parameterCount()) {
            throw new IllegalArgumentException(
                    "PairedHost: the local action moves %d parameters and its part has %d of %d, the full action moves %d, the host has %d and the points have %d"
                            .formatted(
                                    local.parameterCount(),
                                    moving.size(),
                                    moving.fullSize(),
                                    full.parameterCount(),
                                    host.parameterCount(),
                                    points.parameterCount()));
        }
        int generators = local.generators().count();
        if (generators != full.generators().count()) {
            throw new IllegalArgumentException(
                    "PairedHost: %d and %d generators, expected as many, so that both take the same coefficients"
                            .formatted(generators, full.generators().count()));
        }
        Generators localDirections = local.generators().normalised();
        Generators fullDirections = full.generators().normalised();
        List<PairedHost> compared = new ArrayList<>();
        for (double radius : RADII) {
            SplittableRandom forRadius = random.split();
            Matrix from = Matrix.zeros(SAMPLES, host.parameterCount());
            Matrix localElements = Matrix.zeros(SAMPLES, area(local));
            Matrix fullElements = Matrix.zeros(SAMPLES, area(full));
            var sampler = new WordSampler(WordDistribution.exactly(radius, FACTORS), generators);
            for (int sample = 0; sample < SAMPLES; sample++) {
                points.draw(forRadius, from.entries(), sample * host.parameterCount());
                GroupWord word = sampler.draw(forRadius);
                Rows.set(localElements, sample, word.matrix(localDirections).entries());
                Rows.set(fullElements, sample, word.matrix(fullDirections).entries());
            }
            Matrix movedPart = local.apply(localElements, gathered(moving, from));
            Matrix byLocal = scattered(moving, movedPart, from);
            Matrix byFull = full.apply(fullElements, from);
            Matrix before = host.outputs(from);
            compared.add(new PairedHost(
                    radius,
                    Quantiles.median(Rows.distances(from, byLocal, 1)),
                    Quantiles.median(Rows.distances(from, byFull, 1)),
                    error(host, before, byLocal),
                    error(host, before, byFull)));
        }
        return List.copyOf(compared);
    }

    private static int area(GroupAction action) {
        return action.generators().size() * action.generators().size();
    }

    private static double error(Target host, Matrix before, Matrix moved) {
        Matrix after = JudgedAction.whereFinite(moved, host::outputs);
        return Quantiles.of(Rows.distances(before, after, 1)).p95();
    }

    private static Matrix gathered(Support moving, Matrix full) {
        Matrix part = Matrix.zeros(full.rows(), moving.size());
        for (int row = 0; row < full.rows(); row++) {
            Rows.set(part, row, moving.gather(full.row(row)));
        }
        return part;
    }

    private static Matrix scattered(Support moving, Matrix part, Matrix full) {
        Matrix moved = full.copy();
        for (int row = 0; row < full.rows(); row++) {
            double[] whole = full.row(row);
            moving.scatter(part.row(row), whole);
            Rows.set(moved, row, whole);
        }
        return moved;
    }
}
