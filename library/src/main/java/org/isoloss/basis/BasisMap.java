package org.isoloss.basis;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;

/** An invertible linear map of channels. */
sealed interface BasisMap {
    /** {@return the number of channels} */
    int size();

    /**
     * Maps vectors.
     *
     * @param rows one vector after the other; modified
     * @param count how many
     */
    void apply(double[] rows, int count);

    /** {@return the inverse} */
    BasisMap inverse();

    /** {@return the inverse of the transpose} */
    BasisMap dual();

    /** {@return what it makes of mean squares of components that do not correlate} */
    BasisMap squared();

    /**
     * Composes.
     *
     * @param next what acts after this one
     * @return next times this
     */
    BasisMap then(BasisMap next);

    /** {@return shape (n, n)} */
    Matrix matrix();

    /** {@return whether it leaves every vector as it is} */
    boolean isIdentity();

    /** Any matrix. */
    record Dense(Matrix matrix) implements BasisMap {
        @Override
        public int size() {
            return matrix.rows();
        }

        @Override
        public void apply(double[] rows, int count) {
            int n = size();
            Matrix given = Matrix.over(count, n, rows.length == count * n ? rows : Arrays.copyOf(rows, count * n));
            System.arraycopy(Blas.gemm(given, false, matrix, true).entries(), 0, rows, 0, count * n);
        }

        @Override
        public BasisMap inverse() {
            return new Dense(LinearSolve.of(matrix).solve(Matrix.identity(size())));
        }

        @Override
        public BasisMap dual() {
            return new Dense(
                    LinearSolve.of(matrix).solve(Matrix.identity(size())).transpose());
        }

        @Override
        public BasisMap squared() {
            Matrix squares = matrix.copy();
            Arrays.setAll(squares.entries(), i -> matrix.entries()[i] * matrix.entries()[i]);
            return new Dense(squares);
        }

        @Override
        public BasisMap then(BasisMap next) {
            return new Dense(next.matrix().times(matrix));
        }

        @Override
        public boolean isIdentity() {
            return Arrays.equals(matrix.entries(), Matrix.identity(size()).entries());
        }
    }

    /** An order and factors: channel {@code i} becomes {@code factors[i]} times channel {@code sources[i]}. */
    final class Monomial implements BasisMap {
        private final int[] sources;
        private final double[] factors;

        Monomial(int[] sources, double[] factors) {
            this.sources = sources;
            this.factors = factors;
        }

        static Monomial identity(int size) {
            return ordered(order(size));
        }

        static Monomial ordered(int[] sources) {
            double[] ones = new double[sources.length];
            Arrays.fill(ones, 1);
            return new Monomial(sources, ones);
        }

        static Monomial scaled(double[] factors) {
            return new Monomial(order(factors.length), factors);
        }

        private static int[] order(int size) {
            int[] order = new int[size];
            Arrays.setAll(order, i -> i);
            return order;
        }

        @Override
        public int size() {
            return sources.length;
        }

        @Override
        public void apply(double[] rows, int count) {
            double[] kept = new double[size()];
            for (int row = 0; row < count; row++) {
                System.arraycopy(rows, row * kept.length, kept, 0, kept.length);
                for (int i = 0; i < kept.length; i++) {
                    rows[row * kept.length + i] = factors[i] * kept[sources[i]];
                }
            }
        }

        @Override
        public BasisMap inverse() {
            int[] back = new int[size()];
            double[] over = new double[size()];
            for (int i = 0; i < back.length; i++) {
                back[sources[i]] = i;
                over[sources[i]] = 1 / factors[i];
            }
            return new Monomial(back, over);
        }

        @Override
        public BasisMap dual() {
            return new Monomial(
                    sources, Arrays.stream(factors).map(factor -> 1 / factor).toArray());
        }

        @Override
        public BasisMap squared() {
            return new Monomial(
                    sources,
                    Arrays.stream(factors).map(factor -> factor * factor).toArray());
        }

        @Override
        public BasisMap then(BasisMap next) {
            if (!(next instanceof Monomial other)) {
                return new Dense(next.matrix().times(matrix()));
            }
            int[] order = new int[size()];
            double[] product = new double[size()];
            for (int i = 0; i < order.length; i++) {
                order[i] = sources[other.sources[i]];
                product[i] = other.factors[i] * factors[other.sources[i]];
            }
            return new Monomial(order, product);
        }

        @Override
        public Matrix matrix() {
            Matrix matrix = Matrix.zeros(size(), size());
            for (int i = 0; i < size(); i++) {
                matrix.set(i, sources[i], factors[i]);
            }
            return matrix;
        }

        @Override
        public boolean isIdentity() {
            return Arrays.equals(sources, order(size()))
                    && Arrays.stream(factors).allMatch(factor -> factor == 1);
        }
    }
}
