package org.isoloss.task;

/**
 * What was measured at one place of a move.
 *
 * @param distance of the seen part of the motion, relative to the seen part of the weights
 * @param blind of the rest of the motion, relative to the weights
 * @param objective what is shown of the direction
 * @param protectedChange the largest relative change of the outputs on a protected input
 * @param otherChange the median of it on other inputs
 */
public record MoveRow(double distance, double blind, double objective, double protectedChange, double otherChange) {
    static final int COLUMNS = 5;

    double[] numbers() {
        return new double[] {distance, blind, objective, protectedChange, otherChange};
    }

    static MoveRow of(double[] numbers) {
        return new MoveRow(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }
}
