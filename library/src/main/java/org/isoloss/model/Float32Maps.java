package org.isoloss.model;

import java.util.Arrays;
import org.isoloss.model.Float32Memory.Slot;
import org.jspecify.annotations.Nullable;

/** Loops of {@link Float32Memory} that copy, over index maps, rows of tables and parts. The build derives {@code Float64Maps} from this file. */
final class Float32Maps {
    private Float32Maps() {}

    /** Copies entries through a map; what lies outside of the source becomes {@code outside}. */
    static Runnable gather(Slot out, Slot in, IndexMap map, float outside) {
        var runs = new GatherRuns(map);
        return () -> {
            int at = out.offset;
            for (int run = 0; run < runs.count(); run++, at += runs.length()) {
                int begin = runs.begin(run);
                int end = runs.end(run);
                if (begin > 0) {
                    Arrays.fill(out.array, at, at + begin, outside);
                }
                if (end < runs.length()) {
                    Arrays.fill(out.array, at + end, at + runs.length(), outside);
                }
                int start = in.offset + runs.start(run);
                int step = runs.step();
                if (begin >= end) {
                    continue;
                }
                if (step == 1) {
                    System.arraycopy(in.array, start + begin, out.array, at + begin, end - begin);
                } else if (step == 0) {
                    Arrays.fill(out.array, at + begin, at + end, in.array[start]);
                } else {
                    for (int i = begin; i < end; i++) {
                        out.array[at + i] = in.array[start + i * step];
                    }
                }
            }
        };
    }

