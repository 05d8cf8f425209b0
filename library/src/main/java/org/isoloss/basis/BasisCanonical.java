package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.OnesReflection;
import org.isoloss.linalg.Svd;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one element of the orbit of weights under all changes of basis: the factors of norms become 1; the norm of all weights is the
 * least that matrices and scales can make it, which leaves rotations, orders and signs; then channels go along their principal axes, or in
 * the order of their norms, the largest first, and the third moment of what each writes or reads is positive.
 *
 * @see "Kempf and Ness, The length of vectors in representation spaces (1979)"
 */
final class BasisCanonical {
    private static final int SOME = 1 << 20;
    private static final int MOST_ROUNDS = 100;
    private static final double STILL = 1e-11;
    private static final double SINGULAR = 1e-12;
    /** Norms that differ by less than this, relatively, do not decide. */
    private static final double NEAR = 1e-6;

    private final PartlyChanged weights;
    private final double rounding;
    private final List<String> near = new ArrayList<>();
    private final Set<AxisClass> staying = new LinkedHashSet<>();

    /**
     * Prepares a choice.
     *
     * @param weights of the model
     * @param classes that may change, in the order of computation
     * @param rounding what may be missing, relatively, of a choice that is made already
     */
    BasisCanonical(WeightsOfModel weights, List<AxisClass> classes, double rounding) {
        this.weights = new PartlyChanged(weights, classes);
        this.rounding = rounding;
    }

    /** The classes for which no matrix is chosen, as the weights along them have less than full rank. */
    Set<AxisClass> staying() {
        return staying;
    }

    /** What is nearly not decided, in words. */
    List<String> near() {
        return near;
    }

    /** Chooses scales that make the norm of all weights least, and nothing else. */
    Map<AxisClass, ClassElement> balanced(DoubleConsumer watcher) {
        shorten(kind -> kind == AxisClass.Kind.MONOMIAL, watcher);
        return weights.found();
    }

    /** Chooses everything. */
    Map<AxisClass, ClassElement> found(DoubleConsumer watcher) {
        weights.classes().stream()
                .filter(channels -> channels.kind() == AxisClass.Kind.SCALED)
                .forEach(this::fold);
        shorten(kind -> kind != AxisClass.Kind.SCALED, share -> watcher.accept(share / 2));
        List<AxisClass> order = weights.classes().stream()
                .filter(channels -> channels.kind() != AxisClass.Kind.SCALED)
                .toList();
        order.forEach(this::turn);
        int done = 0;
        for (AxisClass channels : order) {
            sign(channels);
            weights.know(channels);
            watcher.accept((1 + (double) ++done / order.size()) / 2);
        }
        return weights.found();
    }

    private void fold(AxisClass channels) {
        Value weight = channels.factors();
        if (weight == null) {
            return;
        }
        double[] factors = weights.factors(weight);
        if (Arrays.stream(factors).allMatch(factor -> Math.abs(factor - 1) <= rounding)) {
            return;
        }
        Matrix scales = Matrix.zeros(1, factors.length);
        Matrix signs = Matrix.zeros(1, factors.length);
        for (int i = 0; i < factors.length; i++) {
            scales.set(0, i, -Math.log(Math.abs(factors[i])));
            signs.set(0, i, factors[i] < 0 ? 1 : 0);
        }
        weights.choose(
                channels, ClassElement.identity(channels).withScales(scales).withSigns(signs));
    }

    /** Products of the vectors along a class at each index: of those that change by it, and of those that change by its dual. */
    private Matrix[][] products(AxisClass channels) {
        int n = channels.size();
        Matrix[][] products = new Matrix[channels.count()][2];
        for (Matrix[] own : products) {
            own[0] = Matrix.zeros(n, n);
            own[1] = Matrix.zeros(n, n);
        }
        each(channels, false, (index, factor, rows) -> {
            Matrix own = Blas.gemm(rows, true, rows, false);
            double[] sum = products[index][PartlyChanged.isDual(factor) ? 1 : 0].entries();
            for (int i = 0; i < sum.length; i++) {
                sum[i] += own.entries()[i];
            }
        });
        return products;
    }

    private interface Rows {
        void accept(int index, Factor factor, Matrix rows);
    }

