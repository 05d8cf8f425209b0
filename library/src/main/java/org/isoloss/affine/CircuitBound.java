package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitSeries;
import org.isoloss.exact.ModularRank;
import org.isoloss.exact.Subspace;

/** The upper bound of {@link Completeness} for a circuit. */
final class CircuitBound {
    /** Points in a row that may add nothing to a rank before it is taken for all there is. */
    private static final int IDLE = 16;

    private static final int MOST_SKIPPED = 400;

    private final CircuitSeries series;
    private final IntegerPoints integers;
    private final Circuit circuit;
    private final List<ExactRows> points = new ArrayList<>();
    private int skipped;

    private CircuitBound(Circuit circuit, long seed) {
        this.circuit = circuit;
        this.series = new CircuitSeries(circuit);
        this.integers = new IntegerPoints(seed);
    }

    /**
     * Takes points until the bound meets the dimension that is known from below, or more points add nothing.
     *
     * @param found fields that do preserve the outputs, flattened
     * @throws UnsupportedOperationException where no point can be used, with the reason
     */
    static Completeness of(Circuit circuit, UnknownBlocks blocks, Subspace found, long seed) {
        CircuitBound bound = new CircuitBound(circuit, seed);
        Map<Integer, Integer> pivots = new HashMap<>();
        for (int i = 0; i < found.dimension(); i++) {
            pivots.merge(found.pivot(i), 1, Integer::sum);
        }
        long total = 0;
        for (Grading.Orbit orbit : blocks.orbits()) {
            int known = 0;
            for (int j = 0; j < orbit.first().size(); j++) {
                known += pivots.getOrDefault(orbit.first().unknown(j), 0);
            }
            total += bound.nullity(orbit.first(), known);
        }
        return new Completeness(total, bound.points.size(), seed);
    }

    private int nullity(Grading.Block block, int known) {
        ModularRank rank = new ModularRank(block.size());
        int stride = circuit.parameterCount() + 1;
        int idle = 0;
        for (int index = 0; idle < IDLE && rank.rank() < block.size() - known && reaches(index); index++) {
            ExactRows rows = points.get(index);
            int before = rank.rank();
            for (int i = 0; i < rows.count() && rank.rank() < block.size() - known; i++) {
                long[] row = new long[block.size()];
                boolean empty = true;
                for (int j = 0; j < row.length; j++) {
                    int unknown = block.unknown(j);
                    row[j] = rows.coefficient(i, unknown / stride, unknown % stride);
                    empty &= row[j] == 0;
                }
                if (!empty) {
                    rank.add(row);
                }
            }
            idle = rank.rank() == before ? idle + 1 : 0;
        }
        return block.size() - rank.rank();
    }

    /** Draws points up to this one; false where hardly any lies off the kinks. */
    private boolean reaches(int index) {
        while (points.size() <= index && skipped < MOST_SKIPPED) {
            int[] theta = integers.next(circuit.parameterCount());
            Optional<long[][][]> derivatives = series.derivatives(theta, integers.next(circuit.inputs()));
            if (derivatives.isEmpty()) {
                skipped++;
                continue;
            }
            long[] residues = Arrays.stream(theta)
                    .mapToLong(number -> Math.floorMod((long) number, ModularRank.PRIME))
                    .toArray();
            points.add(new ExactRows(
                    residues,
                    series.length(),
                    Arrays.stream(derivatives.get()).map(List::of).toList()));
        }
        if (points.isEmpty()) {
            throw new UnsupportedOperationException(
                    "at no point tried is it known on which side of its kink every unit lies");
        }
        return index < points.size();
    }
}
