package org.isoloss.installation;

import org.isoloss.linalg.Matrix;

/**
 * How far outputs moved: {@code ||Z' - Z||_F / (||Z||_F + 1e-12)} and {@code ||Z' - Z||_F / sqrt(N)} of appendix
 * {@code app:experimental-pythia-details} of the paper, over all positions and entries.
 *
 * @param relative to the norm of the outputs before
 * @param rms root mean square of the change of one entry
 * @param positions tokens that were looked at
 * @param flips positions at which another entry is the largest
 */
public record OutputDrift(double relative, double rms, int positions, int flips) {
    private static final double FLOOR = 1e-12;

    /**
     * Compares outputs.
     *
     * @param before one token a row; not modified
     * @param after of the same shape; not modified
     * @return how far they are apart; infinite where {@code after} has a number that is not finite
     */
    public static OutputDrift of(Matrix before, Matrix after) {
        int flips = 0;
        for (int row = 0; row < before.rows(); row++) {
            flips += largest(before.row(row)) == largest(after.row(row)) ? 0 : 1;
        }
        double distance = after.minus(before).frobeniusNorm();
        double known = Double.isNaN(distance) ? Double.POSITIVE_INFINITY : distance;
        return new OutputDrift(
                known / (before.frobeniusNorm() + FLOOR),
                known / Math.sqrt(before.entries().length),
                before.rows(),
                flips);
    }

    private static int largest(double[] numbers) {
        int largest = 0;
        for (int i = 1; i < numbers.length; i++) {
            largest = numbers[i] > numbers[largest] ? i : largest;
        }
        return largest;
    }
}
