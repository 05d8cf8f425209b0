package org.isoloss.basis;

import java.util.List;
import org.isoloss.linalg.Assignment;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Centring;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Submatrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.AxisClass;
import org.jspecify.annotations.Nullable;

/**
 * The element of one class that takes some vectors along its channels nearest to others: by least squares, by Procrustes, or by
 * assignment.
 */
final class ClassFit {
    private static final double SINGULAR = 1e-10;
    /** As many signs of one channel are tried in all combinations. */
    private static final int MOST_SIGNS = 8;

    private final AxisClass channels;

    ClassFit(AxisClass channels) {
        this.channels = channels;
    }

    /** Products of vectors a, one a row, that should become vectors b: of a with itself, of b with a, and of b with itself. */
    static final class Products {
        private final Matrix own;
        private final Matrix mixed;
        private final Matrix goal;
        private double square;
        private long count;

        Products(int size) {
            this.own = Matrix.zeros(size, size);
            this.mixed = Matrix.zeros(size, size);
            this.goal = Matrix.zeros(size, size);
        }

        void add(Matrix from, Matrix to) {
            own.add(Blas.gemm(from, true, from, false));
            mixed.add(Blas.gemm(to, true, from, false));
            goal.add(Blas.gemm(to, true, to, false));
            for (double entry : to.entries()) {
                square += entry * entry;
            }
            count += from.rows();
        }

        /** Holds other products instead. */
        void become(Matrix ownProducts, Matrix mixedProducts) {
            System.arraycopy(ownProducts.entries(), 0, own.entries(), 0, own.entries().length);
            System.arraycopy(mixedProducts.entries(), 0, mixed.entries(), 0, mixed.entries().length);
        }

        long count() {
            return count;
        }

        double square() {
            return square;
        }

        /** The matrix that takes a nearest to b; null where the vectors a do not span all. */
        @Nullable
        Matrix linear() {
            LinearSolve solver = LinearSolve.of(own);
            return count < own.rows() || solver.reciprocalCondition() < SINGULAR
                    ? null
                    : solver.solveTransposed(mixed.transpose()).transpose();
        }

        /** How much of the squares of b no matrix explains. */
        double residual() {
            Matrix linear = linear();
            if (linear == null) {
                return square;
            }
            double explained = 0;
            for (int i = 0; i < mixed.entries().length; i++) {
                explained += mixed.entries()[i] * linear.entries()[i];
            }
            return Math.max(0, square - explained);
        }

        Matrix mixed() {
            return mixed;
        }

        Matrix own() {
            return own;
        }
    }

    /** The matrix of an index, from what changes by it and what changes by its dual. */
    Matrix matrix(Products direct, Products dual) {
        return switch (channels.kind()) {
            case ORTHOGONAL -> rotation(direct, dual);
            case COMMUTING -> commuting(direct.count() > 0 ? direct : dual, direct.count() == 0);
            default -> linear(direct, dual);
        };
    }

    /**
     * The matrix X with X a nearest to b and X' d nearest to c, where c should become d by the dual of X: the solution of a Sylvester
     * equation between symmetric matrices. What neither says is as in the identity.
     */
    private Matrix linear(Products direct, Products dual) {
        double size = trace(direct.own);
        double other = trace(dual.goal);
        double weight = size == 0 || other == 0 ? 1 : size / other;
        Matrix right = direct.mixed.plus(dual.mixed.scaled(weight));
        Svd columns = Svd.of(direct.own);
        Svd rows = Svd.of(dual.goal);
        Matrix turned = rows.left().transpose().times(right).times(columns.left());
        Matrix same = rows.left().transpose().times(columns.left());
        double[] ofColumns = columns.singularValues();
        double[] ofRows = rows.singularValues();
        double largest = ofColumns[0] + weight * ofRows[0];
        for (int i = 0; i < ofRows.length; i++) {
            for (int j = 0; j < ofColumns.length; j++) {
                double sum = ofColumns[j] + weight * ofRows[i];
                turned.set(i, j, sum <= SINGULAR * largest ? same.get(i, j) : turned.get(i, j) / sum);
            }
        }
        return rows.left().times(turned).times(columns.left().transpose());
    }

    /** How many dimensions vectors span, told from the sum of their products. */
    static int rank(Matrix products) {
        return Svd.of(products).rank(SINGULAR);
    }

    private static double trace(Matrix matrix) {
        double sum = 0;
        for (int i = 0; i < matrix.rows(); i++) {
            sum += matrix.get(i, i);
        }
        return sum;
    }

    private Matrix rotation(Products direct, Products dual) {
        int n = channels.size();
        Matrix sum = direct.mixed().plus(dual.mixed());
        if (channels.keepsOnes()) {
            sum = Centring.of(Centring.of(sum).transpose()).transpose();
            double size = sum.largestMagnitude() * n;
            for (int i = 0; i < n * n; i++) {
                sum.entries()[i] += size / n; // ones go to ones
            }
        }
        Svd svd = Svd.of(sum);
        return svd.left().times(svd.right().transpose());
    }

