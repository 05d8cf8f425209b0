package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed rule that says for each entry of a result which entry of a source it is: the coordinate along each source axis is
 * an affine function of the result's coordinates. So transpositions, slices, flips, padding, windows, diagonals and
 * repetition are one kind of thing.
 *
 * @param source the shape that is read
 * @param target the shape that is made
 * @param base for each source axis, its coordinate at the result's first entry
 * @param steps for each source axis, by how much it moves with each result axis
 */
record IndexMap(Dimensions source, Dimensions target, List<Integer> base, List<List<Integer>> steps) {
    IndexMap {
        base = List.copyOf(base);
        steps = steps.stream().map(List::copyOf).toList();
    }

    static IndexMap of(Dimensions source, Dimensions target, int[] base, int[][] steps) {
        return new IndexMap(
                source,
                target,
                Arrays.stream(base).boxed().toList(),
                Arrays.stream(steps)
                        .map(row -> Arrays.stream(row).boxed().toList())
                        .toList());
    }

    /** Axis a of the result is axis {@code order[a]} of the source. */
    static IndexMap transposed(Dimensions source, int... order) {
        int rank = source.rank();
        boolean[] seen = new boolean[rank];
        int[] sizes = new int[rank];
        int[][] steps = new int[rank][rank];
        for (int axis = 0; axis < order.length; axis++) {
            if (order.length != rank || order[axis] < 0 || order[axis] >= rank || seen[order[axis]]) {
                throw new IllegalArgumentException("the order of axes %s is no permutation of the %d axes of %s"
                        .formatted(Arrays.toString(order), rank, source));
            }
            seen[order[axis]] = true;
            sizes[axis] = source.size(order[axis]);
            steps[order[axis]][axis] = 1;
        }
        return of(source, Dimensions.of(sizes), new int[rank], steps);
    }

    /** Begins at {@code begin} along each axis and goes on by {@code step}; outside of the source lies the padding. */
    static IndexMap sliced(Dimensions source, int[] begin, int[] step, int[] sizes) {
        int rank = source.rank();
        int[][] steps = new int[rank][rank];
        for (int axis = 0; axis < rank; axis++) {
            steps[axis][axis] = step[axis];
        }
        return of(source, Dimensions.of(sizes), begin, steps);
    }

    /** Repeats sizes of 1 and missing axes, aligned at the last axis. */
    static IndexMap broadcast(Dimensions source, Dimensions target) {
        int shift = target.rank() - source.rank();
        int[][] steps = new int[source.rank()][target.rank()];
        for (int axis = 0; axis < source.rank(); axis++) {
            if (source.size(axis) == target.size(shift + axis)) {
                steps[axis][shift + axis] = 1;
            } else if (source.size(axis) != 1) {
                throw new IllegalArgumentException("shape %s is not stretched to %s".formatted(source, target));
            }
        }
        return of(source, target, new int[source.rank()], steps);
    }

    /**
     * Windows over the last axes: of a source (..., n...) the result is (..., window..., places...).
     *
     * @param before how far the first window begins before the source
     */
    static IndexMap windows(Dimensions source, int[] window, int[] stride, int[] dilation, int[] before, int[] places) {
        int spatial = window.length;
        int lead = source.rank() - spatial;
        int rank = lead + 2 * spatial;
        int[] sizes = new int[rank];
        int[] base = new int[source.rank()];
        int[][] steps = new int[source.rank()][rank];
        for (int axis = 0; axis < lead; axis++) {
            sizes[axis] = source.size(axis);
            steps[axis][axis] = 1;
        }
        for (int axis = 0; axis < spatial; axis++) {
            sizes[lead + axis] = window[axis];
            sizes[lead + spatial + axis] = places[axis];
            base[lead + axis] = -before[axis];
            steps[lead + axis][lead + axis] = dilation[axis];
            steps[lead + axis][lead + spatial + axis] = stride[axis];
        }
        return of(source, Dimensions.of(sizes), base, steps);
    }

