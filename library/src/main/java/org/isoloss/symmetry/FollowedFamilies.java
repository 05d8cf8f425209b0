package org.isoloss.symmetry;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * Families that are no maps of values, or have no closed form: directions of few tensors that change nothing, here and wherever
 * these tensors are, the others held. Their elements go straight on, or are followed step by step. What holds here alone, such as
 * for a unit that no input makes active, is kept where it goes on for ever on one side.
 */
final class FollowedFamilies {
    private static final double ZERO = 1e-7;
    /** The weight of changes that outputs see a little, which are known less well than others. */
    private static final double FAINT = 1e-4;

    private static final int ELEMENTS = 4;
    private static final int MOST_PARAMETERS = 500;

    private final SymmetrySpace space;
    private final ValueCut cut;
    private final Moving moving;
    private final FollowedElements elements;
    private final OutputChange outputs;
    private final KinkCone cone;
    private final Map<String, Set<Integer>> places = new LinkedHashMap<>();
    private final SequencedMap<SymmetryFamily, Matrix> families = new LinkedHashMap<>();
    private final Set<Set<String>> tried = new HashSet<>();
    private Matrix spanned;

    /**
     * Prepares a search.
     *
     * @param space the directions
     * @param cut the values between the uses of parameters
     * @param moving all parameters
     * @param samples inputs on which outputs are kept
     * @param outputs tells whether an element is exact
     */
    FollowedFamilies(
            SymmetrySpace space,
            ValueCut cut,
            Moving moving,
            List<Map<String, double[]>> samples,
            OutputChange outputs) {
        this.space = space;
        this.cut = cut;
        this.moving = moving;
        this.elements = new FollowedElements(moving, samples);
        this.outputs = outputs;
        this.cone = new KinkCone(moving, samples);
        this.spanned = Matrix.zeros(moving.count(), 0);
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            Set<Integer> own = new TreeSet<>();
            for (int i = 0; i < entry.getValue().length; i++) {
                own.add(at++);
            }
            places.put(entry.getKey(), own);
        }
    }

    /**
     * Finds what the families before do not span.
     *
     * @param known orthonormal columns that these span
     * @param seed of the elements
     * @return each with the directions in which it was followed, orthonormal columns
     */
    SequencedMap<SymmetryFamily, Matrix> found(Matrix known, long seed) {
        spanned = known;
        var random = new SplittableRandom(seed);
        for (Set<String> tensors : sets()) {
            if (spanned.columns() == space.nullity()) {
                break; // no direction can be fresh any more
            }
            add(tensors, random);
        }
        return families;
    }

    /** What all families span together, orthonormal columns. */
    Matrix spanned() {
        return spanned;
    }

    /** Single tensors, pairs, those about one part, about two; of large models nothing, as that would take long. */
    private Set<Set<String>> sets() {
        List<String> names = List.copyOf(places.keySet());
        Set<Set<String>> sets = new LinkedHashSet<>();
        if (moving.count() > MOST_PARAMETERS) {
            return sets;
        }
        names.forEach(name -> sets.add(Set.of(name)));
        for (String one : names) {
            names.forEach(other -> {
                if (!other.equals(one)) {
                    sets.add(Set.of(one, other));
                }
            });
        }
        List<Set<String>> links = cut.links().stream().map(this::about).toList();
        sets.addAll(links);
        for (Set<String> left : links) {
            for (Set<String> right : links) {
                Set<String> both = new TreeSet<>(left);
                both.addAll(right);
                sets.add(both);
            }
        }
        return sets;
    }

    /** The tensors that write or read some values. */
    private Set<String> about(Set<Value> values) {
        Set<Value> weights = new LinkedHashSet<>();
        Set<Value> written = new HashSet<>(values);
        for (ParameterUse use : cut.uses()) {
            if (values.contains(use.result())) {
                use.data().stream().filter(cut.inner()::contains).forEach(written::add);
            }
        }
        for (ParameterUse use : cut.uses()) {
            if (written.contains(use.result()) || use.data().stream().anyMatch(values::contains)) {
                weights.add(use.weight());
            }
        }
        Set<String> tensors = new TreeSet<>(moving.reaching(weights).places().keySet());
        tensors.retainAll(places.keySet());
        return tensors;
    }

    private int[] places(Collection<String> tensors) {
        return tensors.stream()
                .flatMap(name -> places.getOrDefault(name, Set.of()).stream())
                .sorted()
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private void add(Set<String> tensors, SplittableRandom random) {
        Matrix all = space.still();
        Matrix outside = all.copy();
        for (int place : places(tensors)) {
            for (int column = 0; column < all.columns(); column++) {
                outside.set(place, column, 0);
            }
        }
        Matrix seen = space.faint().transpose().times(all).scaled(FAINT);
        Matrix inside =
                all.times(new RowStack(all.columns()).add(outside).add(seen).kernel(ZERO));
        Matrix fresh = SymmetrySearch.beyond(spanned, inside);
        if (fresh.columns() == 0) {
            return;
        }
        List<String> moved = FamilyWords.tensors(moving, inside);
        int[] own = places(moved);
        if (!tried.add(Set.copyOf(moved))) {
            return;
        }
        Matrix directions = inside.times(gaussian(inside.columns(), random));
        String kind = "translations";
        double verified = Double.POSITIVE_INFINITY;
        if (elements.areAnywhere(own, inside.columns(), random)) {
            verified = verified(directions, elements::straight);
            if (verified > Symmetries.EXACT) {
                kind = "curves";
                verified = verified(directions, direction -> elements.drawn(own, direction));
            }
        }
        if (verified > Symmetries.EXACT) {
            kind = "on one side";
            Matrix rays = cone.drawn(inside, ELEMENTS, random);
            verified = rays == null
                    ? Double.POSITIVE_INFINITY
                    : verified(rays, direction -> elements.drawn(own, direction));
        }
        if (verified > Symmetries.EXACT) {
            return;
        }
        SymmetryFamily family = new SymmetryFamily(
                kind,
                FamilyWords.layer(moved),
                GroupName.power(kind.equals("on one side") ? "(R>=0)" : "R", inside.columns()),
                inside.columns(),
                fresh.columns(),
                "",
                moved,
                verified,
                FamilyWords.conserved(kind));
        families.put(family, inside);
        spanned = FamilySearch.beside(spanned, fresh);
    }

    /** Combinations at random, and the opposite of each. */
    private static Matrix gaussian(int rows, SplittableRandom random) {
        Matrix gaussian = Matrix.zeros(rows, ELEMENTS);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < ELEMENTS; column += 2) {
                double weight = random.nextGaussian();
                gaussian.set(row, column, weight);
                gaussian.set(row, column + 1, -weight);
            }
        }
        return gaussian;
    }

    /** The largest change of an output by elements along some directions; infinite where one cannot be reached. */
    private double verified(Matrix directions, UnaryOperator<double[]> element) {
        double verified = 0;
        for (int column = 0; column < directions.columns() && verified <= Symmetries.EXACT; column++) {
            double[] drawn = element.apply(directions.column(column));
            verified = outputs.isMoved(drawn) ? Math.max(verified, outputs.of(drawn)) : Double.POSITIVE_INFINITY;
        }
        return verified;
    }
}
