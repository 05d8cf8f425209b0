package org.isoloss.basis;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.Predicate;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Submatrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Makes the norm of all weights the least that matrices and scales can make it. */
final class ShortestWeights {
    private static final int MOST_ROUNDS = 100;
    private static final double STILL = 1e-11;
    private static final double SINGULAR = 1e-12;

    private final PartlyChanged weights;
    private final double rounding;
    private final Set<AxisClass> staying = new LinkedHashSet<>();

    /**
     * Prepares a choice.
     *
     * @param weights with what is chosen already
     * @param rounding what may be missing, relatively, of a choice that is made already
     */
    ShortestWeights(PartlyChanged weights, double rounding) {
        this.weights = weights;
        this.rounding = rounding;
    }

    /** The classes for which no matrix is chosen, as the weights along them have less than full rank. */
    Set<AxisClass> staying() {
        return staying;
    }

    /** Products of the vectors along a class at each index: of those that change by it, and of those that change by its dual. */
    Matrix[][] products(AxisClass channels) {
        int n = channels.size();
        Matrix[][] products = new Matrix[channels.count()][2];
        for (Matrix[] own : products) {
            own[0] = Matrix.zeros(n, n);
            own[1] = Matrix.zeros(n, n);
        }
        each(channels, false, (index, factor, rows) -> {
            products[index][PartlyChanged.isDual(factor) ? 1 : 0].add(Blas.gemm(rows, true, rows, false));
        });
        return products;
    }

    interface Rows {
        void accept(int index, Factor factor, Matrix rows);
    }

    /** Gives all vectors along a class, some at a time; those alone whose other axes are known where that is asked. */
    void each(AxisClass channels, boolean isKnownBeside, Rows taker) {
        for (Value weight : weights.weights()) {
            Map<Block, Factor> uses = weights.uses(
                    weight,
                    channels,
                    (block, factor) -> !isKnownBeside || weights.isKnownBeside(block, factor, Set.of()));
            if (uses.isEmpty()) {
                continue;
            }
            double[] numbers = weights.without(weight, Set.of());
            uses.forEach((block, factor) -> {
                for (int index = 0; index < channels.count(); index++) {
                    var vectors = new FactorVectors(block, factor, channels.index(), index);
                    int at = index;
                    vectors.inParts((first, some) -> taker.accept(at, factor, vectors.rows(numbers, first, some)));
                }
            });
        }
    }

    /** Matrices and scales, one class after the other, until the norm of the weights is least. */
    void shorten(Predicate<AxisClass.Kind> isTaken, DoubleConsumer watcher) {
        List<AxisClass> some = weights.classes().stream()
                .filter(channels -> isTaken.test(channels.kind()))
                .filter(channels -> channels.kind() == AxisClass.Kind.MONOMIAL
                        ? channels.scales() > 0
                        : channels.kind() != AxisClass.Kind.ORTHOGONAL)
                .toList();
        List<AxisClass> moving = some;
        for (int round = 0; round < MOST_ROUNDS && !moving.isEmpty(); round++) {
            List<AxisClass> more = new ArrayList<>();
            for (AxisClass channels : moving) {
                double change = channels.kind() == AxisClass.Kind.MONOMIAL ? scale(channels) : shorten(channels);
                if (change > STILL) {
                    more.add(channels);
                }
            }
            // what is still now may move again because of the others
            moving = more.isEmpty() ? List.of() : some;
            watcher.accept((double) round / MOST_ROUNDS);
        }
    }

    private double shorten(AxisClass channels) {
        int n = channels.size();
        Matrix[][] products = products(channels);
        Matrix all = Matrix.zeros(channels.count() * n, n);
        double largest = 0;
        for (int index = 0; index < products.length; index++) {
            Matrix root = channels.kind() == AxisClass.Kind.COMMUTING
                    ? commutingRoot(channels, products[index][0], products[index][1])
                    : root(products[index][0], products[index][1]);
            if (root == null || channels.keepsOnes()) {
                staying.add(channels);
                return 0;
            }
            largest = Math.max(largest, root.minus(Matrix.identity(n)).largestMagnitude());
            System.arraycopy(root.entries(), 0, all.entries(), index * n * n, n * n);
        }
        if (largest <= rounding && weights.of(channels).isIdentity()) {
            return 0;
        }
        weights.choose(channels, weights.of(channels).thenMatrices(all));
        return largest;
    }

