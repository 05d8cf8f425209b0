package org.isoloss.model;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Windows that slide over the last axes of a tensor, as those of convolutions and pooling: one number an axis in each list.
 *
 * @param size entries of a window
 * @param stride from window to window
 * @param dilation from entry to entry of a window
 * @param before padding in front
 * @param after padding behind
 */
public record Windows(
        List<Integer> size, List<Integer> stride, List<Integer> dilation, List<Integer> before, List<Integer> after) {
    /** Checks the numbers. */
    public Windows {
        size = List.copyOf(size);
        stride = List.copyOf(stride);
        dilation = List.copyOf(dilation);
        before = List.copyOf(before);
        after = List.copyOf(after);
        int rank = size.size();
        for (List<Integer> list : List.of(stride, dilation, before, after)) {
            if (list.size() != rank) {
                throw new IllegalArgumentException(
                        "windows %s with strides %s, dilations %s, padding %s and %s; expected %d numbers each"
                                .formatted(size, stride, dilation, before, after, rank));
            }
        }
        for (int axis = 0; axis < rank; axis++) {
            if (Math.min(size.get(axis), Math.min(stride.get(axis), dilation.get(axis))) < 1) {
                throw new IllegalArgumentException(
                        "windows %s with strides %s and dilations %s; expected at least 1 each"
                                .formatted(size, stride, dilation));
            }
        }
    }

    /**
     * Makes windows that lie side by side without padding, one entry apart.
     *
     * @param size entries of a window along each axis
     * @return the windows
     */
    public static Windows of(int... size) {
        List<Integer> ones = Collections.nCopies(size.length, 1);
        List<Integer> zeros = Collections.nCopies(size.length, 0);
        return new Windows(Arrays.stream(size).boxed().toList(), ones, ones, zeros, zeros);
    }

    /** {@return over how many axes they slide} */
    public int rank() {
        return size.size();
    }

    /**
     * Returns over how many entries one window reaches.
     *
     * @param axis from 0
     * @return its reach
     */
    public int reach(int axis) {
        return dilation.get(axis) * (size.get(axis) - 1) + 1;
    }

    /**
     * Returns how many windows there are.
     *
     * @param lengths of the axes
     * @param partial whether a last one counts that reaches beyond the padding but begins before it
     * @return along each axis
     */
    public int[] places(List<Integer> lengths, boolean partial) {
        return IntStream.range(0, rank())
                .map(axis -> {
                    int room = lengths.get(axis) + before.get(axis) + after.get(axis) - reach(axis);
                    if (room < 0) {
                        throw new IllegalArgumentException("a window of %d entries over %d with %d of padding"
                                .formatted(reach(axis), lengths.get(axis), before.get(axis) + after.get(axis)));
                    }
                    int step = stride.get(axis);
                    int last = partial ? Math.ceilDiv(room, step) : room / step;
                    boolean beyond = partial && last * step >= lengths.get(axis) + before.get(axis);
                    return beyond ? last : last + 1;
                })
                .toArray();
    }

    static int[] array(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
