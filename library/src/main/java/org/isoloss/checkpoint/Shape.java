package org.isoloss.checkpoint;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The sizes of an array along its axes, row-major: the last axis varies fastest. No axis is a single number.
 *
 * @param sizes each at least 0; their product, taken from the left, stays below 2^63
 */
public record Shape(List<Long> sizes) {
    /** Checks the sizes. */
    public Shape {
        sizes = List.copyOf(sizes);
        count(sizes);
    }

    /**
     * Returns the shape with these sizes.
     *
     * @param sizes each at least 0; none for a single number
     * @return the shape
     */
    public static Shape of(long... sizes) {
        return new Shape(LongStream.of(sizes).boxed().toList());
    }

    private static long count(List<Long> sizes) {
        long count = 1;
        for (long size : sizes) {
            if (size < 0) {
                throw new IllegalArgumentException(
                        "shape " + text(sizes) + " has the negative size " + size + ", expected sizes of at least 0");
            }
            long high = Math.multiplyHigh(count, size);
            count *= size;
            if (high != 0 || count < 0) {
                throw new IllegalArgumentException("shape " + text(sizes) + " has more than 2^63 - 1 elements");
            }
        }
        return count;
    }

    /** {@return the number of axes, 0 for a single number} */
    public int rank() {
        return sizes.size();
    }

    /**
     * Returns the size along one axis.
     *
     * @param axis from 0, below {@link #rank}
     * @return at least 0
     */
    public long size(int axis) {
        return sizes.get(axis);
    }

    /** {@return the number of elements: the product of the sizes; 1 when there is no axis} */
    public long count() {
        return count(sizes);
    }

    @Override
    public String toString() {
        return text(sizes);
    }

    private static String text(List<Long> sizes) {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }
}
