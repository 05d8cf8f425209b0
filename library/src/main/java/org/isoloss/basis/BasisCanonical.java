package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleConsumer;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.OnesReflection;
import org.isoloss.linalg.Submatrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;

/**
 * Chooses one element of the orbit of weights under all changes of basis: the factors of norms become 1; the norm of all weights is the
 * least that matrices and scales can make it, which leaves rotations, orders and signs; then channels go along their principal axes, or in
 * the order of their norms, the largest first, and the third moment of what each writes or reads is positive.
 *
 * @see "Kempf and Ness, The length of vectors in representation spaces (1979)"
 */
final class BasisCanonical {

    private final PartlyChanged weights;
    private final double rounding;
    private final double gap;
    private final SequencedMap<String, Gaps> near = new LinkedHashMap<>();
    private final ShortestWeights shortest;

    /**
     * Prepares a choice.
     *
     * @param weights of the model
     * @param classes that may change, in the order of computation
     * @param rounding what may be missing, relatively, of a choice that is made already
     * @param gap norms that differ by less, relatively, are told
     */
    BasisCanonical(WeightsOfModel weights, List<AxisClass> classes, double rounding, double gap) {
        this.gap = gap;
        this.weights = new PartlyChanged(weights, classes);
        this.rounding = rounding;
        this.shortest = new ShortestWeights(this.weights, rounding);
    }

    /** The classes for which no matrix is chosen, as the weights along them have less than full rank. */
    Set<AxisClass> staying() {
        return shortest.staying();
    }

    /** What is nearly not decided, in words. */
    List<String> near() {
        List<String> lines = new ArrayList<>();
        near.forEach((what, gaps) ->
                lines.add("%s: %d, relative gaps of %.1e and more".formatted(what, gaps.count, gaps.least)));
        return lines;
    }

    /** Chooses scales that make the norm of all weights least, and nothing else. */
    Map<AxisClass, ClassElement> balanced(DoubleConsumer watcher) {
        shortest.shorten(kind -> kind == AxisClass.Kind.MONOMIAL, watcher);
        return weights.found();
    }

