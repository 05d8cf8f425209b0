package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/**
 * Finds the families that a model has but for the epsilons of its norms: those of a copy without them that no exact family of the
 * model does. Their elements are applied to the model as it is.
 */
final class NearSearch {
    private static final double[] FACTORS = {1.1, 1.5, 2, 4};
    private static final int ELEMENTS = 3;
    /** A combination of directions of length 1 is new when this much of it leads out of the exact families. */
    private static final double NEW = 1e-5;

    private static final double SINGULAR = 1e-9;

    /** Entries that change by less than this share of the largest change stay. */
    private static final double STILL = 1e-9;

    private final SymmetrySearch exact;
    private final SymmetrySearch copy;
    private final long seed;

    private NearSearch(SymmetrySearch exact, SymmetrySearch copy, long seed) {
        this.exact = exact;
        this.copy = copy;
        this.seed = seed;
    }

    /**
     * Searches.
     *
     * @param exact what the model has
     * @param without the model without epsilons
     * @param samples inputs that count
     * @param seed of all draws
     * @param watcher is told what share of the work is done
     * @return the families, none where epsilons are in the way of none
     * @throws IllegalArgumentException when an output is not a number without them, as where a norm reads zeros
     */
    static List<NearFamily> of(
            SymmetrySearch exact,
            Model without,
            List<Map<String, double[]>> samples,
            long seed,
            DoubleConsumer watcher) {
        for (double[] numbers : without.computed(List.copyOf(without.outputs().values()), samples)) {
            if (Arrays.stream(numbers).anyMatch(number -> !Double.isFinite(number))) {
                throw new IllegalArgumentException(
                        "without the epsilons of its norms an output is not a number, as where a norm reads zeros: no families are near exact");
            }
        }
        Moving moving = Moving.at(without, exact.moving().within());
        var copy = new SymmetrySearch(moving, ValueCut.of(moving), samples, exact.few(), seed, watcher);
        return new NearSearch(exact, copy, seed).found();
    }

    private List<NearFamily> found() {
        List<NearFamily> near = new ArrayList<>();
        Matrix spanned = exact.spanned();
        for (SymmetrySearch.Listed listed : copy.exact()) {
            if (listed.found() != null) {
                FamilySearch.Found found = withoutExact(listed.found(), spanned);
                Matrix fields = copy.elements().fields(found);
                Matrix fresh = SymmetrySearch.beyond(spanned, fields);
                if (fresh.columns() > 0) {
                    spanned = FamilySearch.beside(spanned, fresh);
                    near.add(new NearFamily(
                            copy.words()
                                    .family(
                                            found,
                                            fields,
                                            fresh.columns(),
                                            listed.family().verified()),
                            reaches(found)));
                }
            }
        }
        return near;
    }

    /** The combinations of a family that lead out of a space, as near a change of size as those that do not allow. */
    private FamilySearch.Found withoutExact(FamilySearch.Found found, Matrix spanned) {
        Matrix directions = copy.space().directions().times(found.combinations());
        Matrix outside = directions.minus(spanned.times(spanned.transpose().times(directions)));
        Matrix known = new RowStack(outside.columns()).add(outside).kernel(NEW);
        Matrix fresh = SymmetrySpace.complement(known);
        if (known.columns() > 0 && fresh.columns() > 0 && !found.values().isEmpty()) {
            Matrix cost = cost(found);
            Matrix square = known.transpose().times(cost).times(known);
            Matrix cross = known.transpose().times(cost).times(fresh);
            fresh = fresh.minus(
                    known.times(LeastSquares.of(square, cross, SINGULAR).solution()));
        }
        return new FamilySearch.Found(found.combinations().times(fresh), 0, found.values());
    }

    /** What a map does beside multiplying by one number, as a change of the size of a stream does. */
    private static Matrix besideSize(Matrix map) {
        Matrix beside = map.copy();
        double mean = 0;
        for (int i = 0; i < map.rows(); i++) {
            mean += map.get(i, i) / map.rows();
        }
        for (int i = 0; i < map.rows(); i++) {
            beside.set(i, i, map.get(i, i) - mean);
        }
        return beside;
    }

    /** The sum of squares of what the maps of values do beside changes of size, as a form of the combinations of a family. */
    private Matrix cost(FamilySearch.Found found) {
        int count = found.combinations().columns();
        Matrix cost = Matrix.zeros(count, count);
        for (Value value : found.values()) {
            List<double[]> maps = copy.space().maps(value).combined(found.combinations()).whole().stream()
                    .map(map -> besideSize(map).entries())
                    .toList();
            Matrix rows = Matrix.zeros(count, maps.getFirst().length);
            for (int row = 0; row < count; row++) {
                System.arraycopy(maps.get(row), 0, rows.entries(), row * rows.columns(), rows.columns());
            }
            cost = cost.plus(rows.times(rows.transpose()));
        }
        return cost;
    }

    private List<NearFamily.Reach> reaches(FamilySearch.Found found) {
        List<NearFamily.Reach> reaches = new ArrayList<>();
        for (double factor : FACTORS) {
            double share = Math.log(factor) / FiniteElements.REACH;
            var worst = new NearFamily.Reach(factor, 0, -1);
            var random = new SplittableRandom(seed);
            int columns = found.combinations().columns();
            for (int element = 0; element < (columns == 1 ? 1 : ELEMENTS); element++) {
                double[] weights = new double[columns];
                Arrays.setAll(weights, _ -> columns == 1 ? 1 : random.nextGaussian());
                Matrix combination = found.combinations().times(Matrix.over(columns, 1, weights));
                for (double sign : new double[] {1, -1}) {
                    double[] parameters = copy.elements().element(found, combination, sign * share);
                    double change = exact.outputs().ofAll(parameters);
                    if (change > worst.change()) {
                        worst = new NearFamily.Reach(factor, distance(parameters), change);
                    }
                }
            }
            reaches.add(worst);
        }
        return reaches;
    }

    /** The norm of a change over that of the numbers that change, or of all where those are 0. */
    private double distance(double[] parameters) {
        double[] own = exact.moving().origin();
        double largest = 0;
        for (int i = 0; i < own.length; i++) {
            largest = Math.max(largest, Math.abs(parameters[i] - own[i]));
        }
        double changed = 0;
        double moved = 0;
        double all = 0;
        for (int i = 0; i < own.length; i++) {
            double change = parameters[i] - own[i];
            changed += change * change;
            moved += Math.abs(change) > STILL * largest ? own[i] * own[i] : 0;
            all += own[i] * own[i];
        }
        return Math.sqrt(changed / (moved > 0 ? moved : all));
    }
}
