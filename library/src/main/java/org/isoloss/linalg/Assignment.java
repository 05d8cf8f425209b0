package org.isoloss.linalg;

import java.util.Arrays;

/**
 * The linear assignment problem on a full matrix, by shortest augmenting paths with potentials: of the order of n^3 steps for n
 * rows.
 *
 * @see "Jonker and Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems, 1987"
 */
public final class Assignment {
    private static final int NONE = -1;

    private final Matrix cost;
    private final int count;
    private final double[] ofRow;
    private final double[] ofColumn;
    private final int[] rowAt;
    private final double[] distance;
    private final int[] before;
    private final boolean[] isReached;

    private Assignment(Matrix cost) {
        this.cost = cost;
        this.count = cost.rows();
        this.ofRow = new double[count];
        this.ofColumn = new double[count];
        this.rowAt = new int[count];
        this.distance = new double[count];
        this.before = new int[count];
        this.isReached = new boolean[count];
        Arrays.fill(rowAt, NONE);
    }

    /**
     * Gives each column a row of its own.
     *
     * @param gain shape (n, n), finite; not modified
     * @return for each column the row with which the sum of the gains is largest; which of several such is not specified
     * @throws IllegalArgumentException when the matrix is not square or has an entry that is not finite
     */
    public static int[] largest(Matrix gain) {
        if (gain.rows() != gain.columns()) {
            throw new IllegalArgumentException("Assignment: gain has shape (%d, %d), expected a square matrix"
                    .formatted(gain.rows(), gain.columns()));
        }
        if (!Arrays.stream(gain.entries()).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("Assignment: gain has an entry that is not finite");
        }
        var assignment = new Assignment(gain.scaled(-1));
        for (int row = 0; row < assignment.count; row++) {
            assignment.assign(row);
        }
        return assignment.rowAt;
    }

    /** Makes room for one more row: the columns on the shortest path to a free one change their rows. */
    private void assign(int row) {
        Arrays.fill(distance, Double.POSITIVE_INFINITY);
        Arrays.fill(isReached, false);
        int last = NONE;
        double length = 0;
        int at = row;
        do {
            int next = nearest(at, last, length);
            isReached[next] = true;
            length = distance[next];
            last = next;
            at = rowAt[next];
        } while (at != NONE);
        ofRow[row] += length;
        for (int column = 0; column < count; column++) {
            if (isReached[column] && column != last) {
                ofColumn[column] -= length - distance[column];
                ofRow[rowAt[column]] += length - distance[column];
            }
        }
        for (int column = last; column != NONE; column = before[column]) {
            rowAt[column] = before[column] == NONE ? row : rowAt[before[column]];
        }
    }

    /** The nearest column that is not reached yet, once the paths through a row are counted. */
    private int nearest(int row, int from, double length) {
        double[] costs = cost.entries();
        int nearest = NONE;
        for (int column = 0; column < count; column++) {
            if (!isReached[column]) {
                double through = length + costs[row * count + column] - ofRow[row] - ofColumn[column];
                if (through < distance[column]) {
                    distance[column] = through;
                    before[column] = from;
                }
                if (nearest == NONE || distance[column] < distance[nearest]) {
                    nearest = column;
                }
            }
        }
        return nearest;
    }
}
