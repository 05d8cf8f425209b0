package org.isoloss.affine;

/** How the sampled constraints are solved. */
public enum ConstraintSolver {
    /** One singular value decomposition of all p (p + 1) unknowns, as in the paper: up to about p = 60. */
    DENSE,

    /** By the blocks of a grading, which together lose no solution. */
    GRADED;

    private static final int DENSE_UNKNOWNS = 700;

    /**
     * Returns the solver that suits a network.
     *
     * @param architecture the network
     * @return dense up to 700 unknowns, p = 25
     */
    public static ConstraintSolver choose(Architecture architecture) {
        long p = architecture.parameterCount();
        return p * (p + 1) <= DENSE_UNKNOWNS ? DENSE : GRADED;
    }
}
