package org.isoloss.model;

/** An {@link IndexMap} as runs along the last axis of its result: where each begins, and which part lies in the source. */
final class GatherRuns {
    private final int length;
    private final int step;
    private final int[] starts;
    private final int[] begins;
    private final int[] ends;

    GatherRuns(IndexMap full) {
        IndexMap map = full.joined();
        int rank = map.target().rank();
        int last = rank - 1;
        length = rank == 0 ? 1 : map.target().size(last);
        int runs = map.target().count() / length;
        int[] strides = map.source().strides();
        int along = 0;
        for (int axis = 0; axis < strides.length && rank > 0; axis++) {
            along += strides[axis] * map.steps().get(axis).get(last);
        }
        step = along;
        starts = new int[runs];
        begins = new int[runs];
        ends = new int[runs];
        int[] coordinates = new int[rank];
        int[] base = map.base().stream().mapToInt(Integer::intValue).toArray();
        int[][] steps = map.steps().stream()
                .map(row -> row.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
        for (int run = 0; run < runs; run++) {
            int begin = 0;
            int end = length;
            int start = 0;
            for (int axis = 0; axis < strides.length; axis++) {
                int at = base[axis];
                for (int other = 0; other < last; other++) {
                    at += steps[axis][other] * coordinates[other];
                }
                start += strides[axis] * at;
                int size = map.source().size(axis);
                int move = rank == 0 ? 0 : steps[axis][last];
                if (move == 0) {
                    end = at < 0 || at >= size ? 0 : end;
                } else if (move > 0) { // 0 <= at + move i < size
                    begin = Math.max(begin, at < 0 ? Math.ceilDiv(-at, move) : 0);
                    end = Math.min(end, Math.floorDiv(size - 1 - at, move) + 1);
                } else {
                    begin = Math.max(begin, at >= size ? Math.ceilDiv(at - size + 1, -move) : 0);
                    end = Math.min(end, Math.floorDiv(at, -move) + 1);
                }
            }
            starts[run] = start;
            begins[run] = Math.min(begin, length);
            ends[run] = Math.clamp(end, begins[run], length);
            for (int axis = last - 1;
                    axis >= 0 && ++coordinates[axis] == map.target().size(axis);
                    axis--) {
                coordinates[axis] = 0;
            }
        }
    }

    /** Entries of a run. */
    int length() {
        return length;
    }

    /** Number of runs. */
    int count() {
        return starts.length;
    }

    /** How far the source moves with each entry of a run. */
    int step() {
        return step;
    }

    /** Where the source is at entry 0 of a run; it may lie outside when that entry does. */
    int start(int run) {
        return starts[run];
    }

    /** The first entry that lies in the source. */
    int begin(int run) {
        return begins[run];
    }

    /** One past the last entry that lies in the source. */
    int end(int run) {
        return ends[run];
    }

    /** Where the first entry of each run lies in a tensor with other strides along the axes of the map's result. */
    int[] places(IndexMap map, int[] strides) {
        int[] places = new int[starts.length];
        int[] own = map.target().strides();
        for (int run = 0; run < places.length; run++) {
            for (int axis = 0; axis < own.length; axis++) {
                places[run] += run * length / own[axis] % map.target().size(axis) * strides[axis];
            }
        }
        return places;
    }
}
