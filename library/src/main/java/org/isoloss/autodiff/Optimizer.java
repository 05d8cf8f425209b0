package org.isoloss.autodiff;

import java.util.List;

/** Changes the parameters of a program by its gradients, after clipping them by their global norm. */
public abstract sealed class Optimizer permits Adam, Soap {
    private final double clipNorm;

    /** An optimiser that scales gradients of a larger norm down to {@code clipNorm}. */
    Optimizer(double clipNorm) {
        if (!(clipNorm > 0)) {
            throw new IllegalArgumentException(
                    "%s: clipNorm must be positive, got %s".formatted(getClass().getSimpleName(), clipNorm));
        }
        this.clipNorm = clipNorm;
    }

    /**
     * Updates all parameters of a program from the gradients of its last backward pass, which are used up.
     *
     * @param program parameters, moments and {@link #state} are modified
     * @param step number of the step, from 1
     * @param learningRate positive
     * @return the norm of the gradient before clipping; when it is not finite nothing was changed
     */
    public final double update(Program program, int step, double learningRate) {
        double norm = Math.sqrt(program.squaredGradientNorm());
        if (Double.isFinite(norm)) {
            apply(program, step, norm > clipNorm ? clipNorm / norm : 1, learningRate);
        }
        return norm;
    }

    /** Does a step with the gradients times {@code scale}. */
    abstract void apply(Program program, int step, double scale, double learningRate);

    /**
     * {@return what the optimiser remembers beside the moments: whoever saves a training saves it too; tensors of the graph;
     * empty for {@link Adam}}
     */
    public abstract List<Tensor> state();
}
