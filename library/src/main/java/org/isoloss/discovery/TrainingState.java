package org.isoloss.discovery;

import java.util.List;

/** The state of a training between two steps: all that decides what follows, beside problem, recipe and seed. */
public final class TrainingState {
    private final String kernel;
    private final int step;
    private final List<double[]> weights;
    private final double[] firstMoments;
    private final double[] secondMoments;
    private final List<double[]> bases;

    /**
     * Gathers a state.
     *
     * @param kernel name of the {@link org.isoloss.linalg.GemmKernel} that it was computed with
     * @param step steps done, at least 0
     * @param weights one array for each trained tensor; kept
     * @param firstMoments of the optimiser; kept
     * @param secondMoments of the optimiser; kept
     * @param bases what else the optimiser remembers, one array for each tensor; kept
     */
    public TrainingState(
            String kernel,
            int step,
            List<double[]> weights,
            double[] firstMoments,
            double[] secondMoments,
            List<double[]> bases) {
        this.kernel = kernel;
        this.step = step;
        this.weights = List.copyOf(weights);
        this.firstMoments = firstMoments;
        this.secondMoments = secondMoments;
        this.bases = List.copyOf(bases);
    }

    /** {@return the name of the kernel that it was computed with} */
    public String kernel() {
        return kernel;
    }

    /** {@return the steps done, at least 0} */
    public int step() {
        return step;
    }

    /** {@return the trained tensors, one array each} */
    public List<double[]> weights() {
        return weights;
    }

    /** {@return the first moments, the array of this state} */
    public double[] firstMoments() {
        return firstMoments;
    }

    /** {@return the second moments, the array of this state} */
    public double[] secondMoments() {
        return secondMoments;
    }

    /** {@return what else the optimiser remembers: one array for each tensor; none for Adam} */
    public List<double[]> bases() {
        return bases;
    }
}
