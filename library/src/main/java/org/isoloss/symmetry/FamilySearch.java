package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * Sorts the symmetries of a model into families: first those that move no value as far as outputs see, by tensor, then those that
 * move as few values as possible: one value between two uses of parameters, two that meet in a part without parameters, all that
 * meet there, those of two such parts, and at last all.
 */
final class FamilySearch {
    private static final double ZERO = 1e-7;

    private final SymmetrySpace space;
    private final ValueCut cut;
    private final Moving moving;
    private final List<Matrix> motions = new ArrayList<>();
    private final List<Found> families = new ArrayList<>();
    private Matrix spanned;

    /**
     * A family.
     *
     * @param combinations of the directions of the symmetry space, one a column, as many as it adds to those before
     * @param shared how many directions it has beside these, which others before it have too
     * @param values that it moves; none where no output sees a motion
     */
    record Found(Matrix combinations, int shared, Set<Value> values) {}

    FamilySearch(SymmetrySpace space, ValueCut cut, Moving moving) {
        this.space = space;
        this.cut = cut;
        this.moving = moving;
        this.spanned = Matrix.zeros(space.directions().columns(), 0);
    }

    /** Finds all families; together they have every direction once. */
    List<Found> families() {
        int directions = space.directions().columns();
        if (directions == 0) {
            return List.of();
        }
        for (int point = 0; point < space.points().size(); point++) {
            motions.add(RowStack.condensed(SymmetrySpace.columns(space.fits(), point, SeenPoint.Fit::motion)));
        }
        Matrix still = within(Set.of(), Matrix.identity(directions));
        addStill(still);
        Set<Value> all = cut.channels().keySet();
        Map<Value, Set<Value>> spaces = new LinkedHashMap<>();
        all.forEach(value -> spaces.computeIfAbsent(cut.space(value), _ -> new LinkedHashSet<>())
                .add(value));
        spaces.values().forEach(this::add);
        for (Set<Value> link : cut.links()) {
            addLink(link, spaces.values());
        }
        for (Set<Value> left : cut.links()) {
            for (Set<Value> right : cut.links()) {
                Set<Value> both = new LinkedHashSet<>(left);
                both.addAll(right);
                add(both);
            }
        }
        add(all);
        return families;
    }

    /** Pairs of spaces that meet, then all that meet. */
    private void addLink(Set<Value> link, Collection<Set<Value>> spaces) {
        List<Set<Value>> own = spaces.stream().filter(link::containsAll).toList();
        Matrix inLink = within(link, Matrix.identity(space.directions().columns()));
        for (int i = 0; i < own.size(); i++) {
            for (int j = i + 1; j < own.size(); j++) {
                Set<Value> pair = new LinkedHashSet<>(own.get(i));
                pair.addAll(own.get(j));
                add(pair, inLink);
            }
        }
        add(link, inLink);
    }

    /** The combinations, of some, that move no other values. */
    private Matrix within(Set<Value> values, Matrix of) {
        RowStack outside = new RowStack(of.columns());
        for (int point = 0; point < motions.size(); point++) {
            if (!values.contains(space.points().get(point).value())) {
                outside.add(motions.get(point).times(of));
            }
        }
        return of.times(outside.kernel(ZERO));
    }

    private void add(Set<Value> values) {
        add(values, Matrix.identity(space.directions().columns()));
    }

    private void add(Set<Value> values, Matrix of) {
        Matrix found = fresh(within(values, of));
        if (found.columns() > 0) {
            families.add(new Found(plainest(found, values), 0, values));
        }
    }

    /** Takes off what families that move no other values can do, so that the maps are as near the identity as they can be. */
    private Matrix plainest(Matrix found, Set<Value> values) {
        Matrix known = Matrix.zeros(found.rows(), 0);
        for (Found family : families) {
            if (!family.values().isEmpty() && values.containsAll(family.values())) {
                known = beside(known, family.combinations());
            }
        }
        if (known.columns() == 0) {
            return found;
        }
        Matrix cost = cost(values);
        Matrix square = known.transpose().times(cost).times(known);
        Matrix cross = known.transpose().times(cost).times(found);
        return found.minus(known.times(LeastSquares.of(square, cross, 1e-9).solution()));
    }

    /** The sum of squares of the maps of values, as a form of the combinations. */
    private Matrix cost(Set<Value> values) {
        int directions = space.directions().columns();
        Matrix cost = Matrix.zeros(directions, directions);
        for (Value value : values) {
            cost = cost.plus(space.maps(value).products());
        }
        return cost;
    }

    /** The columns of one matrix, then those of another. */
    static Matrix beside(Matrix left, Matrix right) {
        Matrix both = Matrix.zeros(left.rows(), left.columns() + right.columns());
        for (int i = 0; i < both.rows(); i++) {
            for (int j = 0; j < both.columns(); j++) {
                both.set(i, j, j < left.columns() ? left.get(i, j) : right.get(i, j - left.columns()));
            }
        }
        return both;
    }

    /** Chooses among some combinations as many as lead out of what the families before span, orthonormal columns. */
    private Matrix fresh(Matrix combinations) {
        if (combinations.columns() == 0) {
            return combinations;
        }
        Matrix outside = combinations.minus(spanned.times(spanned.transpose().times(combinations)));
        Matrix chosen = combinations.times(chosen(outside));
        Matrix both = beside(spanned, chosen);
        spanned = SymmetrySpace.complement(
                new RowStack(both.rows()).add(both.transpose()).kernel(ZERO));
        return chosen;
    }

    /** Orthonormal combinations of columns whose results are not zero. */
    private static Matrix chosen(Matrix columns) {
        return SymmetrySpace.complement(
                new RowStack(columns.columns()).add(columns).kernel(ZERO));
    }

    /** Sorts what moves nothing by tensor, by the weight and the shift of one use, and the rest as one. */
    private void addStill(Matrix still) {
        if (still.columns() == 0) {
            return;
        }
        Matrix fields = space.directions().times(still);
        Map<String, Set<Integer>> places = new LinkedHashMap<>();
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            Set<Integer> own = new TreeSet<>();
            for (int i = 0; i < entry.getValue().length; i++) {
                own.add(at++);
            }
            places.put(entry.getKey(), own);
        }
        places.values().forEach(own -> addStill(still, fields, own));
        for (ParameterUse use : cut.uses()) {
            Set<Value> weights = new LinkedHashSet<>(Set.of(use.weight()));
            cut.uses().stream()
                    .filter(other -> other.data().contains(use.result()))
                    .forEach(other -> weights.add(other.weight()));
            Set<Integer> own = new TreeSet<>();
            moving.reaching(weights).places().keySet().forEach(name -> own.addAll(places.get(name)));
            addStill(still, fields, own);
        }
        Set<Integer> all = new TreeSet<>();
        places.values().forEach(all::addAll);
        addStill(still, fields, all);
    }

    private void addStill(Matrix still, Matrix fields, Set<Integer> places) {
        Matrix outside = fields.copy();
        for (int place : places) {
            for (int column = 0; column < fields.columns(); column++) {
                outside.set(place, column, 0);
            }
        }
        Matrix inside = new RowStack(fields.columns()).add(outside).kernel(ZERO);
        Matrix found = fresh(still.times(inside));
        if (found.columns() > 0) {
            families.add(new Found(found, inside.columns() - found.columns(), Set.of()));
        }
    }
}
