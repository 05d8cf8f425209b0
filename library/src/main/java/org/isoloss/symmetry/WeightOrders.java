package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.linalg.Assignment;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Orders of units, with signs, that bring weights nearer, by coordinate descent: of one set of equal units after the other the best
 * assignment for the weights that make them and that read them, until nothing changes (Ainsworth, Hayase and Srinivasa 2023).
 */
final class WeightOrders {
    private static final int SWEEPS = 100;

    private final GroupSearch found;
    private final WeightRows weights;
    private final Set<Map<Value, int[]>> odd = Collections.newSetFromMap(new IdentityHashMap<>());

    WeightOrders(GroupSearch found, WeightRows weights) {
        this.found = found;
        this.weights = weights;
        for (GroupFactor factor : found.factors()) {
            if (factor instanceof GroupFactor.Signs signs
                    && signs.pattern().values().stream().allMatch(sign -> sign < 0)) {
                odd.addAll(signs.channels());
            }
        }
    }

    /**
     * Orders and signs.
     *
     * @param orders for each place the unit of ours that goes there
     * @param turned the units whose sign changes; null where signs are still to be found
     */
    record Orders(
            Map<GroupFactor.Permutations, int[]> orders,
            @Nullable Set<Map<Value, int[]>> turned) {}

    /** Descends from some orders; sets of heads and other blocks of several channels stay as they are. */
    Orders refined(Map<GroupFactor.Permutations, int[]> begun) {
        Set<Map<Value, int[]>> turned = Collections.newSetFromMap(new IdentityHashMap<>());
        Map<GroupFactor.Permutations, int[]> orders = new LinkedHashMap<>(begun);
        boolean changes = true;
        for (int sweep = 0; sweep < SWEEPS && changes; sweep++) {
            changes = false;
            for (GroupFactor.Permutations units : begun.keySet()) {
                if (units.things().stream()
                        .allMatch(thing -> thing.values().stream().allMatch(own -> own.length == 1))) {
                    changes |= improve(units, orders, turned);
                }
            }
        }
        return new Orders(orders, turned);
    }

    private boolean improve(
            GroupFactor.Permutations units,
            Map<GroupFactor.Permutations, int[]> orders,
            Set<Map<Value, int[]>> turned) {
        Matrix gains = gains(units.things(), known(orders, turned));
        Matrix counted = gains.copy();
        int count = units.things().size();
        for (int i = 0; i < count; i++) {
            boolean isOdd = odd.contains(units.things().get(i));
            for (int j = 0; j < count && isOdd; j++) {
                counted.set(i, j, Math.abs(gains.get(i, j)));
            }
        }
        int[] order = Assignment.largest(counted);
        boolean changes = !Arrays.equals(order, orders.put(units, order));
        for (int place = 0; place < count; place++) {
            Map<Value, int[]> unit = units.things().get(order[place]);
            boolean isTurned = odd.contains(unit) && gains.get(order[place], place) < 0;
            changes |= isTurned ? turned.add(unit) : turned.remove(unit);
        }
        return changes;
    }

    /** The product of the weights of each unit of ours, a row, with those of each of theirs, a column. */
    private Matrix gains(List<? extends Map<Value, int[]>> things, Map<Value, Affine> known) {
        Matrix gains = Matrix.zeros(things.size(), things.size());
        for (Value value : things.getFirst().keySet()) {
            int[] units = things.stream()
                    .mapToInt(thing -> Objects.requireNonNull(thing.get(value))[0])
                    .toArray();
            for (WeightRows.Pair pair : weights.around(value, known)) {
                gains = gains.plus(Blas.gemm(
                        BlockMatch.columns(pair.ours(), units), true, BlockMatch.columns(pair.theirs(), units), false));
            }
        }
        return gains;
    }

    private Map<Value, Affine> known(Map<GroupFactor.Permutations, int[]> orders, Set<Map<Value, int[]>> turned) {
        Map<Value, Affine> known = new LinkedHashMap<>();
        Map<Value, double[]> signs = new LinkedHashMap<>();
        turned.forEach(unit -> unit.forEach((value, channels) -> signs.computeIfAbsent(value, _ -> {
            double[] ones = new double[width(value)];
            Arrays.fill(ones, 1);
            return ones;
        })[channels[0]] = -1));
        signs.forEach(
                (value, own) -> known.put(value, Affine.identity(own.length).scaled(own)));
        orders.forEach((units, order) -> units.sources(order, found.points())
                .forEach((value, sources) -> known.compute(
                        value, (_, map) -> (map == null ? Affine.identity(sources.length) : map).rows(sources))));
        return known;
    }

    private int width(Value value) {
        return Objects.requireNonNull(found.points().get(value)).width();
    }
}
