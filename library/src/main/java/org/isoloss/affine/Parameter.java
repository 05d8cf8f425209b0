package org.isoloss.affine;

/**
 * One entry of a weight or bias.
 *
 * @param layer from 0
 * @param row the unit that it feeds, from 0
 * @param column the unit that it reads, from 0, or {@link #BIAS}
 */
record Parameter(int layer, int row, int column) {
    static final int BIAS = -1;

    boolean isBias() {
        return column == BIAS;
    }

    /** As in the paper's matrices, counted from 1: {@code W1[2,3]}, {@code b1[2]}. */
    String name() {
        return isBias()
                ? "b%d[%d]".formatted(layer + 1, row + 1)
                : "W%d[%d,%d]".formatted(layer + 1, row + 1, column + 1);
    }
}
