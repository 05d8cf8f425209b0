package org.isoloss.autodiff;

import java.util.List;

/**
 * Adam with gradient clipping by the global norm (Kingma and Ba, 2015; the bias corrections are folded into the rate and
 * into the second moment).
 */
public final class Adam extends Optimizer {
    static final double FIRST_DECAY = 0.9;
    static final double SECOND_DECAY = 0.999;
    static final double EPSILON = 1e-8;

    /**
     * Creates the optimiser.
     *
     * @param clipNorm gradients of a larger norm are scaled down to it; positive
     */
    public Adam(double clipNorm) {
        super(clipNorm);
    }

    @Override
    void apply(Program program, int step, double scale, double learningRate) {
        program.adam(
                0, program.parameterCount(), scale, correctedRate(learningRate, step), correction(SECOND_DECAY, step));
    }

    @Override
    public List<Tensor> state() {
        return List.of();
    }

    /** The rate divided by the bias of the first moment. */
    static double correctedRate(double learningRate, int step) {
        return learningRate / (1 - Math.pow(FIRST_DECAY, step));
    }

    /** The factor that takes the bias out of the second moment. */
    static double correction(double decay, int step) {
        return 1 / (1 - Math.pow(decay, step));
    }
}
