package org.isoloss.flow;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/** A Jacobian taken apart, to take from a direction what it would change and to find the least step that makes a change. */
sealed interface RowSpace permits DecomposedRows, ProductRows {
    /** Singular values at most this times the largest count as zero. */
    double RANK = 1e-8;

    int rank();

    /** The largest singular value; 0 where none is known. */
    double largest();

    /** What of a direction changes nothing. */
    double[] kept(double[] direction);

    /** The step of least norm that makes a change of what the Jacobian is of, or of what of it there can be. */
    double[] leastStep(double[] change);

    /**
     * How much another Jacobian differs, in units of this one: {@code S^-1 U^T [J' - J] V}. Below 1 the rank of the other is at
     * least that of this one. 0 where no singular values are known.
     */
    double change(RowSpace other);

    /** From a vector what leads out of it, twice, so that what is left is at rounding. */
    static double[] without(double[] vector, UnaryOperator<double[]> part) {
        double[] rest = vector.clone();
        for (int pass = 0; pass < 2; pass++) {
            double[] taken = part.apply(rest);
            Arrays.setAll(rest, i -> rest[i] - taken[i]);
        }
        return rest;
    }
}
