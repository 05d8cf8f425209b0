package org.isoloss.basis;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.jspecify.annotations.Nullable;

/** What a matrix must be to change the basis of a class of channels. */
final class MatrixLimits {
    /** For matrices that were kept in float64, with room for the rounding of long products. */
    static final double SAME = 1e-9;

    private MatrixLimits() {}

    /**
     * Asks what is wrong with a matrix.
     *
     * @param channels a class that matrices act on
     * @param matrix shape (n, n), finite; not modified
     * @return in words that follow "which"; null where the matrix is one of the group of the class
     */
    static @Nullable String broken(AxisClass channels, Matrix matrix) {
        if (channels.kind() == AxisClass.Kind.ORTHOGONAL
                && !isZero(Blas.gemm(matrix, false, matrix, true).minus(Matrix.identity(matrix.rows())))) {
            return "is not orthogonal";
        }
        if (channels.kind() == AxisClass.Kind.COMMUTING && !commutes(channels, matrix)) {
            return "does not commute with the rotations of pairs of channels";
        }
        if (channels.fixesOnes() && !keepsOnes(matrix)) {
            return "does not keep the vector of ones";
        }
        if (channels.fixesOnesDual() && !keepsOnes(matrix.transpose())) {
            return "has a transpose that does not keep the vector of ones";
        }
        if (LinearSolve.of(matrix).reciprocalCondition() < SAME) {
            return "is singular";
        }
        return null;
    }

    private static boolean isZero(Matrix difference) {
        return difference.largestMagnitude() <= SAME;
    }

    private static boolean keepsOnes(Matrix matrix) {
        double size = Math.max(1, matrix.largestMagnitude());
        for (int row = 0; row < matrix.rows(); row++) {
            double sum = Arrays.stream(matrix.row(row)).sum();
            if (Math.abs(sum - 1) > SAME * size) {
                return false;
            }
        }
        return true;
    }

    /** For each pair a scale and an angle, anything on what stays, nothing between them. */
    private static boolean commutes(AxisClass channels, Matrix matrix) {
        int[] block = new int[matrix.rows()]; // those that stay have one together, -1
        Arrays.fill(block, -1);
        Matrix mirrored = matrix.copy();
        int number = 0;
        for (int[] pair : channels.blocks()) {
            if (pair.length == 2) {
                block[pair[0]] = number;
                block[pair[1]] = number++;
                mirrored.set(pair[0], pair[0], matrix.get(pair[1], pair[1]));
                mirrored.set(pair[1], pair[1], matrix.get(pair[0], pair[0]));
                mirrored.set(pair[0], pair[1], -matrix.get(pair[1], pair[0]));
                mirrored.set(pair[1], pair[0], -matrix.get(pair[0], pair[1]));
            }
        }
        for (int i = 0; i < block.length; i++) {
            for (int j = 0; j < block.length; j++) {
                if (block[i] != block[j]) {
                    mirrored.set(i, j, 0);
                }
            }
        }
        return mirrored.minus(matrix).largestMagnitude() <= SAME * Math.max(1, matrix.largestMagnitude());
    }
}
