package org.isoloss.network;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.linalg.Svd;

/**
 * Picks k compensating units for k inputs by QR with column pivoting of the transposed features (section
 * {@code sec:small-subnetworks-sufficient} of the paper). Where the units that it picks are too dependent, it tries again
 * without the strongest units, then exchanges one unit at a time for as long as that lowers the condition number.
 */
public final class CompensatorChoice {
    /** Exchanges take k (units - k) decompositions a round; beyond this many they are left out. */
    private static final int MOST_EXCHANGES = 4096;

    private CompensatorChoice() {}

    /**
     * Picks the compensating units.
     *
     * @param features of every unit of the layer on the protected inputs, one unit a row, shape (H, k), finite; not modified
     * @param candidates the units to pick from, at least k, all different, from 0; not modified
     * @param where how a message begins: what was to be compensated
     * @return k units, in the order in which they were picked
     * @throws IllegalArgumentException when no choice is found whose features have condition number at most
     *     {@link CompensatorFeatures#LARGEST_CONDITION}; the message has the singular values of the best one, and the most
     *     inputs that can be protected
     */
    public static int[] of(Matrix features, int[] candidates, String where) {
        int inputs = features.columns();
        if (candidates.length < inputs) {
            throw new IllegalArgumentException(
                    "%s: %d inputs need %d compensating units, but there are only %d to choose from; name more units or protect at most %d inputs"
                            .formatted(where, inputs, inputs, candidates.length, candidates.length));
        }
        Pick pick = best(rows(features, candidates));
        if (pick.allowed()) {
            return Arrays.stream(pick.rows).map(row -> candidates[row]).toArray();
        }
        throw new IllegalArgumentException("%s; %s"
                .formatted(CompensatorFeatures.refusal(pick.singularValues, where), advice(features, candidates)));
    }

    /** The rows that were picked with the singular values of their features. */
    private static final class Pick {
        private final int[] rows;
        private final double[] singularValues;
        private final double condition;

        private Pick(Matrix features, int... rows) {
            this.rows = rows;
            this.singularValues = Svd.valuesOf(rows(features, rows));
            this.condition = CompensatorFeatures.condition(singularValues);
        }

        boolean allowed() {
            return condition <= CompensatorFeatures.LARGEST_CONDITION;
        }

        Pick orBetter(Pick other) {
            return other.condition < condition ? other : this;
        }
    }

    private static Pick best(Matrix features) {
        Pick pick = new Pick(
                features, pivots(features, IntStream.range(0, features.rows()).toArray()));
        if (!pick.allowed()) {
            pick = withoutStrongestUnits(features, pick);
        }
        boolean lowered = features.columns() * (features.rows() - features.columns()) <= MOST_EXCHANGES;
        while (!pick.allowed() && lowered) {
            Pick next = afterBestExchange(features, pick);
            lowered = next.condition < pick.condition;
            pick = next;
        }
        return pick;
    }

    private static int[] pivots(Matrix features, int[] rows) {
        int[] pivots = PivotedQr.of(rows(features, rows).transpose()).pivots();
        return Arrays.stream(pivots, 0, features.columns()).map(i -> rows[i]).toArray();
    }

    /**
     * Pivots among ever fewer units, the strongest left out: the largest singular value is at least the norm of the
     * strongest unit taken, so one that is active a thousand times as strongly as the others spoils the condition.
     */
    private static Pick withoutStrongestUnits(Matrix features, Pick pick) {
        int[] byNorm = IntStream.range(0, features.rows())
                .boxed()
                .sorted(Comparator.comparingDouble(
                        unit -> features.rows(unit, unit + 1).frobeniusNorm()))
                .mapToInt(Integer::intValue)
                .toArray();
        Pick best = pick;
        for (int count = byNorm.length - 1; count >= features.columns(); count--) {
            best = best.orBetter(new Pick(features, pivots(features, Arrays.copyOf(byNorm, count))));
        }
        return best;
    }

    private static Pick afterBestExchange(Matrix features, Pick pick) {
        Pick best = pick;
        for (int other = 0; other < features.rows(); other++) {
            int candidate = other;
            if (Arrays.stream(pick.rows).anyMatch(row -> row == candidate)) {
                continue;
            }
            for (int place = 0; place < pick.rows.length; place++) {
                int[] exchanged = pick.rows.clone();
                exchanged[place] = other;
                best = best.orBetter(new Pick(features, exchanged));
            }
        }
        return best;
    }

    /** Names the most inputs that can be protected: those that pivoting finds farthest from one another. */
    private static String advice(Matrix features, int[] candidates) {
        Matrix rows = rows(features, candidates);
        int[] order = PivotedQr.of(rows).pivots();
        for (int count = features.columns() - 1; count > 0; count--) {
            int[] kept = Arrays.stream(order, 0, count).sorted().toArray();
            if (best(rows(rows.transpose(), kept).transpose()).allowed()) {
                return "at most %d of these inputs can be protected here, such as %s (counted from 0)"
                        .formatted(
                                count,
                                IntStream.of(kept).mapToObj(Integer::toString).collect(Collectors.joining(", ")));
            }
        }
        return "not even one of these inputs can be protected here: no unit is active on any";
    }

    private static Matrix rows(Matrix matrix, int... rows) {
        Matrix chosen = Matrix.zeros(rows.length, matrix.columns());
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(matrix.row(rows[i]), 0, chosen.entries(), i * matrix.columns(), matrix.columns());
        }
        return chosen;
    }
}
