package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Values that are computed a tile at a time, one after the other while the tile is in the cache. Tiles are cut along leading
 * axes of the first value; each other value has every one of these axes too, wherever it lies there.
 */
final class TiledGroup {
    /** Entries that the largest value of a tile should have: few enough for all to stay in the cache. */
    private static final int LARGEST_PART = 1 << 15;

    /** Computed entries from which cutting is worth it. */
    private static final long LEAST = 1 << 19;

    /** An axis that is no loop, and one of which nothing is known yet. */
    private static final int NONE = -1;

    private static final int OPEN = -2;

    private final int[] sizes;
    private final Map<Value, int[]> labels = new LinkedHashMap<>();
    private int alive;

    /** Begins with a value: each of its axes is a loop, until a value is added that needs it whole. */
    TiledGroup(Value first, AxisTracks tracks) {
        sizes = first.shape().toArray();
        int[] own = new int[sizes.length];
        Arrays.setAll(own, axis -> sizes[axis] > 1 ? axis : NONE);
        labels.put(first, own);
        alive = 0;
        while (alive < sizes.length && (tracks.follows(alive) || sizes[alive] == 1)) {
            alive++;
        }
    }

    /** Adds a value that reads one of these, if tiles of it are made of tiles. */
    boolean join(Value value, AxisTracks tracks) {
        int[] own = new int[value.shape().rank()];
        Arrays.fill(own, OPEN);
        int left = alive;
        for (int argument = 0; argument < value.arguments().size(); argument++) {
            int[] known = labels.get(value.argument(argument));
            if (known != null) {
                left = Math.min(left, follow(known, tracks, argument, own));
            }
        }
        int[] seen = new int[sizes.length];
        Arrays.stream(own).filter(label -> label >= 0).forEach(label -> seen[label]++);
        left = Math.min(left, firstOther(seen, 1));
        labels.put(value, Arrays.stream(own).map(label -> Math.max(label, NONE)).toArray());
        if (iterations(left) < 2 || largest() / iterations(left) > LARGEST_PART) {
            labels.remove(value);
            return false;
        }
        alive = left;
        return true;
    }

    /** Labels axes as those of an argument are that they follow, and returns how many loops can be left then. */
    private int follow(int[] known, AxisTracks tracks, int argument, int[] own) {
        int left = sizes.length;
        int[] carried = new int[sizes.length];
        for (int axis = 0; axis < own.length; axis++) {
            int track = tracks.track(axis, argument);
            if (track == AxisTracks.ABSENT) {
                continue;
            }
            int label = known[track];
            if (label != NONE) {
                carried[label]++;
            }
            if (label != own[axis] && own[axis] != OPEN) { // one of both is whole, or cut by another loop
                int outer = Math.min(label, own[axis]);
                left = Math.min(left, outer == NONE ? Math.max(label, own[axis]) : outer);
            }
            own[axis] = Math.max(own[axis], label);
        }
        return Math.min(left, firstOther(carried, 1));
    }

    /** The first loop over more than one entry that has another count. */
    private int firstOther(int[] counts, int count) {
        int label = 0;
        while (label < counts.length && (counts[label] == count || sizes[label] == 1)) {
            label++;
        }
        return label;
    }

    private long iterations(int loops) {
        long count = 1;
        for (int label = 0; label < loops; label++) {
            count *= sizes[label];
        }
        return count;
    }

    private long largest() {
        return labels.keySet().stream()
                .mapToLong(value -> value.shape().count())
                .max()
                .orElse(1);
    }

    boolean contains(Value value) {
        return labels.containsKey(value);
    }

    /** Tells whether it is worth it. */
    boolean isLarge() {
        long entries = labels.keySet().stream()
                .mapToLong(value -> value.shape().count())
                .sum();
        return labels.size() > 1 && entries >= LEAST && iterations(alive) > 1;
    }

    List<Value> members() {
        return List.copyOf(labels.keySet());
    }

    /** The sizes of a full tile along the loops: the inner ones whole, one in part, the outer ones one by one. */
    int[] tile() {
        long each = Math.max(1, LARGEST_PART / Math.max(1, largest() / iterations(alive)));
        int[] tile = new int[alive];
        for (int label = alive - 1; label >= 0; label--) {
            tile[label] = (int) Math.min(sizes[label], each);
            each = each < sizes[label] ? 1 : each / sizes[label];
        }
        return tile;
    }

    int[] loops() {
        return Arrays.copyOf(sizes, alive);
    }

    /** Returns the loop of each axis of one of these values; -1 where it is whole. */
    int[] loopsOf(Value member) {
        return known(labels.getOrDefault(member, new int[0]));
    }

    /** Returns the loop of each axis of an argument as one of these values reads it. */
    int[] loopsOf(Value member, int argument) {
        Value value = member.argument(argument);
        if (contains(value)) {
            return loopsOf(value);
        }
        int[] own = loopsOf(member);
        int[] loops = new int[value.shape().rank()];
        Arrays.fill(loops, NONE);
        AxisTracks tracks = AxisTracks.of(member);
        for (int axis = 0; axis < own.length && tracks != null; axis++) {
            int track = tracks.track(axis, argument);
            if (track >= 0) {
                loops[track] = own[axis];
            }
        }
        return loops;
    }

    private int[] known(int[] all) {
        return Arrays.stream(all).map(label -> label < alive ? label : NONE).toArray();
    }

    /** The shape of a part: an axis that is a loop has the size of the tile. */
    static Dimensions part(Dimensions shape, int[] loops, int[] tile) {
        List<Integer> sizes = new ArrayList<>();
        for (int axis = 0; axis < loops.length; axis++) {
            sizes.add(loops[axis] == NONE ? shape.size(axis) : tile[loops[axis]]);
        }
        return new Dimensions(sizes);
    }
}