    /** The symmetric X that makes tr(X S X) + tr(X^-1 T X^-1) least: X^2 is the geometric mean of S^-1 and T; null where it is none. */
    private static @Nullable Matrix root(Matrix s, Matrix t) {
        Matrix half = power(s, 0.5);
        Matrix back = power(s, -0.5);
        if (half == null || back == null) {
            return null;
        }
        Matrix middle = power(half.times(t).times(half), 0.5);
        return middle == null ? null : power(back.times(middle).times(back), 0.5);
    }

    /** A power of a symmetric matrix with positive eigenvalues; null where they are not. */
    private static @Nullable Matrix power(Matrix symmetric, double exponent) {
        Svd svd = Svd.of(symmetric);
        double[] values = svd.singularValues();
        if (values.length == 0 || values[values.length - 1] <= SINGULAR * values[0]) {
            return null;
        }
        Matrix scaled = svd.left().copy();
        for (int i = 0; i < scaled.rows(); i++) {
            for (int j = 0; j < scaled.columns(); j++) {
                scaled.set(i, j, scaled.get(i, j) * Math.pow(values[j], exponent));
            }
        }
        Matrix power = scaled.times(svd.left().transpose());
        return power.plus(power.transpose()).scaled(0.5);
    }

    private static @Nullable Matrix commutingRoot(AxisClass channels, Matrix s, Matrix t) {
        Matrix root = Matrix.identity(channels.size());
        int[] still = channels.still();
        for (int[] pair : channels.blocks()) {
            if (pair.length == 2) {
                double above = t.get(pair[0], pair[0]) + t.get(pair[1], pair[1]);
                double below = s.get(pair[0], pair[0]) + s.get(pair[1], pair[1]);
                if (!(above > 0) || !(below > 0)) {
                    return null;
                }
                root.set(pair[0], pair[0], Math.pow(above / below, 0.25));
                root.set(pair[1], pair[1], Math.pow(above / below, 0.25));
            }
        }
        Matrix rest = still.length == 0 ? Matrix.zeros(0, 0) : root(Submatrix.of(s, still), Submatrix.of(t, still));
        if (rest == null) {
            return null;
        }
        Submatrix.place(rest, root, still);
        return root;
    }

    /** One step of Newton's method for each scale of each channel, along which the sum of exponentials is convex. */
    private double scale(AxisClass channels) {
        int k = channels.scales();
        Matrix steps = Matrix.zeros(channels.count() * k, channels.scaled());
        double[][][] sums = new double[channels.count()][channels.scaled()][2 * k];
        each(channels, false, (index, factor, rows) -> {
            if (factor.channels() != channels) {
                return;
            }
            double[] squares = new double[channels.scaled()];
            for (int i = 0; i < rows.entries().length; i++) {
                squares[ClassElement.block(channels, i % rows.columns())] += rows.entries()[i] * rows.entries()[i];
            }
            for (int at = 0; at < squares.length; at++) {
                for (int j = 0; j < k; j++) {
                    double power = factor.scales()[j];
                    sums[index][at][j] += power * squares[at];
                    sums[index][at][k + j] += power * power * squares[at];
                }
            }
        });
        double largest = 0;
        for (int index = 0; index < sums.length; index++) {
            for (int at = 0; at < channels.scaled(); at++) {
                for (int j = 0; j < k; j++) {
                    double slope = sums[index][at][j];
                    double bend = sums[index][at][k + j];
                    boolean isBound = bend > 0 && Math.abs(slope) < bend * (1 - SINGULAR);
                    double step = isBound ? -slope / (2 * bend) : 0; // of a sum of exp(2 p s) squares
                    steps.set(index * k + j, at, k == 1 ? exact(slope, bend, step) : step);
                    largest = Math.max(largest, Math.abs(step));
                }
            }
        }
        if (largest <= rounding && weights.of(channels).isIdentity()) {
            return 0;
        }
        weights.choose(channels, weights.of(channels).thenScales(steps));
        return largest;
    }

    /** Where all powers are 1 or -1 the least is known at once. */
    private static double exact(double slope, double bend, double step) {
        double up = (bend + slope) / 2;
        double down = (bend - slope) / 2;
        return up > 0 && down > 0 ? Math.log(down / up) / 4 : step;
    }
}
