package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.isoloss.affine.CertificateContent.Place;
import org.isoloss.affine.CertificateContent.UpperBound;

/**
 * Computes again the upper bound for a network that is written out: directions without effect are split off, one parameter
 * for each is fixed at 0 ({@link Translations} says why nothing is lost), and the rank of the equations of the others is found
 * modulo a prime.
 */
final class CertifiedCircuitBound {
    private static final double MOST_WORK = 3e11;
    private static final int POINTS = 64;
    private static final int POINTS_PER_UNKNOWN = 4;

    private final CertificateContent content;
    private final CertifiedCircuit circuit;
    private final UpperBound claim;
    private final Set<Integer> fixed;
    private final IntegerStream integers;
    private final List<long[][]> points = new ArrayList<>(); // parameter, output and order
    private final List<long[]> thetas = new ArrayList<>();
    private final int length;
    private int drawn;

    private CertifiedCircuitBound(CertificateContent content, CertifiedCircuit circuit, UpperBound claim) {
        this.content = content;
        this.circuit = circuit;
        this.claim = claim;
        this.fixed = new HashSet<>(claim.fixed());
        this.integers = new IntegerStream(claim.seed());
        this.length = CertifiedSeries.length(circuit);
    }

    static long of(CertificateContent content, CertifiedCircuit circuit, UpperBound claim) {
        return new CertifiedCircuitBound(content, circuit, claim).bound();
    }

    /** Why there is no exact bound for a network, or nothing. */
    static Optional<String> obstacle(CertifiedCircuit circuit) {
        return circuit.has("softplus") && circuit.has("erf")
                ? Optional.of(
                        "softplus has log 2 in its Taylor coefficients and erf the root of pi, of which it is unknown"
                                + " whether they are algebraically independent")
                : Optional.empty();
    }

    private long bound() {
        requireTranslations();
        CertifiedWeights weights = new CertifiedWeights(circuit, fixed);
        claim.scalings().forEach(scaling -> weights.add(scaling, false));
        for (Set<Integer> sign : claim.signs()) {
            Map<Integer, Long> ones = new HashMap<>();
            sign.forEach(variable -> ones.put(variable, 1L));
            weights.add(ones, true);
        }
        List<List<int[]>> blocks = weights.blocks();
        int largest = blocks.stream().mapToInt(List::size).max().orElse(0);
        int enough = POINTS + POINTS_PER_UNKNOWN * largest;
        if (claim.points() > enough) {
            throw new IllegalArgumentException(
                    "points of upper_bound is %d, expected at most %d, %d for each unknown and %d"
                            .formatted(claim.points(), enough, POINTS_PER_UNKNOWN, POINTS));
        }
        double parameters = content.parameterCount();
        double cubes =
                blocks.stream().mapToDouble(block -> Math.pow(block.size(), 3)).sum();
        double work = cubes + claim.points() * (double) circuit.gates.size() * parameters * length * length;
        if (work > MOST_WORK) {
            throw new IllegalArgumentException(
                    "the bound of this network takes about %.0e steps, too many to be checked".formatted(work));
        }
        long bound = fixed.size();
        for (List<int[]> block : blocks) {
            bound += nullity(block);
        }
        return bound;
    }

    /** The fields that are constant must be as many as are fixed, and move what is fixed in every way. */
    private void requireTranslations() {
        int p = content.parameterCount();
        List<NavigableMap<Integer, Fraction>> rows = new ArrayList<>();
        for (Map<Place, Fraction> field : content.fields) { // what is not constant first
            NavigableMap<Integer, Fraction> row = new TreeMap<>();
            field.forEach((place, value) ->
                    row.put(place.column() == p ? p * p + place.row() : place.row() * p + place.column(), value));
            rows.add(row);
        }
        int constants = 0;
        List<Map<Integer, Fraction>> shadows = new ArrayList<>();
        for (NavigableMap<Integer, Fraction> row : CertificateVerifier.reduced(rows)) {
            if (row.firstKey() >= p * p) {
                constants++;
                Map<Integer, Fraction> shadow = new HashMap<>(row);
                shadow.keySet().removeIf(place -> !fixed.contains(place - p * p));
                shadows.add(shadow);
            }
        }
        if (constants != fixed.size() || CertificateVerifier.rank(shadows) != fixed.size()) {
            throw new IllegalArgumentException(
                    "fixed of upper_bound names %d parameters, expected one for each of %d constant fields, which move them"
                            .formatted(fixed.size(), constants));
        }
    }

    private int nullity(List<int[]> block) {
        PrimeElimination elimination = new PrimeElimination(block.size());
        for (int index = 0; index < claim.points() && elimination.rank() < block.size() && reaches(index); index++) {
            long[][] derivatives = points.get(index);
            for (int row = 0; row < circuit.outputs.size() * length && elimination.rank() < block.size(); row++) {
                long[] coefficients = new long[block.size()];
                boolean empty = true;
                for (int j = 0; j < coefficients.length; j++) {
                    coefficients[j] = coefficient(derivatives, thetas.get(index), row, block.get(j));
                    empty &= coefficients[j] == 0;
                }
                if (!empty) {
                    elimination.add(coefficients);
                }
            }
        }
        return block.size() - elimination.rank();
    }

    private long coefficient(long[][] derivatives, long[] theta, int row, int[] unknown) {
        long[] series = derivatives[unknown[0]];
        if (unknown[1] == theta.length) {
            return series[row];
        }
        if (length == 1) {
            return series[row] * theta[unknown[1]] % PrimeElimination.PRIME;
        }
        return row % length == 0 ? 0 : series[row - 1] * theta[unknown[1]] % PrimeElimination.PRIME;
    }

    private boolean reaches(int index) {
        int limit = 100 + 10 * claim.points();
        int p = content.parameterCount();
        while (points.size() <= index && drawn < limit) {
            int[] kept = integers.next(p - fixed.size());
            int[] theta = new int[p];
            long[] residues = new long[p];
            int next = 0;
            for (int a = 0; a < p; a++) {
                theta[a] = fixed.contains(a) ? 0 : kept[next++];
                residues[a] = Math.floorMod((long) theta[a], PrimeElimination.PRIME);
            }
            int[] input = integers.next(circuit.inputs);
            drawn++;
            CertifiedSeries.at(circuit, fixed, theta, input).ifPresent(series -> {
                long[][] derivatives = new long[p][];
                for (int a = 0; a < p; a++) {
                    derivatives[a] = fixed.contains(a) ? new long[0] : series.in(a);
                }
                points.add(derivatives);
                thetas.add(residues);
            });
        }
        return index < points.size();
    }
}
