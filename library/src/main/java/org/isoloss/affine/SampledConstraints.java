package org.isoloss.affine;

import org.isoloss.linalg.Matrix;

/** Sampled points with the Jacobians there: point k is the same whatever was asked before. */
interface SampledConstraints {
    /** Returns the parameters of a point; not to be modified. */
    double[] point(int index);

    /** Returns the derivatives of all outputs for the inputs of a point, shape (inputs per vector * m, p). */
    Matrix jacobian(int index);

    /** Rows of {@link #jacobian}. */
    int rowsPerPoint();

    /**
     * Returns how close an argument of a piecewise linear function came to its kink, relative to the largest beside it; infinite
     * without such functions.
     */
    double nearestKink();

    /**
     * Returns which share of the arguments of functions that level off was neither so small that the function is linear to
     * rounding nor so large that it is flat; 1 where there is no such function.
     */
    double curvedShare();
}
