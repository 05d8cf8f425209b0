package org.isoloss.autodiff;

/**
 * Adam with gradient clipping by the global norm (Kingma and Ba, 2015; the bias corrections are folded into the rate and
 * into the second moment).
 */
public final class Adam {
    static final double FIRST_DECAY = 0.9;
    static final double SECOND_DECAY = 0.999;
    static final double EPSILON = 1e-8;

    private final double clipNorm;

    /**
     * Creates the optimiser.
     *
     * @param clipNorm gradients of a larger norm are scaled down to it; positive
     */
    public Adam(double clipNorm) {
        if (!(clipNorm > 0)) {
            throw new IllegalArgumentException("Adam: clipNorm must be positive, got " + clipNorm);
        }
        this.clipNorm = clipNorm;
    }

    /**
     * Updates all parameters of a program from the gradients of its last backward pass.
     *
     * @param program parameters and moments are modified
     * @param step number of the step, from 1
     * @param learningRate positive
     * @return the norm of the gradient before clipping; when it is not finite nothing was changed
     */
    public double update(Program program, int step, double learningRate) {
        double norm = Math.sqrt(program.squaredGradientNorm());
        if (!Double.isFinite(norm)) {
            return norm;
        }
        program.adam(
                norm > clipNorm ? clipNorm / norm : 1,
                learningRate / (1 - Math.pow(FIRST_DECAY, step)),
                1 / (1 - Math.pow(SECOND_DECAY, step)));
        return norm;
    }
}
