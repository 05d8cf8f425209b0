package org.isoloss.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.isoloss.symmetry.SymmetryMap;
import org.isoloss.symmetry.SymmetryMap.Way;

/**
 * Places the parts of a network: those that are needed at the same time side by side in lanes, the long ones to the left, and what
 * follows one another below each other, as lifelines in a sequence diagram.
 */
final class SymmetryLayout {
    static final int LINE = 15;
    private static final int TOP = 44;
    private static final int GAP = 30;
    private static final int EDGE = 14;

    /** How a way is drawn. */
    enum Kind {
        /** From the inputs, down. */
        INPUT,
        /** From the end of a part down to the next. */
        DOWN,
        /** From the side of a part to the side of another. */
        ACROSS
    }

    /**
     * A way with its place.
     *
     * @param way it
     * @param kind how it is drawn
     * @param y where its arrow is, or ends
     */
    record Arrow(Way way, Kind kind, int y) {}

    private final SymmetryMap map;
    private final int[] first;
    private final int[] last;
    private final int[] lane;
    private final int[] top;
    private final int[] bottom;
    private final List<Arrow> arrows = new ArrayList<>();
    private final int lanes;

    /**
     * Places all.
     *
     * @param map of the network
     * @param heights of parts, by their numbers, at least
     * @param lines how many lines of words a way has, by its number
     */
    SymmetryLayout(SymmetryMap map, int[] heights, IntUnaryOperator lines) {
        this.map = map;
        int count = heights.length;
        this.first = new int[count];
        this.last = new int[count];
        this.lane = new int[count];
        this.top = new int[count];
        this.bottom = new int[count];
        Arrays.fill(first, Integer.MAX_VALUE);
        Arrays.fill(last, -1);
        for (int way = 0; way < map.ways().size(); way++) {
            for (int part : ends(map.ways().get(way))) {
                first[part] = Math.min(first[part], way);
                last[part] = way;
            }
        }
        this.lanes = chooseLanes();
        place(heights, lines);
    }

    private static List<Integer> ends(Way way) {
        return way.from() == SymmetryMap.INPUT ? List.of(way.to()) : List.of(way.from(), way.to());
    }

    /** The first lane in which no part is needed any more, for parts as they begin, of those the longest first. */
    private int chooseLanes() {
        List<Integer> order = new ArrayList<>();
        for (int part = 0; part < first.length; part++) {
            if (last[part] >= 0) {
                order.add(part);
            }
        }
        order.sort((one, other) -> first[one] != first[other]
                ? Integer.compare(first[one], first[other])
                : Integer.compare(last[other], last[one]));
        List<Integer> until = new ArrayList<>();
        for (int part : order) {
            int free = 0;
            while (free < until.size() && until.get(free) > first[part]) {
                free++;
            }
            if (free == until.size()) {
                until.add(last[part]);
            } else {
                until.set(free, last[part]);
            }
            lane[part] = free;
        }
        return Math.max(1, until.size());
    }

    private void place(int[] heights, IntUnaryOperator lines) {
        int[] laneBottom = new int[lanes];
        Arrays.fill(laneBottom, TOP);
        int[] used = new int[heights.length]; // down to where arrows lead to or from a part
        int acrossUntil = TOP;
        for (int i = 0; i < map.ways().size(); i++) {
            Way way = map.ways().get(i);
            int words = LINE * lines.applyAsInt(i);
            int to = way.to();
            boolean begins = top[to] == 0;
            if (way.from() == SymmetryMap.INPUT) {
                if (begins) {
                    top[to] = laneBottom[lane[to]] + LINE + GAP + words;
                    bottom[to] = top[to] + heights[to];
                    arrows.add(new Arrow(way, Kind.INPUT, top[to]));
                }
            } else if (begins && lane[way.from()] == lane[to]) {
                int from = way.from();
                bottom[from] = Math.max(bottom[from], used[from] + EDGE);
                top[to] = Math.max(bottom[from] + GAP + words, laneBottom[lane[to]] + GAP);
                bottom[to] = top[to] + heights[to];
                arrows.add(new Arrow(way, Kind.DOWN, top[to]));
            } else {
                int from = way.from();
                int y = Math.max(used[from], Math.max(acrossUntil, top[from])) + words + EDGE;
                if (begins) {
                    y = Math.max(y, laneBottom[lane[to]] + GAP + EDGE);
                    top[to] = y - EDGE;
                    bottom[to] = top[to] + heights[to];
                } else {
                    y = Math.max(y, Math.max(used[to], top[to]) + words + EDGE);
                    y = Math.max(y, last[from] == i ? top[from] + heights[from] - EDGE : y);
                }
                used[from] = y;
                used[to] = y;
                acrossUntil = y;
                arrows.add(new Arrow(way, Kind.ACROSS, y));
            }
            for (int part : ends(way)) {
                bottom[part] = Math.max(bottom[part], used[part] + EDGE);
                laneBottom[lane[part]] = Math.max(laneBottom[lane[part]], bottom[part]);
            }
        }
    }

    /** How many lanes there are. */
    int lanes() {
        return lanes;
    }

    /** Whether a part has a way to or from it, so that it has a place. */
    boolean isShown(int part) {
        return last[part] >= 0;
    }

    int lane(int part) {
        return lane[part];
    }

    int top(int part) {
        return top[part];
    }

    int bottom(int part) {
        return bottom[part];
    }

    /** The lowest edge of all parts. */
    int height() {
        return Arrays.stream(bottom).max().orElse(TOP);
    }

    List<Arrow> arrows() {
        return arrows;
    }
}
