package org.isoloss.evaluation;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.Generators;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;

/**
 * What the same moved weights do to the batch that the action was made for and to another one (table
 * {@code tab:experimental-data-dependence} of the paper). Both errors are in units of the original s_F.
 *
 * @param samples number of moved points
 * @param conditioning E_out on the batch of the action
 * @param fresh the change of the outputs on the other batch
 */
public record DataDependence(int samples, Quantiles conditioning, Quantiles fresh) {
    /** Number of samples in the paper. */
    public static final int SAMPLES = 128;

    /** The words of the paper: one to three factors at radius 0.5. */
    public static final WordDistribution WORDS = WordDistribution.upTo(0.5, 3);

    /**
     * Measures both errors on the same weights.
     *
     * @param tested the action and its own batch
     * @param fresh the same function of the same parameters on another batch
     * @param random the stream to draw from; modified
     * @return both errors
     */
    public static DataDependence of(JudgedAction tested, Target fresh, SplittableRandom random) {
        if (fresh.parameterCount() != tested.target().parameterCount()) {
            throw new IllegalArgumentException(
                    "DataDependence: the target on the fresh batch has %d parameters, the action moves %d"
                            .formatted(fresh.parameterCount(), tested.target().parameterCount()));
        }
        Matrix points = tested.draw(random, SAMPLES);
        Generators generators = tested.directions();
        var sampler = new WordSampler(WORDS, generators.count());
        int area = generators.size() * generators.size();
        Matrix elements = Matrix.zeros(SAMPLES, area);
        for (int sample = 0; sample < SAMPLES; sample++) {
            double[] element = sampler.draw(random).matrix(generators).entries();
            System.arraycopy(element, 0, elements.entries(), sample * area, area);
        }
        Matrix moved = tested.moved(elements, points);
        var onFresh = new JudgedAction(tested.action(), fresh, tested.points(), tested.calibration());
        return new DataDependence(
                SAMPLES,
                Quantiles.of(OutputChange.between(tested, points, moved).total()),
                Quantiles.of(OutputChange.between(onFresh, points, moved).total()));
    }

    List<String> nonFinite() {
        return conditioning.allFinite() && fresh.allFinite() ? List.of() : List.of("output of the data dependence");
    }
}
