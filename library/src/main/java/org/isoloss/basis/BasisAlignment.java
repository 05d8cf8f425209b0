package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;
import org.isoloss.basis.ClassFit.Products;
import org.isoloss.basis.ClassFit.Ratios;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;

/**
 * Finds the element that brings the weights of one model nearest to those of another, one class of channels after the other, from the
 * inputs on: first by the weights whose other axes are known already, then by all, until nothing comes nearer.
 */
final class BasisAlignment {
    private final AlignedWeights weights;

    BasisAlignment(AlignedWeights weights) {
        this.weights = weights;
    }

    /** Fits every class. */
    Map<AxisClass, ClassElement> found(int rounds, DoubleConsumer watcher) {
        weights.ours().classes().stream()
                .filter(channels -> channels.kind() == AxisClass.Kind.SCALED)
                .forEach(this::fitScaled);
        List<AxisClass> order = weights.ours().classes().stream()
                .filter(channels -> channels.kind() != AxisClass.Kind.SCALED)
                .toList();
        int done = 0;
        for (int round = 0; round < rounds; round++) {
            for (AxisClass channels : order) {
                fit(channels, round > 0);
                weights.ours().know(channels);
                watcher.accept((double) ++done / (rounds * order.size()));
            }
        }
        return weights.ours().found();
    }

    /** The factors of a norm say what its scales are. */
    private void fitScaled(AxisClass channels) {
        Value weight = channels.factors();
        if (weight == null) {
            return;
        }
        double[] from = weights.ours().factors(weight);
        double[] to = weights.goal(weight);
        int n = channels.size();
        Matrix scales = Matrix.zeros(1, n);
        Matrix signs = Matrix.zeros(1, n);
        for (int i = 0; i < n; i++) {
            double ratio = to[i] / from[i];
            if (ratio == 0 || !Double.isFinite(ratio)) {
                return;
            }
            scales.set(0, i, Math.log(Math.abs(ratio)));
            signs.set(0, i, ratio < 0 ? 1 : 0);
        }
        weights.ours()
                .choose(
                        channels,
                        ClassElement.identity(channels).withScales(scales).withSigns(signs));
    }

    /** Fits one class to all weights, its order too. */
    void fit(AxisClass channels) {
        fit(channels, false);
    }

    private void fit(AxisClass channels, boolean isAgain) {
        if (channels.kind() == AxisClass.Kind.MONOMIAL) {
            boolean isFree = !isAgain || weights.ours().dependents(channels).isEmpty();
            if (isFree && !channels.isOrdered()) {
                Matrix orders = new OrderFit(weights).orders(channels);
                if (orders != null) {
                    weights.ours()
                            .chooseAfterOrders(
                                    channels, ClassElement.identity(channels).withOrders(orders));
                }
            }
            if (channels.scales() + channels.signs() > 0) {
                fitFactors(channels);
            }
        } else {
            fitMatrices(channels);
        }
    }

    private void fitMatrices(AxisClass channels) {
        int n = channels.size();
        boolean isCentred = channels.keepsOnes();
        Products[][] products = new Products[channels.count()][2];
        for (Products[] own : products) {
            own[0] = new Products(n);
            own[1] = new Products(n);
        }
        for (Value weight : weights.ours().weights()) {
            Map<Block, Factor> uses = weights.uses(weight, channels, Set.of());
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = weights.without(weight, channels, Set.of());
            double[] to = weights.projectedGoal(weight);
            uses.forEach((block, factor) -> {
                double[] by = weights.by(factor);
                for (int index = 0; index < products.length; index++) {
                    var vectors = new FactorVectors(block, factor, channels.index(), index);
                    Products own = products[index][PartlyChanged.isDual(factor) ? 1 : 0];
                    vectors.inParts((first, some) -> own.add(
                            vectors.rows(from, first, some, by, isCentred),
                            vectors.rows(to, first, some, by, isCentred)));
                }
            });
        }
        if (channels.kind() == AxisClass.Kind.ORTHOGONAL && channels.count() == 1) {
            new StreamMoments(weights).extend(channels, products[0][0], products[0][1]);
        }
        var fit = new ClassFit(channels);
        Matrix matrices = Matrix.zeros(products.length * n, n);
        for (int index = 0; index < products.length; index++) {
            if (products[index][0].count() + products[index][1].count() == 0) {
                return;
            }
            System.arraycopy(
                    fit.matrix(products[index][0], products[index][1]).entries(),
                    0,
                    matrices.entries(),
                    index * n * n,
                    n * n);
        }
        weights.ours()
                .chooseAfterOrders(channels, ClassElement.identity(channels).withMatrices(matrices));
    }

