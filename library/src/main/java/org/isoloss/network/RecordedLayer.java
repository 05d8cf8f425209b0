package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/**
 * One layer as a recording sees it: its numbers, and where in the vector of moving parameters each of them lies.
 *
 * <p>{@code weightPositions} and {@code biasPositions} hold -1 for what does not move; {@code bias} is zero where the
 * layer has none.
 */
final class RecordedLayer {
    private final Matrix weight;
    private final double[] bias;
    private final int[] weightPositions;
    private final int[] biasPositions;

    RecordedLayer(Matrix weight, double[] bias, int[] weightPositions, int[] biasPositions) {
        this.weight = weight;
        this.bias = bias;
        this.weightPositions = weightPositions;
        this.biasPositions = biasPositions;
    }

    Matrix weight() {
        return weight;
    }

    /** The bias as a column, shape (out, 1). */
    Matrix biasColumn() {
        return Matrix.of(bias.length, 1, bias);
    }

    int[] weightPositions() {
        return weightPositions;
    }

    int[] biasPositions() {
        return biasPositions;
    }

    int out() {
        return weight.rows();
    }

    boolean weightMoves() {
        return moves(weightPositions);
    }

    boolean biasMoves() {
        return moves(biasPositions);
    }

    boolean biasIsZero() {
        return !biasMoves() && Arrays.stream(bias).allMatch(b -> b == 0);
    }

    private static boolean moves(int[] positions) {
        return Arrays.stream(positions).anyMatch(position -> position >= 0);
    }
}
