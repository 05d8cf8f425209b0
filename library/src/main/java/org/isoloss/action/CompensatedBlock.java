package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/**
 * What the closed form needs of a block with a linear readout, in which no unit's feature depends on another unit's
 * incoming weights. Parameters are the flat vector that the action moves.
 */
interface CompensatedBlock {
    /** What enters the units at a point, bias input included, one protected input a column. */
    Matrix entering(double[] point);

    /** What units compute, one unit a row. */
    Matrix features(double[] point, Matrix entering, int... units);

    /** What units add to the output, shape (m, k). */
    Matrix contribution(double[] point, Matrix entering, int... units);

    /** The derivative of {@link #contribution} when the point moves with a velocity. */
    Matrix contributionDerivative(double[] point, double[] velocity, Matrix entering, int... units);

    /** The place of the weight from a unit to an output in the flat vector. */
    int outgoingIndex(int output, int unit);
}
