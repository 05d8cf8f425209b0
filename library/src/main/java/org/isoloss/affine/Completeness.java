package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.exact.ModularRank;
import org.isoloss.exact.Subspace;

/**
 * An upper bound on the dimension of all preserving affine fields, proved without rounding: constraints that every such
 * field satisfies are taken at integer points, and their rank modulo a prime, which is at most their rank over the
 * rationals, is subtracted from the number of unknowns, block by block of a {@link Grading}.
 *
 * @param bound no more than this many independent affine fields preserve the outputs
 * @param points how many integer points were used
 * @param seed of the integers
 */
record Completeness(long bound, int points, long seed) {
    private static final int MOST_POINTS_PER_UNKNOWN = 4;

    /** Returns a bound, or why there is none. */
    static Optional<String> obstacle(Architecture architecture) {
        Set<String> transcendental = new TreeSet<>();
        architecture
                .activations()
                .forEach(activation ->
                        ModularSeries.transcendental(activation.base()).ifPresent(transcendental::add));
        if (architecture.activations().stream().anyMatch(HiddenActivation::isPiecewiseLinear)
                && architecture.activations().stream().anyMatch(HiddenActivation::isTranscendental)) {
            return Optional.of("piecewise linear and transcendental layers occur together");
        }
        if (transcendental.size() > 1) {
            return Optional.of("it is unknown whether %s are algebraically independent"
                    .formatted(String.join(" and ", transcendental)));
        }
        return Optional.empty();
    }

    /**
     * Takes points until the bound meets the dimension that is known from below, or points enough have been tried.
     *
     * @param found fields that do preserve the outputs, flattened
     */
    static Completeness of(Architecture architecture, Subspace found, long seed) {
        Points points = new Points(architecture, seed);
        Map<Integer, Integer> pivots = new HashMap<>();
        for (int i = 0; i < found.dimension(); i++) {
            pivots.merge(found.pivot(i), 1, Integer::sum);
        }
        long bound = 0;
        for (Grading.Orbit orbit : Grading.of(architecture).orbits()) {
            Grading.Block block = orbit.first();
            int known = 0;
            for (int j = 0; j < block.size(); j++) {
                known += pivots.getOrDefault(block.unknown(j), 0);
            }
            bound += (long) orbit.count() * nullity(block, known, points);
        }
        return new Completeness(bound, points.rows.size(), seed);
    }

    private static int nullity(Grading.Block block, int known, Points points) {
        ModularRank rank = new ModularRank(block.size());
        int limit = 64 + MOST_POINTS_PER_UNKNOWN * block.size();
        for (int point = 0; point < limit && rank.rank() < block.size() - known; point++) {
            ExactRows rows = points.get(point);
            for (int i = 0; i < rows.count() && rank.rank() < block.size() - known; i++) {
                long[] row = new long[block.size()];
                for (int j = 0; j < row.length; j++) {
                    int unknown = block.unknown(j);
                    row[j] = rows.coefficient(i, unknown / points.stride, unknown % points.stride);
                }
                rank.add(row);
            }
        }
        return block.size() - rank.rank();
    }

    private static final class Points {
        private final ExactNetwork network;
        private final IntegerPoints integers;
        private final int inputs;
        private final int stride;
        private final List<ExactRows> rows = new ArrayList<>();

        Points(Architecture architecture, long seed) {
            this.network = new ExactNetwork(architecture);
            this.integers = new IntegerPoints(seed);
            this.inputs = architecture.inputs();
            this.stride = architecture.parameterCount() + 1;
        }

        ExactRows get(int index) {
            while (rows.size() <= index) {
                network.rows(integers.next(stride - 1), integers.next(inputs)).ifPresent(rows::add);
            }
            return rows.get(index);
        }
    }
}
