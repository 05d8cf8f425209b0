package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.basis.ClassFit.Products;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Finds the orders of channels, such as units and heads, that bring weights nearest to others. */
final class OrderFit {
    /** Dependent channels tell indices apart only where they are so much fewer than the vectors along them. */
    private static final double WIDE = 0.9;
    /** As many channels, such as heads, are assigned before what they stand beside is known. */
    private static final int FEW = 256;

    private final AlignedWeights weights;

    OrderFit(AlignedWeights weights) {
        this.weights = weights;
    }

    /** The classes that may be changed by any matrix while channels are assigned: those that these number, and bases not yet known. */
    private Set<AxisClass> open(AxisClass channels) {
        Set<AxisClass> open = weights.ours().dependents(channels);
        if (channels.size() <= FEW) {
            weights.ours().classes().stream()
                    .filter(other -> other != channels
                            && !weights.ours().isKnown(other)
                            && (other.kind() == AxisClass.Kind.LINEAR || other.kind() == AxisClass.Kind.COMMUTING))
                    .forEach(open::add);
        }
        return open;
    }

    /** Assigns channels, at each index: by what they are beside, up to any change of basis of what they number; null where nothing can be told. */
    @Nullable
    Matrix orders(AxisClass channels) {
        int n = channels.size();
        Set<AxisClass> open = open(channels);
        Matrix orders = Matrix.zeros(channels.count(), n);
        Matrix[] gains = new Matrix[channels.count()];
        Arrays.setAll(gains, _ -> Matrix.zeros(n, n));
        boolean isSeen = false;
        for (Value weight : weights.ours().weights()) {
            Map<Block, Factor> uses = weights.uses(weight, channels, open);
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = weights.without(weight, channels, open);
            double[] to = weights.projectedGoal(weight);
            for (Map.Entry<Block, Factor> use : uses.entrySet()) {
                for (int index = 0; index < gains.length; index++) {
                    Matrix gain = gain(channels, use.getKey(), use.getValue(), index, open, from, to);
                    if (gain != null) {
                        isSeen = true;
                        gains[index].add(gain);
                    }
                }
            }
        }
        if (!isSeen) {
            return null;
        }
        for (int index = 0; index < gains.length; index++) {
            int[] order = ClassFit.order(gains[index]);
            for (int i = 0; i < n; i++) {
                orders.set(index, i, order[i]);
            }
        }
        return orders;
    }

    /** How well each channel of ours, in columns, becomes each of theirs; null where nothing can be told. */
    private @Nullable Matrix gain(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            Set<AxisClass> open,
            double[] from,
            double[] to) {
        List<Factor> relaxed =
                block.factors().stream().filter(other -> isAmong(other, open)).toList();
        int inner = relaxed.stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact);
        if (!relaxed.isEmpty()) {
            return relaxedGain(channels, block, factor, index, relaxed, inner, from, to);
        }
        double[] by = weights.by(factor);
        var vectors = new FactorVectors(block, factor, channels.index(), index);
        int n = factor.size();
        Matrix products = Matrix.zeros(n, n);
        double[] ownLengths = new double[n];
        double[] lengths = new double[n];
        vectors.inParts((first, some) -> {
            Matrix a = vectors.rows(from, first, some, by, false);
            Matrix b = vectors.rows(to, first, some, by, false);
            products.add(Blas.gemm(b, true, a, false));
            for (int i = 0; i < a.entries().length; i++) {
                ownLengths[i % n] += a.entries()[i] * a.entries()[i];
                lengths[i % n] += b.entries()[i] * b.entries()[i];
            }
        });
        boolean isScaled = channels.scales() > 0;
        double mean = Arrays.stream(lengths).average().orElse(0);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double product = products.get(i, j);
                double size = isScaled ? Math.sqrt(lengths[i] * ownLengths[j]) : mean;
                double own = size == 0 ? 0 : product / size;
                products.set(i, j, channels.signs() > 0 ? Math.abs(own) : own);
            }
        }
        return products;
    }

    /** By what is left when any matrix may change the channels that are numbered. */
    private static @Nullable Matrix relaxedGain(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            List<Factor> relaxed,
            int inner,
            double[] from,
            double[] to) {
        int n = factor.size();
        int count = block.factors().stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact) / n;
        for (AxisClass own : channels.index()) {
            count /= own.size();
        }
        if (inner >= WIDE * count / inner) {
            return null; // any matrix takes any to any
        }
        Matrix[] a = new Matrix[n];
        Matrix[] b = new Matrix[n];
        for (int i = 0; i < n; i++) {
            a[i] = slice(channels, block, factor, index, i, relaxed, inner, from);
            b[i] = slice(channels, block, factor, index, i, relaxed, inner, to);
        }
        Matrix gain = Matrix.zeros(n, n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                Products products = new Products(inner);
                products.add(a[j], b[i]);
                gain.set(i, j, products.square() == 0 ? 0 : 1 - products.residual() / products.square());
            }
        }
        return gain;
    }

    /** One channel's part of a block: a row for each place, a column for each of the channels that are numbered. */
    private static Matrix slice(
            AxisClass channels,
            Block block,
            Factor factor,
            int index,
            int channel,
            List<Factor> relaxed,
            int inner,
            double[] numbers) {
        int[] places = BasisElement.places(channels.index(), index);
        int begin = block.begin() + channel * factor.stride();
        List<Factor> outer = new ArrayList<>();
        for (Factor other : block.factors()) {
            int place = other.channels() == null ? -1 : channels.index().indexOf(other.channels());
            if (place >= 0) {
                begin += places[place] * other.stride();
            } else if (!other.equals(factor) && !relaxed.contains(other)) {
                outer.add(other);
            }
        }
        int count = outer.stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact);
        Matrix rows = Matrix.zeros(count, inner);
        for (int row = 0; row < count; row++) {
            int at = begin + offset(outer, row);
            for (int column = 0; column < inner; column++) {
                rows.set(row, column, numbers[at + offset(relaxed, column)]);
            }
        }
        return rows;
    }

    /** Whether a factor is of one of some classes. */
    static boolean isAmong(Factor factor, Set<AxisClass> some) {
        AxisClass channels = factor.channels();
        return channels != null && some.contains(channels);
    }

    private static int offset(List<Factor> factors, int number) {
        int left = number;
        int at = 0;
        for (int i = factors.size() - 1; i >= 0; i--) {
            at += left % factors.get(i).size() * factors.get(i).stride();
            left /= factors.get(i).size();
        }
        return at;
    }
}