    /** Scales and signs, the order being found. */
    private void fitFactors(AxisClass channels) {
        ClassElement order = weights.ours().of(channels).orderAlone();
        int[] sources = weights.ours().element().sources(channels);
        weights.ours().choose(channels, order);
        Matrix scales = Matrix.zeros(channels.count() * channels.scales(), channels.scaled());
        Matrix signs = Matrix.zeros(channels.count() * channels.signs(), channels.scaled());
        List<List<Ratios>> ratios = new ArrayList<>();
        for (int index = 0; index < channels.count(); index++) {
            ratios.add(new ArrayList<>());
        }
        for (Value weight : weights.ours().weights()) {
            Map<Block, Factor> uses = weights.uses(weight, channels, Set.of());
            if (uses.isEmpty()) {
                continue;
            }
            double[] from = weights.without(weight, channels, Set.of());
            double[] to = weights.projectedGoal(weight);
            uses.forEach((block, factor) -> {
                if (factor.channels() == channels) {
                    for (int index = 0; index < ratios.size(); index++) {
                        ratios.get(index)
                                .add(ratios(channels, block, factor, index, order.order(sources[index]), from, to));
                    }
                }
            });
        }
        var fit = new ClassFit(channels);
        for (int index = 0; index < ratios.size(); index++) {
            copy(fit.scales(ratios.get(index)), scales, index);
            copy(fit.signs(ratios.get(index)), signs, index);
        }
        // they act before the order does, and were found after it
        for (int index = 0; index < ratios.size(); index++) {
            BasisMap back = order.order(sources[index]).inverse();
            unordered(scales, index * channels.scales(), channels.scales(), back, channels);
            unordered(signs, index * channels.signs(), channels.signs(), back, channels);
        }
        ClassElement all = ClassElement.identity(channels);
        all = channels.scales() > 0 ? all.withScales(scales) : all;
        weights.ours().chooseAfterOrders(channels, channels.signs() > 0 ? all.withSigns(signs) : all);
        weights.ours().choose(channels, weights.ours().of(channels).and(order));
    }

    private static void copy(Matrix rows, Matrix into, int index) {
        System.arraycopy(rows.entries(), 0, into.entries(), index * rows.entries().length, rows.entries().length);
    }

    private static void unordered(Matrix rows, int first, int count, BasisMap back, AxisClass channels) {
        for (int row = first; row < first + count && channels.blocks().isEmpty(); row++) {
            double[] numbers = rows.row(row);
            back.apply(numbers, 1);
            for (int i = 0; i < numbers.length; i++) {
                rows.set(row, i, numbers[i]);
            }
        }
    }

    private Ratios ratios(
            AxisClass channels, Block block, Factor factor, int index, BasisMap order, double[] from, double[] to) {
        int n = factor.size();
        double[] own = new double[channels.scaled()];
        double[] mixed = new double[channels.scaled()];
        var vectors = new FactorVectors(block, factor, channels.index(), index);
        vectors.inParts((first, some) -> {
            Matrix a = vectors.rows(from, first, some);
            order.apply(a.entries(), some);
            Matrix b = vectors.rows(to, first, some);
            for (int i = 0; i < a.entries().length; i++) {
                int at = ClassElement.block(channels, i % n);
                own[at] += a.entries()[i] * a.entries()[i];
                mixed[at] += a.entries()[i] * b.entries()[i];
            }
        });
        return new Ratios(factor.scales(), factor.signs(), own, mixed);
    }
}
