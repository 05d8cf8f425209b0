package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * The order of units, with a scale and signs for each, that brings all weights which write and read them nearest to others, everything else
 * staying: for each of our units in each place the best scale and signs, then the best places.
 *
 * @see "Ainsworth, Hayase and Srinivasa, Git Re-Basin, 2023, section 3.2, for orders alone"
 */
final class UnitFit {
    /** As many signs of one unit are tried in all combinations. */
    private static final int MOST_SIGNS = 8;
    /** Newton's steps in the logarithm of a scale, of at most 1 each. */
    private static final int STEPS = 20;

    private static final double FAR = 6;
    /** Newton's last step where a unit is to stay; its error is of the order of the square. */
    private static final double STILL = 1e-12;
    /** The same where places are compared. */
    private static final double COMPARED = 1e-6;

    private final AlignedWeights weights;
    private final AxisClass channels;
    private final boolean isScaling;

    /**
     * Prepares a fit.
     *
     * @param weights that are brought near to others
     * @param channels a monomial class
     * @param isScaling whether its scales are fitted; they are 1 otherwise
     */
    UnitFit(AlignedWeights weights, AxisClass channels, boolean isScaling) {
        this.weights = weights;
        this.channels = channels;
        this.isScaling = isScaling;
    }

    /**
     * What one weight says: the powers of scales and signs, the squares of what our units have there and theirs, and the products of
     * theirs, in rows, with ours.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Seen(double[] scales, double[] signs, double[] own, double[] goal, Matrix mixed) {}

    /** What becomes of one of our units in one place: the logarithms of its scales, its signs as bits, and how far it is then. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Placed(double[] scales, int signs, double square) {}

    /** The element of the class; null where no weight tells anything. */
    @Nullable
    ClassElement found() {
        int n = channels.size();
        int count = channels.count();
        Matrix orders = Matrix.zeros(count, n);
        Matrix scales = Matrix.zeros(count * channels.scales(), n);
        Matrix signs = Matrix.zeros(count * channels.signs(), n);
        for (int index = 0; index < count; index++) {
            List<Seen> seen = seen(index);
            if (seen.isEmpty()) {
                return null;
            }
            Matrix gain = Matrix.zeros(n, n);
            IntStream.range(0, n).parallel().forEach(i -> {
                for (int j = 0; j < n; j++) {
                    if (i == j || !channels.isOrdered()) {
                        gain.set(i, j, -placed(seen, i, j, COMPARED).square);
                    }
                }
            });
            int[] order = channels.isOrdered() ? IntStream.range(0, n).toArray() : ClassFit.order(gain);
            for (int i = 0; i < n; i++) {
                Placed own = placed(seen, i, order[i], STILL);
                orders.set(index, i, order[i]);
                for (int k = 0; k < channels.scales(); k++) {
                    scales.set(index * channels.scales() + k, order[i], own.scales[k]); // before the order
                }
                for (int k = 0; k < channels.signs(); k++) {
                    signs.set(index * channels.signs() + k, order[i], own.signs >> k & 1);
                }
            }
        }
        ClassElement element = ClassElement.identity(channels);
        element = channels.isOrdered() ? element : element.withOrders(orders);
        element = channels.scales() > 0 ? element.withScales(scales) : element;
        return channels.signs() > 0 ? element.withSigns(signs) : element;
    }

    private List<Seen> seen(int index) {
        List<Seen> seen = new ArrayList<>();
        for (Value weight : weights.ours().weights()) {
            Map<Block, Factor> uses = weights.uses(weight, channels, Set.of());
            if (uses.values().stream().noneMatch(factor -> factor.channels() == channels)) {
                continue;
            }
            double[] from = weights.without(weight, channels, Set.of());
            double[] to = weights.projectedGoal(weight);
            uses.forEach((block, factor) -> {
                if (factor.channels() == channels) {
                    seen.add(seen(block, factor, index, from, to));
                }
            });
        }
        return seen;
    }

