package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
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

/** Tells streams apart whose embeddings have fewer rows than channels. */
final class StreamMoments {
    /** So often second moments are applied to vectors that are known. */
    private static final int STEPS = 6;

    private final AlignedWeights weights;

    StreamMoments(AlignedWeights weights) {
        this.weights = weights;
    }

    /**
     * Adds vectors where the weights that are known leave some channels undecided: what the second moments of weights with units in an
     * unknown order make of the vectors there are, which changes as these do.
     */
    void extend(AxisClass channels, Products direct, Products dual) {
        int wanted = channels.size() - (channels.keepsOnes() ? 1 : 0);
        Matrix from = direct.own().plus(dual.own()); // products of vectors, whose columns are vectors too
        Matrix to = direct.mixed().plus(dual.mixed());
        if (from.largestMagnitude() == 0 || ClassFit.rank(from) >= wanted) {
            return;
        }
        List<Matrix[]> moments = new ArrayList<>();
        for (Value weight : weights.ours().weights()) {
            addMoments(weight, channels, moments);
        }
        // b a' for all vectors a that go to b: then b (C a)' = b a' C, and C b goes with C a
        for (int step = 0; step < STEPS && ClassFit.rank(from) < wanted; step++) {
            for (Matrix[] moment : moments) {
                Matrix own = moment[0].times(from).times(moment[0]);
                Matrix mixed = moment[1].times(to).times(moment[0]);
                double by = own.largestMagnitude() == 0 ? 0 : from.largestMagnitude() / own.largestMagnitude();
                from = from.plus(own.scaled(by));
                to = to.plus(mixed.scaled(by));
            }
        }
        direct.become(from, to);
        dual.become(Matrix.zeros(from.rows(), from.rows()), Matrix.zeros(from.rows(), from.rows()));
    }

    /** Second moments of vectors along channels of the units that a weight reads or writes, ours and theirs. */
    private void addMoments(Value weight, AxisClass channels, List<Matrix[]> moments) {
        Set<AxisClass> units = new LinkedHashSet<>();
        weights.ours().classes().stream()
                .filter(other -> other.kind() == AxisClass.Kind.MONOMIAL
                        && weights.ours().dependents(other).isEmpty()
                        && !weights.ours().isKnown(other))
                .forEach(units::add);
        Set<AxisClass> scaled = new LinkedHashSet<>(units);
        scaled.removeIf(own -> own.scales() == 0);
        Map<Block, Factor> uses = weights.uses(weight, channels, units);
        if (uses.isEmpty()) {
            return;
        }
        double[] from = weights.without(weight, channels, units);
        double[] to = weights.projectedGoal(weight);
        boolean isCentred = channels.keepsOnes();
        uses.forEach((block, factor) -> {
            boolean isScaled = block.factors().stream().anyMatch(other -> OrderFit.isAmong(other, scaled));
            boolean isOfUnits = block.factors().stream().anyMatch(other -> OrderFit.isAmong(other, units));
            if (isOfUnits) {
                var vectors = new FactorVectors(block, factor, channels.index(), 0);
                double[] by = weights.by(factor);
                Matrix[] both = {
                    vectors.rows(from, 0, vectors.count(), by, isCentred),
                    vectors.rows(to, 0, vectors.count(), by, isCentred)
                };
                for (int side = 0; side < 2; side++) {
                    Matrix rows = isScaled ? normalized(both[side]) : both[side];
                    both[side] = Blas.gemm(rows, true, rows, false);
                }
                moments.add(both);
            }
        });
    }

    private static Matrix normalized(Matrix rows) {
        Matrix normalized = rows.copy();
        for (int i = 0; i < rows.rows(); i++) {
            double norm = Math.sqrt(Arrays.stream(rows.row(i)).map(x -> x * x).sum());
            for (int j = 0; j < rows.columns() && norm > 0; j++) {
                normalized.set(i, j, rows.get(i, j) / norm);
            }
        }
        return normalized;
    }
}
