package org.isoloss.flow;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/** By the singular value decomposition, with the rank that it shows. */
final class DecomposedRows implements RowSpace {
    private final Matrix jacobian;
    private final Matrix left;
    private final Matrix right;
    private final double[] values;
    private final int rank;

    /**
     * Decomposes.
     *
     * @param jacobian shape (m, p); kept
     * @param scale singular values count from {@link #RANK} times this on, or times the largest, whichever is larger
     */
    DecomposedRows(Matrix jacobian, double scale) {
        Svd svd = Svd.of(jacobian);
        this.jacobian = jacobian;
        this.left = svd.left();
        this.right = svd.right();
        this.values = svd.singularValues();
        double limit = RANK * Math.max(scale, largest());
        this.rank = (int) Arrays.stream(values).filter(value -> value > limit).count();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public double largest() {
        return values.length == 0 ? 0 : values[0];
    }

    @Override
    public double[] kept(double[] direction) {
        return RowSpace.without(direction, rest -> {
            double[] along = Blas.gemv(right, true, rest);
            Arrays.fill(along, rank, along.length, 0);
            return Blas.gemv(right, false, along);
        });
    }

    @Override
    public double[] leastStep(double[] change) {
        double[] along = Blas.gemv(left, true, change);
        Arrays.setAll(along, i -> i < rank ? along[i] / values[i] : 0);
        return Blas.gemv(right, false, along);
    }

    @Override
    public double change(RowSpace other) {
        if (rank == 0 || !(other instanceof DecomposedRows there)) {
            return 0;
        }
        Matrix moved = Blas.gemm(there.jacobian.minus(jacobian), false, right, false);
        Matrix inFrame = Blas.gemm(left, true, moved, false);
        double sum = 0;
        for (int i = 0; i < rank; i++) {
            for (int j = 0; j < rank; j++) {
                sum = Math.hypot(sum, inFrame.get(i, j) / values[i]);
            }
        }
        return sum;
    }
}