    private Seen seen(Block block, Factor factor, int index, double[] from, double[] to) {
        int n = factor.size();
        var vectors = new FactorVectors(block, factor, channels.index(), index);
        Matrix mixed = Matrix.zeros(n, n);
        double[] own = new double[n];
        double[] goal = new double[n];
        vectors.inParts((first, some) -> {
            Matrix a = vectors.rows(from, first, some);
            Matrix b = vectors.rows(to, first, some);
            mixed.add(Blas.gemm(b, true, a, false));
            for (int i = 0; i < a.entries().length; i++) {
                own[i % n] += a.entries()[i] * a.entries()[i];
                goal[i % n] += b.entries()[i] * b.entries()[i];
            }
        });
        return new Seen(factor.scales(), factor.signs(), own, goal, mixed);
    }

    private Placed placed(List<Seen> seen, int i, int j, double still) {
        Placed best = placed(seen, i, j, 0, still);
        for (int signs = 1; channels.signs() <= MOST_SIGNS && signs < 1 << channels.signs(); signs++) {
            Placed other = placed(seen, i, j, signs, still);
            best = other.square < best.square ? other : best;
        }
        return best;
    }

    /** One scale after the other, where there are several, until none changes. */
    private Placed placed(List<Seen> seen, int i, int j, int signs, double still) {
        double[] scales = new double[channels.scales()];
        double moved = scales.length == 0 || !isScaling ? 0 : 1;
        for (int round = 0; round < STEPS && moved > still; round++) {
            moved = 0;
            for (int k = 0; k < scales.length; k++) {
                double before = scales[k];
                scales[k] = scale(seen, i, j, signs, scales, k, still);
                moved = Math.max(moved, scales.length == 1 ? 0 : Math.abs(scales[k] - before));
            }
        }
        return new Placed(scales, signs, square(seen, i, j, signs, scales));
    }

    private static double product(Seen one, int i, int j, int signs) {
        int parity = 0;
        for (int k = 0; k < one.signs.length; k++) {
            parity += (signs >> k & 1) * (int) Math.round(one.signs[k]);
        }
        return (parity % 2 == 0 ? 1 : -1) * one.mixed.get(i, j);
    }

    private static double logarithm(Seen one, double[] scales) {
        double sum = 0;
        for (int k = 0; k < scales.length; k++) {
            sum += one.scales[k] * scales[k];
        }
        return sum;
    }

    private static double square(List<Seen> seen, int i, int j, int signs, double[] scales) {
        double square = 0;
        for (Seen one : seen) {
            double by = Math.exp(logarithm(one, scales));
            square += by * by * one.own[j] - 2 * by * product(one, i, j, signs) + one.goal[i];
        }
        return square;
    }

    /** Newton's method in one scale; where the curvature is not positive, the curvature of the squares alone is taken, which is. */
    private static double scale(List<Seen> seen, int i, int j, int signs, double[] scales, int k, double still) {
        int count = seen.size();
        double[] others = new double[count];
        double[] powers = new double[count];
        double[] squares = new double[count];
        double[] products = new double[count];
        for (int s = 0; s < count; s++) {
            Seen one = seen.get(s);
            powers[s] = one.scales[k];
            others[s] = logarithm(one, scales) - powers[s] * scales[k];
            squares[s] = one.own[j];
            products[s] = product(one, i, j, signs);
        }
        double at = scales[k];
        for (int step = 0; step < STEPS; step++) {
            double slope = 0;
            double curvature = 0;
            double bound = 0;
            double factor = 0;
            for (int s = 0; s < count; s++) {
                if (s == 0 || powers[s] != powers[s - 1] || others[s] != others[s - 1]) {
                    factor = Math.exp(others[s] + powers[s] * at);
                }
                double own = factor * factor * squares[s];
                double mixed = factor * products[s];
                slope += 2 * powers[s] * (own - mixed);
                curvature += powers[s] * powers[s] * (4 * own - 2 * mixed);
                bound += 4 * powers[s] * powers[s] * own;
            }
            double by = curvature > 0 ? curvature : bound;
            if (by <= 0) {
                return at;
            }
            double change = Math.clamp(-slope / by, -1, 1);
            at = Math.clamp(at + change, -FAR, FAR);
            if (Math.abs(change) < still) {
                return at;
            }
        }
        return at;
    }
}