    /** Chooses everything. */
    Map<AxisClass, ClassElement> found(DoubleConsumer watcher) {
        weights.classes().stream()
                .filter(channels -> channels.kind() == AxisClass.Kind.SCALED)
                .forEach(this::fold);
        shortest.shorten(kind -> kind != AxisClass.Kind.SCALED, share -> watcher.accept(share / 2));
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

    /** Principal axes, or orders by norms. */
    private void turn(AxisClass channels) {
        int n = channels.size();
        if (channels.kind() == AxisClass.Kind.MONOMIAL) {
            if (!channels.isOrdered()) {
                order(channels);
            }
            return;
        }
        if (shortest.staying().contains(channels)) {
            return;
        }
        Matrix[][] products = shortest.products(channels);
        Matrix all = Matrix.zeros(channels.count() * n, n);
        for (int index = 0; index < products.length; index++) {
            Matrix sum = products[index][0].plus(products[index][1]);
            Matrix turn = switch (channels.kind()) {
                case COMMUTING -> pairs(channels, products[index][0], sum);
                default -> axes(channels, sum, channels.keepsOnes());
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
    private Matrix axes(AxisClass channels, Matrix products, boolean keepsOnes) {
        int n = products.rows();
        Matrix own = products;
        if (keepsOnes) { // by the reflection that takes ones to the first axis
            own = reflected(reflected(products).transpose());
            for (int i = 0; i < n; i++) {
                own.set(0, i, 0);
                own.set(i, 0, 0);
            }
        }
        if (isSorted(own, keepsOnes ? 1 : 0)) {
            return Matrix.identity(n);
        }
        Svd svd = Svd.of(own);
        double[] values = svd.singularValues();
        int count = n - (keepsOnes ? 1 : 0);
        for (int i = 1; i < count; i++) {
            decide(channels, values[i - 1], values[i], "principal axes");
        }
        Matrix axes = svd.left().transpose(); // one a row
        if (!keepsOnes) {
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
        int[] still = channels.still();
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
            Submatrix.place(axes(channels, Submatrix.of(sum, still), false), turn, still);
        }
        return turn;
    }

    /** Notes two neighbours whose order rounding may change. */
    private void decide(AxisClass channels, double larger, double smaller, String what) {
        double own = larger > 0 ? Math.abs(larger - smaller) / larger : 1;
        if (own < gap) {
            near.merge("%s at %s".formatted(what, channels.name()), new Gaps(1, own), Gaps::and);
        }
    }

    /** How many neighbours are how near at least. */
    private record Gaps(int count, double least) {
        Gaps and(Gaps other) {
            return new Gaps(count + other.count, Math.min(least, other.least));
        }
    }

    private void order(AxisClass channels) {
        int n = channels.size();
        double[][] squares = new double[channels.count()][n];
        shortest.each(channels, false, (index, _, rows) -> {
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
        if (channels.kind() == AxisClass.Kind.MONOMIAL) {
            signMonomial(channels);
        } else if (!shortest.staying().contains(channels)) {
            signAxes(channels);
        }
    }

    /** Signs with which what each combination of them changes is positive, as far as combinations do not depend on each other. */
    private void signMonomial(AxisClass channels) {
        int count = channels.signs();
        int[] sources = weights.element().sources(channels);
        Matrix signs = Matrix.zeros(channels.count() * count, channels.scaled());
        Set<Long> combinations = new LinkedHashSet<>();
        shortest.each(channels, true, (_, factor, _) -> combinations.add(combination(channels, factor)));
        combinations.remove(0L);
        List<double[][]> flips = new ArrayList<>();
        combinations.forEach(own -> flips.add(flips(channels, factor -> combination(channels, factor) == own, false)));
        for (int index = 0; index < channels.count(); index++) {
            for (int i = 0; i < channels.size(); i++) {
                int channel = i;
                int at = index;
                var equations = new BinaryEquations();
                int number = 0;
                for (long own : combinations) {
                    equations.add(own, flips.get(number++)[at][channel] < 0);
                }
                if (equations.rank() < count) {
                    near.merge("signs at " + channels.name(), new Gaps(1, 0), Gaps::and);
                }
                double[] chosen = equations.solution(count);
                double[] place = new double[channels.size()]; // signs act before the order
                place[channel] = 1;
                weights.of(channels).order(sources[index]).inverse().apply(place, 1);
                int source = IntStream.range(0, place.length)
                        .filter(k -> place[k] != 0)
                        .findFirst()
                        .orElseThrow();
                for (int sign = 0; sign < count; sign++) {
                    signs.set(sources[index] * count + sign, ClassElement.block(channels, source), chosen[sign]);
                }
            }
        }
        if (count > 0) {
            weights.choose(channels, weights.of(channels).withSigns(signs));
        }
    }

    /** The signs that a factor carries, a bit each. */
    private static long combination(AxisClass channels, Factor factor) {
        AxisClass own = factor.channels();
        double[] signs = own == null || own == channels ? factor.signs() : own.followedSigns();
        long bits = 0;
        for (int sign = 0; sign < Math.min(signs.length, Long.SIZE - 1); sign++) {
            bits |= signs[sign] == 0 ? 0 : 1L << sign;
        }
        return bits;
    }

    private void signAxes(AxisClass channels) {
        int n = channels.size();
        boolean keepsOnes = channels.keepsOnes();
        double[][] flips = flips(channels, _ -> true, keepsOnes);
        if (Arrays.stream(flips).flatMapToDouble(Arrays::stream).allMatch(flip -> flip == 1)) {
            return;
        }
        Matrix all = Matrix.zeros(channels.count() * n, n);
        for (int index = 0; index < flips.length; index++) {
            Matrix turn = Matrix.zeros(n, n);
            for (int i = 0; i < n; i++) {
                turn.set(i, i, flips[index][i]);
            }
            Matrix own = keepsOnes ? reflected(reflected(turn).transpose()).transpose() : turn;
            System.arraycopy(own.entries(), 0, all.entries(), index * n * n, n * n);
        }
        thenAfterOrders(channels, all);
    }

    /** For each channel of each index the sign of its third moment in some weights; 1 for the ones that stay. */
    private double[][] flips(AxisClass channels, Predicate<Factor> isCounted, boolean keepsOnes) {
        int n = channels.size();
        double[][] cubes = new double[channels.count()][n];
        double[][] sizes = new double[channels.count()][n];
        shortest.each(channels, true, (index, factor, rows) -> {
            if (!isCounted.test(factor)) {
                return;
            }
            if (keepsOnes) {
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
                int[] block = channels.blocks().isEmpty()
                        ? new int[] {i}
                        : channels.blocks().get(ClassElement.block(channels, i));
                double cube =
                        Arrays.stream(block).mapToDouble(own(cubes[index])).sum();
                double size =
                        Arrays.stream(block).mapToDouble(own(sizes[index])).sum();
                boolean isFixed = keepsOnes && i == 0;
                flips[index][i] = cube < 0 && !isFixed ? -1 : 1;
                if (!isFixed && i == block[0] && Math.abs(cube) <= gap * size) {
                    near.merge(
                            "signs at " + channels.name(),
                            new Gaps(1, size == 0 ? 0 : Math.abs(cube) / size),
                            Gaps::and);
                }
            }
        }
        return flips;
    }

    private static IntToDoubleFunction own(double[] numbers) {
        return i -> numbers[i];
    }
}