    /** Gives all vectors along a class, some at a time; those alone whose other axes are known where that is asked. */
    private void each(AxisClass channels, boolean isKnownBeside, Rows taker) {
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
                    int some = Math.clamp(SOME / vectors.size(), 1, vectors.count());
                    for (int first = 0; first < vectors.count(); first += some) {
                        int now = Math.min(some, vectors.count() - first);
                        taker.accept(index, factor, PartlyChanged.gathered(numbers, vectors, first, now, null, false));
                    }
                }
            });
        }
    }

    /** Matrices and scales, one class after the other, until the norm of the weights is least. */
    private void shorten(Predicate<AxisClass.Kind> isTaken, DoubleConsumer watcher) {
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
            if (root == null || channels.fixesOnes() || channels.fixesOnesDual()) {
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
        int[] still = channels.blocks().stream()
                .filter(block -> block.length == 1)
                .mapToInt(block -> block[0])
                .toArray();
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
        Matrix rest = still.length == 0 ? Matrix.zeros(0, 0) : root(part(s, still), part(t, still));
        if (rest == null) {
            return null;
        }
        place(rest, still, root);
        return root;
    }

    private static Matrix part(Matrix matrix, int[] some) {
        Matrix part = Matrix.zeros(some.length, some.length);
        for (int i = 0; i < some.length; i++) {
            for (int j = 0; j < some.length; j++) {
                part.set(i, j, matrix.get(some[i], some[j]));
            }
        }
        return part;
    }

    private static void place(Matrix part, int[] some, Matrix into) {
        for (int i = 0; i < some.length; i++) {
            for (int j = 0; j < some.length; j++) {
                into.set(some[i], some[j], part.get(i, j));
            }
        }
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

    /** Principal axes, or orders by norms. */
    private void turn(AxisClass channels) {
        int n = channels.size();
        if (channels.kind() == AxisClass.Kind.MONOMIAL) {
            if (!channels.isOrdered()) {
                order(channels);
            }
            return;
        }
        if (staying.contains(channels)) {
            return;
        }
        Matrix[][] products = products(channels);
        Matrix all = Matrix.zeros(channels.count() * n, n);
        for (int index = 0; index < products.length; index++) {
            Matrix sum = products[index][0].plus(products[index][1]);
            Matrix turn = switch (channels.kind()) {
                case COMMUTING -> pairs(channels, products[index][0], sum);
                default -> axes(channels, sum, channels.fixesOnes() || channels.fixesOnesDual());
            };
            System.arraycopy(turn.entries(), 0, all.entries(), index * n * n, n * n);
        }
        thenAfterOrders(channels, all);
    }

    /** Adds what was found for each index after its order, and acts before it. */
    private void thenAfterOrders(AxisClass channels, Matrix all) {
        ClassElement turn = ClassElement.identity(channels).withMatrices(all);
        weights.choose(channels, turn.moved(weights.element().sources(channels)).after(weights.of(channels)));
    }

    /** The rotation to principal axes, largest first; within what is orthogonal to ones where these stay. */
    private Matrix axes(AxisClass channels, Matrix products, boolean fixesOnes) {
        int n = products.rows();
        Matrix own = products;
        if (fixesOnes) { // by the reflection that takes ones to the first axis
            own = reflected(reflected(products).transpose());
            for (int i = 0; i < n; i++) {
                own.set(0, i, 0);
                own.set(i, 0, 0);
            }
        }
        if (isSorted(own, fixesOnes ? 1 : 0)) {
            return Matrix.identity(n);
        }
        Svd svd = Svd.of(own);
        double[] values = svd.singularValues();
        int count = n - (fixesOnes ? 1 : 0);
        for (int i = 1; i < count; i++) {
            decide(channels, values[i - 1], values[i], "principal axes");
        }
        Matrix axes = svd.left().transpose(); // one a row
        if (!fixesOnes) {
            return axes;
        }
        Matrix turn = Matrix.identity(n);
        for (int i = 0; i < count; i++) {
            for (int j = 1; j < n; j++) {
                turn.set(i + 1, j, axes.get(i, j));
            }
        }
        return reflected(reflected(turn).transpose()).transpose();
    }

    /** Whether products are those of principal axes already, the largest first, from some axis on. */
    private boolean isSorted(Matrix products, int from) {
        boolean isSorted = true;
        for (int i = from; i < products.rows(); i++) {
            double size = products.get(i, i);
            isSorted &= i == from || size <= products.get(i - 1, i - 1) * (1 + rounding);
            for (int j = from; j < i; j++) {
                isSorted &= Math.abs(products.get(i, j)) <= rounding * Math.sqrt(size * products.get(j, j));
            }
        }
        return isSorted;
    }

    private static Matrix reflected(Matrix rows) {
        Matrix reflected = rows.copy();
        OnesReflection.apply(reflected.entries(), rows.rows(), rows.columns());
        return reflected;
    }

    private Matrix pairs(AxisClass channels, Matrix direct, Matrix sum) {
        Matrix turn = Matrix.identity(channels.size());
        int[] still = channels.blocks().stream()
                .filter(block -> block.length == 1)
                .mapToInt(block -> block[0])
                .toArray();
        for (int[] pair : channels.blocks()) {
            if (pair.length == 2) {
                double a = direct.get(pair[0], pair[0]);
                double b = direct.get(pair[1], pair[1]);
                double c = direct.get(pair[0], pair[1]);
                double angle = -0.5 * Math.atan2(2 * c, a - b); // to the larger principal axis
                double spread = Math.hypot(a - b, 2 * c);
                if (a >= b * (1 - rounding) && Math.abs(c) <= rounding * Math.sqrt(a * b)) {
                    continue;
                }
                decide(channels, (a + b + spread) / 2, (a + b - spread) / 2, "a pair that rotates");
                turn.set(pair[0], pair[0], Math.cos(angle));
                turn.set(pair[1], pair[1], Math.cos(angle));
                turn.set(pair[0], pair[1], -Math.sin(angle));
                turn.set(pair[1], pair[0], Math.sin(angle));
            }
        }
        if (still.length > 0) {
            place(axes(channels, part(sum, still), false), still, turn);
        }
        return turn;
    }

    private void decide(AxisClass channels, double larger, double smaller, String what) {
        if (larger > 0 && larger - smaller < NEAR * larger) {
            near.add("%s at %s: norms differ by %.1e".formatted(what, channels.name(), (larger - smaller) / larger));
        }
    }

    private void order(AxisClass channels) {
        int n = channels.size();
        double[][] squares = new double[channels.count()][n];
        each(channels, false, (index, _, rows) -> {
            for (int i = 0; i < rows.entries().length; i++) {
                squares[index][i % n] += rows.entries()[i] * rows.entries()[i];
            }
        });
        Matrix orders = Matrix.zeros(channels.count(), n);
        for (int index = 0; index < squares.length; index++) {
            double[] own = squares[index];
            List<Integer> order = IntStream.range(0, n)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> -own[i]))
                    .toList();
            if (IntStream.range(1, n).allMatch(i -> own[i] <= own[i - 1] * (1 + rounding))) {
                order = IntStream.range(0, n).boxed().toList();
            }
            for (int i = 0; i < n; i++) {
                orders.set(index, i, order.get(i));
                if (i > 0) {
                    decide(channels, own[order.get(i - 1)], own[order.get(i)], "order");
                }
            }
        }
        ClassElement order = ClassElement.identity(channels).withOrders(orders);
        weights.choose(
                channels, weights.of(channels).and(order.moved(weights.element().sources(channels))));
    }

    /** Makes third moments positive of what stands beside what is known. */
    private void sign(AxisClass channels) {
        boolean isMonomial = channels.kind() == AxisClass.Kind.MONOMIAL;
        if (isMonomial ? channels.signs() != 1 : staying.contains(channels)) {
            if (isMonomial && channels.signs() > 1) {
                near.add("signs at %s: %d of each channel".formatted(channels.name(), channels.signs()));
            }
            return;
        }
        int n = channels.size();
        boolean fixesOnes = !isMonomial && (channels.fixesOnes() || channels.fixesOnesDual());
        double[][] cubes = new double[channels.count()][n];
        double[][] sizes = new double[channels.count()][n];
        each(channels, true, (index, factor, rows) -> {
            if (isMonomial && factor.channels() == channels && factor.signs()[0] == 0) {
                return;
            }
            if (fixesOnes) {
                OnesReflection.apply(rows.entries(), rows.rows(), n);
            }
            for (int i = 0; i < rows.entries().length; i++) {
                double entry = rows.entries()[i];
                cubes[index][i % n] += entry * entry * entry;
                sizes[index][i % n] += Math.abs(entry * entry * entry);
            }
        });
        double[][] flips = new double[channels.count()][n];
        for (int index = 0; index < cubes.length; index++) {
            for (int i = 0; i < n; i++) {
                int at = ClassElement.block(channels, i);
                int[] block = channels.blocks().isEmpty()
                        ? new int[] {i}
                        : channels.blocks().get(at);
                double cube =
                        Arrays.stream(block).mapToDouble(own(cubes[index])).sum();
                double size =
                        Arrays.stream(block).mapToDouble(own(sizes[index])).sum();
                flips[index][i] = cube < 0 && !(fixesOnes && i == 0) ? -1 : 1;
                if (size > 0 && Math.abs(cube) < NEAR * size && i == block[0]) {
                    near.add("a sign at %s: a third moment of %.1e".formatted(channels.name(), cube / size));
                }
            }
        }
        if (isMonomial) {
            weights.choose(channels, signed(channels, flips));
            return;
        }
        Matrix all = Matrix.zeros(channels.count() * n, n);
        for (int index = 0; index < flips.length; index++) {
            Matrix turn = Matrix.zeros(n, n);
            for (int i = 0; i < n; i++) {
                turn.set(i, i, flips[index][i]);
            }
            Matrix own = fixesOnes ? reflected(reflected(turn).transpose()).transpose() : turn;
            System.arraycopy(own.entries(), 0, all.entries(), index * n * n, n * n);
        }
        thenAfterOrders(channels, all);
    }

    private static IntToDoubleFunction own(double[] numbers) {
        return i -> numbers[i];
    }

    private ClassElement signed(AxisClass channels, double[][] flips) {
        int[] sources = weights.element().sources(channels);
        Matrix signs = Matrix.zeros(channels.count(), channels.scaled());
        for (int index = 0; index < flips.length; index++) {
            double[] own = flips[index].clone();
            weights.of(channels).order(sources[index]).inverse().apply(own, 1);
            for (int i = 0; i < own.length; i++) {
                signs.set(sources[index], ClassElement.block(channels, i), own[i] < 0 ? 1 : 0);
            }
        }
        return weights.of(channels).withSigns(signs);
    }
}