    private Matrix commuting(Products products, boolean isDual) {
        int n = channels.size();
        Matrix own = products.own();
        Matrix mixed = products.mixed();
        Matrix matrix = Matrix.zeros(n, n);
        int[] still = channels.still();
        for (int[] pair : channels.blocks()) {
            if (pair.length == 1) {
                continue;
            }
            int p = pair[0];
            int q = pair[1];
            double size = own.get(p, p) + own.get(q, q);
            double real = (mixed.get(p, p) + mixed.get(q, q)) / size;
            double imaginary = (mixed.get(q, p) - mixed.get(p, q)) / size;
            double by = isDual ? real * real + imaginary * imaginary : 1;
            matrix.set(p, p, real / by);
            matrix.set(q, q, real / by);
            matrix.set(p, q, -imaginary / by);
            matrix.set(q, p, imaginary / by);
        }
        if (still.length > 0) {
            Matrix some = Submatrix.of(own, still);
            LinearSolve solver = LinearSolve.of(some);
            Matrix rest = solver.reciprocalCondition() < SINGULAR
                    ? Matrix.identity(still.length)
                    : solver.solveTransposed(Submatrix.of(mixed, still).transpose())
                            .transpose();
            Matrix fitted = isDual ? new BasisMap.Dense(rest).dual().matrix() : rest;
            Submatrix.place(fitted, matrix, still);
        }
        return matrix;
    }

    /**
     * Finds the order in which channels fit best.
     *
     * @param gain for each channel of b, in rows, how well each of a fits, in columns
     * @return for each channel of b that of a
     */
    static int[] order(Matrix gain) {
        int n = gain.rows();
        int[] best = new int[n];
        boolean[] taken = new boolean[n];
        boolean isOrder = true;
        for (int i = 0; i < n; i++) {
            for (int j = 1; j < n; j++) {
                best[i] = gain.get(i, j) > gain.get(i, best[i]) ? j : best[i];
            }
            isOrder &= !taken[best[i]];
            taken[best[i]] = true;
        }
        return isOrder ? best : Assignment.largest(gain.transpose());
    }

    /** What one weight says about the factors of channels: their powers, and the products of a with itself and of b with a. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Ratios(double[] scales, double[] signs, double[] own, double[] mixed) {}

    /** Logarithms of scales, a row each, by least squares over weights. */
    Matrix scales(List<Ratios> ratios) {
        int k = channels.scales();
        Matrix scales = Matrix.zeros(k, channels.scaled());
        for (int at = 0; at < channels.scaled(); at++) {
            Matrix normal = Matrix.zeros(k, k);
            Matrix right = Matrix.zeros(k, 1);
            for (Ratios one : ratios) {
                if (one.own[at] > 0 && one.mixed[at] != 0) {
                    double logarithm = Math.log(Math.abs(one.mixed[at]) / one.own[at]);
                    for (int i = 0; i < k; i++) {
                        right.set(i, 0, right.get(i, 0) + one.scales[i] * logarithm);
                        for (int j = 0; j < k; j++) {
                            normal.set(i, j, normal.get(i, j) + one.scales[i] * one.scales[j]);
                        }
                    }
                }
            }
            LinearSolve solver = LinearSolve.of(normal);
            if (solver.reciprocalCondition() > SINGULAR) {
                Matrix solution = solver.solve(right);
                for (int i = 0; i < k; i++) {
                    scales.set(i, at, solution.get(i, 0));
                }
            }
        }
        return scales;
    }

    /** Signs, a row each: those of all combinations with which the products are largest. */
    Matrix signs(List<Ratios> ratios) {
        int m = channels.signs();
        Matrix signs = Matrix.zeros(m, channels.scaled());
        for (int at = 0; m <= MOST_SIGNS && at < channels.scaled(); at++) {
            double most = Double.NEGATIVE_INFINITY;
            int best = 0;
            for (int choice = 0; choice < 1 << m; choice++) {
                double sum = 0;
                for (Ratios one : ratios) {
                    long parity = 0;
                    for (int j = 0; j < m; j++) {
                        parity += (choice >> j & 1) * Math.round(one.signs[j]);
                    }
                    double size = Math.sqrt(one.own[at]);
                    sum += size == 0 ? 0 : (parity % 2 == 0 ? 1 : -1) * one.mixed[at] / size;
                }
                if (sum > most) {
                    most = sum;
                    best = choice;
                }
            }
            for (int j = 0; j < m; j++) {
                signs.set(j, at, best >> j & 1);
            }
        }
        return signs;
    }
}
