package org.isoloss.model;

import java.util.Arrays;
import org.isoloss.model.Float32Memory.Slot;

/** Loops of {@link Float32Memory} that make fewer numbers. The build derives {@code Float64Reductions} from this file. */
@SuppressWarnings("cast") // what float32 needs says nothing in the float64 copy
final class Float32Reductions {
    private Float32Reductions() {}

    /** The sum, or the largest, of the entries that {@code loops} take to the same place. */
    static Runnable of(Slot out, int count, Slot in, StridedLoops loops, boolean largest) {
        return () -> {
            Arrays.fill(out.array, out.offset, out.offset + count, largest ? Float.NEGATIVE_INFINITY : 0);
            for (int round = 0; round < loops.outer(); round++) {
                int at = in.offset + loops.offsets(0)[round];
                int place = out.offset + loops.offsets(1)[round];
                if (loops.stride(1) == 0) {
                    out.array[place] = largest
                            ? Math.max(out.array[place], largestOf(in.array, at, loops.stride(0), loops.inner()))
                            : out.array[place] + sumOf(in.array, at, loops.stride(0), loops.inner());
                } else if (loops.stride(0) == 1 && loops.stride(1) == 1) {
                    reduceRow(in.array, at, out.array, place, loops.inner(), largest);
                } else if (largest) {
                    for (int i = 0; i < loops.inner(); i++) {
                        int where = place + i * loops.stride(1);
                        out.array[where] = Math.max(out.array[where], in.array[at + i * loops.stride(0)]);
                    }
                } else {
                    for (int i = 0; i < loops.inner(); i++) {
                        out.array[place + i * loops.stride(1)] += in.array[at + i * loops.stride(0)];
                    }
                }
            }
        };
    }

    private static void reduceRow(float[] in, int at, float[] out, int place, int count, boolean largest) {
        if (largest) {
            raiseRow(in, at, 1, out, place, count);
        } else {
            for (int i = 0; i < count; i++) {
                out[place + i] += in[at + i];
            }
        }
    }

    /** Raises numbers to others where those are larger. */
    static void raiseRow(float[] in, int at, int step, float[] out, int place, int count) {
        if (step == 1) {
            for (int i = 0; i < count; i++) {
                out[place + i] = Math.max(out[place + i], in[at + i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                out[place + i] = Math.max(out[place + i], in[at + i * step]);
            }
        }
    }

    /** Four sums side by side, each in float64. */
    private static float sumOf(float[] in, int at, int stride, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 3 < count; i += 4) {
            int from = at + i * stride;
            a += in[from];
            b += in[from + stride];
            c += in[from + 2 * stride];
            d += in[from + 3 * stride];
        }
        for (; i < count; i++) {
            a += in[at + i * stride];
        }
        return (float) (a + b + (c + d));
    }

    private static float largestOf(float[] in, int at, int stride, int count) {
        float largest = in[at];
        if (stride == 1) {
            for (int i = 1; i < count; i++) {
                largest = Math.max(largest, in[at + i]);
            }
        } else {
            for (int i = 1; i < count; i++) {
                largest = Math.max(largest, in[at + i * stride]);
            }
        }
        return largest;
    }

    /** 1 at the first largest of the entries that have a place in common, 0 elsewhere. */
    static Runnable largestPlace(Slot out, Slot in, int[] places) {
        int[] best = new int[Arrays.stream(places).max().orElse(0) + 1];
        return () -> {
            Arrays.fill(best, -1);
            for (int i = 0; i < places.length; i++) {
                int before = best[places[i]];
                if (before < 0 || in.array[in.offset + i] > in.array[in.offset + before]) {
                    best[places[i]] = i;
                }
            }
            Arrays.fill(out.array, out.offset, out.offset + places.length, 0);
            for (int place : best) {
                out.array[out.offset + place] = 1;
            }
        };
    }
}
