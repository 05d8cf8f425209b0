package org.isoloss.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which axes of its arguments each axis of a value follows entry by entry, so that a part of the value along that axis is made
 * of the same part of the arguments.
 */
final class AxisTracks {
    /** For an argument that is the same along the axis. */
    static final int ABSENT = -1;

    private final int[][] tracks;

    private AxisTracks(int[][] tracks) {
        this.tracks = tracks;
    }

    /** Returns the tracks of a value; null where no part of it is made of parts. */
    static @Nullable AxisTracks of(Value value) {
        int[][] tracks = switch (value.operation()) {
            case Sum _, Product _, Selection _, Comparison _, Application _ -> stretched(value);
            case Reduction reduction -> reduced(value, reduction);
            case Concatenation concatenation -> concatenated(value, concatenation.axis());
            case Reshape _ -> reshaped(value);
            case Rearrangement rearrangement -> rearranged(rearrangement.map());
            case Contraction contraction -> contracted(value, contraction);
            default -> new int[0][];
        };
        return Arrays.stream(tracks).allMatch(row -> row.length == 0) ? null : new AxisTracks(tracks);
    }

    /** Returns the axis of an argument that an axis of the value follows, or {@link #ABSENT}. */
    int track(int axis, int argument) {
        return follows(axis) ? tracks[axis][argument] : ABSENT;
    }

    /** Tells whether a part along an axis is made of parts. */
    boolean follows(int axis) {
        return tracks[axis].length > 0;
    }

    private static int[][] stretched(Value value) {
        int rank = value.shape().rank();
        int[][] tracks = new int[rank][value.arguments().size()];
        for (int argument = 0; argument < value.arguments().size(); argument++) {
            Dimensions shape = value.argument(argument).shape();
            int shift = rank - shape.rank();
            for (int axis = 0; axis < rank; axis++) {
                boolean there = axis >= shift
                        && shape.size(axis - shift) == value.shape().size(axis);
                tracks[axis][argument] = there ? axis - shift : ABSENT;
            }
        }
        return tracks;
    }

    private static int[][] reduced(Value value, Reduction reduction) {
        int[][] tracks = new int[value.shape().rank()][0];
        int next = 0;
        for (int axis = 0; axis < value.argument(0).shape().rank(); axis++) {
            if (!reduction.axes().contains(axis)) {
                tracks[next++] = new int[] {axis};
            }
        }
        return tracks;
    }

    private static int[][] concatenated(Value value, int along) {
        int[][] tracks = stretched(value);
        tracks[along] = new int[0];
        return tracks;
    }

    private static int[][] reshaped(Value value) {
        int[] to = value.shape().strides();
        int[] from = value.argument(0).shape().strides();
        int[][] tracks = new int[to.length][0];
        for (int axis = 0; axis < to.length; axis++) {
            for (int other = 0; other < from.length; other++) {
                int size = value.argument(0).shape().size(other);
                if (size > 1 && size == value.shape().size(axis) && from[other] == to[axis]) {
                    tracks[axis] = new int[] {other};
                }
            }
        }
        return tracks;
    }

    private static int[][] rearranged(IndexMap map) {
        int[][] tracks = new int[map.target().rank()][0];
        for (int axis = 0; axis < tracks.length; axis++) {
            int walked = axis;
            int[] moving = map.steps().stream()
                    .mapToInt(row -> row.get(walked))
                    .filter(step -> step != 0)
                    .toArray();
            int only = map.only(axis);
            if (moving.length == 0) {
                tracks[axis] = new int[] {ABSENT};
            } else if (only >= 0 && map.source().size(only) == map.target().size(axis)) {
                tracks[axis] = new int[] {only};
            }
        }
        return tracks;
    }

    /** Many products side by side, that is; one large product is better computed at once. */
    private static int[][] contracted(Value value, Contraction contraction) {
        String result = contraction.result();
        int[][] tracks = new int[result.length()][0];
        boolean many = false;
        for (int axis = 0; axis < tracks.length; axis++) {
            int left = contraction.left().indexOf(result.charAt(axis));
            int right = contraction.right().indexOf(result.charAt(axis));
            many |= left >= 0 && right >= 0 && value.shape().size(axis) > 1;
            tracks[axis] = new int[] {left, right};
        }
        return many ? tracks : new int[0][];
    }

    /** Returns the operation that makes a part from parts. */
    static Operation cut(Operation operation, Dimensions argument, Dimensions result) {
        return switch (operation) {
            case Reshape _ -> new Reshape(result);
            case Rearrangement rearrangement -> {
                IndexMap map = rearrangement.map();
                yield new Rearrangement(new IndexMap(argument, result, map.base(), map.steps()), rearrangement.fill());
            }
            default -> operation;
        };
    }

    @Override
    public String toString() {
        return Arrays.deepToString(tracks);
    }
}