    /** The same map for every member of a batch, along a first axis of both. */
    IndexMap repeated(int count) {
        List<Integer> bases = new ArrayList<>(List.of(0));
        bases.addAll(base);
        List<List<Integer>> rows = new ArrayList<>();
        List<Integer> first = new ArrayList<>(Collections.nCopies(target.rank() + 1, 0));
        first.set(0, 1);
        rows.add(first);
        for (List<Integer> row : steps) {
            List<Integer> wider = new ArrayList<>(List.of(0));
            wider.addAll(row);
            rows.add(wider);
        }
        return new IndexMap(source.preceded(count), target.preceded(count), bases, rows);
    }

    boolean isIdentity() {
        return equals(broadcast(source, source)) && source.equals(target);
    }

    /** Where an entry of the result lies in the source, row-major; -1 outside. */
    int sourceIndex(int[] coordinates) {
        int index = 0;
        for (int axis = 0; axis < source.rank(); axis++) {
            int at = base.get(axis);
            for (int along = 0; along < coordinates.length; along++) {
                at += steps.get(axis).get(along) * coordinates[along];
            }
            if (at < 0 || at >= source.size(axis)) {
                return -1;
            }
            index = index * source.size(axis) + at;
        }
        return index;
    }

    /** Where each entry of the result lies in the source, row-major; -1 outside. */
    int[] table() {
        int[] table = new int[target.count()];
        int[] coordinates = new int[target.rank()];
        for (int i = 0; i < table.length; i++) {
            table[i] = sourceIndex(coordinates);
            for (int axis = target.rank() - 1; axis >= 0 && ++coordinates[axis] == target.size(axis); axis--) {
                coordinates[axis] = 0;
            }
        }
        return table;
    }

    /** The same map with neighbouring axes joined where they go together, so that loops are long. */
    IndexMap joined() {
        for (int axis = 0; axis + 1 < target.rank(); axis++) {
            IndexMap joined = join(axis);
            if (joined != null) {
                return joined.joined();
            }
        }
        return this;
    }

    /** Joins the axes {@code axis} and {@code axis + 1} of the result, which walk two whole axes of the source. */
    private @Nullable IndexMap join(int axis) {
        int upper = only(axis);
        int lower = only(axis + 1);
        if (upper < 0
                || lower != upper + 1
                || target.size(axis) != source.size(upper)
                || target.size(axis + 1) != source.size(lower)) {
            return null;
        }
        List<Integer> sourceSizes = new ArrayList<>(source.sizes());
        sourceSizes.set(upper, sourceSizes.get(upper) * source.size(lower));
        drop(sourceSizes, lower);
        List<Integer> targetSizes = new ArrayList<>(target.sizes());
        targetSizes.set(axis, targetSizes.get(axis) * target.size(axis + 1));
        drop(targetSizes, axis + 1);
        List<Integer> bases = new ArrayList<>(base);
        drop(bases, lower);
        List<List<Integer>> rows = new ArrayList<>();
        for (int row = 0; row < source.rank(); row++) {
            if (row != lower) {
                List<Integer> kept = new ArrayList<>(steps.get(row));
                drop(kept, axis + 1);
                rows.add(kept);
            }
        }
        return new IndexMap(new Dimensions(sourceSizes), new Dimensions(targetSizes), bases, rows);
    }

    private static void drop(List<Integer> numbers, int index) {
        numbers.subList(index, index + 1).clear();
    }

    /** The source axis that a result axis walks from 0 by ones, if it does nothing else and nothing else walks it; or -1. */
    int only(int along) {
        int found = -1;
        for (int row = 0; row < source.rank(); row++) {
            if (steps.get(row).get(along) != 0) {
                boolean alone =
                        steps.get(row).stream().filter(step -> step != 0).count() == 1;
                if (found >= 0 || !alone || steps.get(row).get(along) != 1 || base.get(row) != 0) {
                    return -1;
                }
                found = row;
            }
        }
        return found;
    }
}