    /** What a reduction makes of what {@link #gather} makes of a source, without the copy, weighed or not. */
    static Runnable through(
            Slot out,
            int count,
            Slot in,
            IndexMap map,
            int[] strides,
            boolean largest,
            @Nullable Slot weights,
            int[] weightStrides) {
        Slot factors = weights == null ? new Slot(new float[] {1}, 0) : weights;
        if (weights != null && map.target().rank() == 6 && isDense(map, 2) && isDense(map, 3)) {
            return weighPlanes(out, in, factors, map);
        }
        var runs = new GatherRuns(map);
        int[] places = runs.places(map, strides);
        int[] weighed = runs.places(map, weightStrides);
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, largest ? Float.NEGATIVE_INFINITY : 0);
            for (int run = 0; run < places.length; run++) {
                int begin = runs.begin(run);
                int length = runs.end(run) - begin;
                int at = out.offset + places[run] + begin;
                int from = in.offset + runs.start(run) + begin * runs.step();
                if (largest) {
                    Float32Reductions.raiseRow(in.array, from, runs.step(), out.array, at, length);
                } else {
                    float factor = factors.array[factors.offset + weighed[run]];
                    Float32Memory.addScaled(out.array, at, in.array, from, runs.step(), factor, length, true);
                }
            }
        };
    }

    /** Whether windows over an axis begin at every entry. */
    private static boolean isDense(IndexMap map, int axis) {
        return map.steps().get(axis).get(axis + 2) == 1;
    }

    /**
     * Sums of the entries of dense windows in each plane, weighed alike in all: over planes with their padding, so that each
     * weight meets one long run, from which the columns that windows begin in are then copied.
     */
    private static Runnable weighPlanes(Slot out, Slot in, Slot factors, IndexMap map) {
        int[] source = map.source().toArray();
        int[] target = map.target().toArray();
        int apart = map.steps().get(2).get(2);
        int beside = map.steps().get(3).get(3);
        int above = -map.base().get(2);
        int before = -map.base().get(3);
        int width = target[5] + (target[3] - 1) * beside;
        int height = target[4] + (target[2] - 1) * apart;
        int firstRow = Math.max(0, above);
        int lastRow = Math.min(height, above + source[2]);
        int firstColumn = Math.max(0, before);
        int columns = Math.max(0, Math.min(width, before + source[3]) - firstColumn);
        float[] plane = new float[height * width];
        float[] sums = new float[target[4] * width];
        int count = sums.length - (target[3] - 1) * beside;
        int taps = target[2] * target[3];
        return () -> {
            for (int channel = 0; channel < target[0] * target[1]; channel++) {
                int from = in.offset + channel * source[2] * source[3] + firstColumn - before;
                for (int row = firstRow; row < lastRow; row++) {
                    System.arraycopy(
                            in.array, from + (row - above) * source[3], plane, row * width + firstColumn, columns);
                }
                int weight = factors.offset + channel % target[1] * taps;
                Arrays.fill(sums, 0);
                for (int tap = 0; tap < taps; ) {
                    int shift = tap / target[3] * apart * width + tap % target[3] * beside;
                    if (target[3] == 3) {
                        addThree(sums, plane, shift, beside, factors.array, weight + tap, count);
                        tap += 3;
                    } else {
                        Float32Memory.addScaled(sums, 0, plane, shift, 1, factors.array[weight + tap], count, true);
                        tap++;
                    }
                }
                int at = out.offset + channel * target[4] * target[5];
                for (int row = 0; row < target[4]; row++) {
                    System.arraycopy(sums, row * width, out.array, at + row * target[5], target[5]);
                }
            }
        };
    }

    /** Adds three taps that lie {@code step} apart, one after the other. */
    private static void addThree(float[] sums, float[] plane, int shift, int step, float[] weights, int at, int count) {
        float first = weights[at];
        float second = weights[at + 1];
        float third = weights[at + 2];
        for (int i = 0; i < count; i++) {
            sums[i] = sums[i]
                    + first * plane[shift + i]
                    + second * plane[shift + step + i]
                    + third * plane[shift + 2 * step + i];
        }
    }

    /** Adds entries to the places they came from: the transpose of {@link #gather}. */
    static Runnable scatter(Slot out, int count, Slot in, IndexMap map) {
        var runs = new GatherRuns(map);
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, 0);
            int at = in.offset;
            for (int run = 0; run < runs.count(); run++, at += runs.length()) {
                int start = out.offset + runs.start(run);
                if (runs.step() == 1) {
                    for (int i = runs.begin(run); i < runs.end(run); i++) {
                        out.array[start + i] += in.array[at + i];
                    }
                } else {
                    for (int i = runs.begin(run); i < runs.end(run); i++) {
                        out.array[start + i * runs.step()] += in.array[at + i];
                    }
                }
            }
        };
    }

    /** Copies rows of a table to slices, or adds the slices to the rows. */
    static Runnable rows(Slot slices, Slot table, Slot chosen, Dimensions shape, Value indices, int axis, boolean add) {
        int inner = shape.strides()[axis];
        int size = shape.size(axis);
        int outer = shape.count() / (inner * size);
        int count = indices.shape().count();
        return () -> {
            int at = slices.offset;
            for (int block = 0; block < outer; block++) {
                for (int i = 0; i < count; i++, at += inner) {
                    int row = Lookup.row(chosen.array[chosen.offset + i], size);
                    int place = table.offset + (block * size + row) * inner;
                    if (add) {
                        for (int j = 0; j < inner; j++) {
                            table.array[place + j] += slices.array[at + j];
                        }
                    } else {
                        System.arraycopy(table.array, place, slices.array, at, inner);
                    }
                }
            }
        };
    }

    /** Fills a part from where it lies in a whole, from an offset on. */
    static TileLoop.Transfer load(Slot part, Slot whole, StridedLoops loops) {
        return offset -> {
            for (int round = 0; round < loops.outer(); round++) {
                int to = part.offset + loops.offsets(0)[round];
                int from = whole.offset + offset + loops.offsets(1)[round];
                if (loops.stride(0) == 1 && loops.stride(1) == 1) {
                    System.arraycopy(whole.array, from, part.array, to, loops.inner());
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        part.array[to + i * loops.stride(0)] = whole.array[from + i * loops.stride(1)];
                    }
                }
            }
        };
    }

    /** Writes a part to where it lies in a whole. */
    static TileLoop.Transfer store(Slot part, Slot whole, StridedLoops loops) {
        return offset -> {
            for (int round = 0; round < loops.outer(); round++) {
                int from = part.offset + loops.offsets(0)[round];
                int to = whole.offset + offset + loops.offsets(1)[round];
                if (loops.stride(0) == 1 && loops.stride(1) == 1) {
                    System.arraycopy(part.array, from, whole.array, to, loops.inner());
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        whole.array[to + i * loops.stride(1)] = part.array[from + i * loops.stride(0)];
                    }
                }
            }
        };
    }
}
