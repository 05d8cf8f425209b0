package org.isoloss.affine;

/**
 * Where the sampled constraints come from: parameter vectors whose weights into a layer of input width d have the
 * distribution N(0, scale^2 / d), each with a few standard normal inputs (label {@code app:frontier-recovery}). Biases are as large
 * as weights; where all activations are homogeneous, times the usual size of what their layer receives, so that the scales
 * are units of one and the same network.
 *
 * @param vectors the least number of parameter vectors whose constraints every block meets; as many more are drawn as its
 *     unknowns need
 * @param inputsPerVector inputs for each of them
 * @param weightScale multiplies weights and biases
 * @param inputScale multiplies inputs
 */
public record Sampling(int vectors, int inputsPerVector, double weightScale, double inputScale) {
    /** As the paper samples: 512 vectors with four inputs each. */
    public static final Sampling PAPER = new Sampling(512, 4, 1, 1);

    private static final int FEWEST = 8;

    /**
     * Returns how a solver samples where nothing else is asked for.
     *
     * @param solver one decomposition, which takes the paper's 512 vectors, or blocks, which take what each needs
     * @return with four inputs a vector; at least 8 vectors for blocks
     */
    public static Sampling of(ConstraintSolver solver) {
        return solver == ConstraintSolver.DENSE
                ? PAPER
                : new Sampling(FEWEST, PAPER.inputsPerVector, PAPER.weightScale, PAPER.inputScale);
    }

    /** Checks the ranges. */
    public Sampling {
        if (vectors < 1 || inputsPerVector < 1) {
            throw new IllegalArgumentException("Sampling: %d vectors with %d inputs each, expected at least 1 of both"
                    .formatted(vectors, inputsPerVector));
        }
        requireScale("weights", weightScale);
        requireScale("inputs", inputScale);
    }

    private static void requireScale(String what, double scale) {
        if (!(scale >= 1e-9 && scale <= 1e9)) {
            throw new IllegalArgumentException(
                    "Sampling: scale of the %s is %s, expected 1e-9 to 1e9".formatted(what, scale));
        }
    }
}
