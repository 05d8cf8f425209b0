package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The sizes of a tensor along its axes, row-major: the last axis varies fastest. No axis is a single number.
 *
 * @param sizes each at least 1; their product below 2^31
 */
public record Dimensions(List<Integer> sizes) {
    /** A single number. */
    public static final Dimensions SCALAR = Dimensions.of();

    /** Checks the sizes. */
    public Dimensions {
        sizes = List.copyOf(sizes);
        long count = 1;
        for (int size : sizes) {
            count *= size;
            if (size < 1 || count > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "shape %s; expected sizes of at least 1 and fewer than 2^31 entries".formatted(text(sizes)));
            }
        }
    }

    /**
     * Makes a shape.
     *
     * @param sizes each at least 1
     * @return the shape
     */
    public static Dimensions of(int... sizes) {
        return new Dimensions(Arrays.stream(sizes).boxed().toList());
    }

    /** {@return the number of axes} */
    public int rank() {
        return sizes.size();
    }

    /**
     * Returns the size along an axis.
     *
     * @param axis from 0, below {@link #rank}
     * @return at least 1
     */
    public int size(int axis) {
        return sizes.get(axis);
    }

    /** {@return the number of entries} */
    public int count() {
        int count = 1;
        for (int axis = 0; axis < sizes.size(); axis++) { // asked in every step, so without an iterator
            count *= sizes.get(axis);
        }
        return count;
    }

    /** {@return for each axis, how many entries lie between neighbours along it} */
    public int[] strides() {
        int[] strides = new int[rank()];
        int stride = 1;
        for (int axis = rank() - 1; axis >= 0; axis--) {
            strides[axis] = stride;
            stride *= size(axis);
        }
        return strides;
    }

    /** {@return the sizes, a copy} */
    public int[] toArray() {
        return sizes.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Returns the shape that several shapes are stretched to when they are combined entry by entry: aligned at the last
     * axis, sizes of 1 and missing axes repeat.
     *
     * @param shapes at least one
     * @return the common shape
     * @see "NumPy, Broadcasting"
     */
    public static Dimensions broadcast(List<Dimensions> shapes) {
        int rank = shapes.stream().mapToInt(Dimensions::rank).max().orElseThrow();
        Integer[] sizes = new Integer[rank];
        Arrays.fill(sizes, 1);
        for (Dimensions shape : shapes) {
            for (int axis = 0; axis < shape.rank(); axis++) {
                int at = rank - shape.rank() + axis;
                int size = shape.size(axis);
                if (size != 1 && sizes[at] != 1 && sizes[at] != size) {
                    throw new IllegalArgumentException(
                            "the shapes %s do not combine: sizes %d and %d meet along axis %d from the end"
                                    .formatted(
                                            shapes.stream()
                                                    .map(Dimensions::toString)
                                                    .collect(Collectors.joining(" and ")),
                                            sizes[at],
                                            size,
                                            rank - at));
                }
                sizes[at] = Math.max(sizes[at], size);
            }
        }
        return new Dimensions(Arrays.asList(sizes));
    }

    /**
     * Returns the strides by which this shape is read as a wider one: 0 along axes that repeat.
     *
     * @param wide what {@link #broadcast} makes of this shape and others
     * @return one stride for each axis of {@code wide}
     */
    int[] stridesIn(Dimensions wide) {
        int[] own = strides();
        int[] strides = new int[wide.rank()];
        for (int axis = 0; axis < rank(); axis++) {
            strides[wide.rank() - rank() + axis] = size(axis) == 1 ? 0 : own[axis];
        }
        return strides;
    }

    /**
     * Leaves axes out.
     *
     * @param axes from 0
     * @return the shape without them
     */
    public Dimensions without(List<Integer> axes) {
        List<Integer> kept = new ArrayList<>();
        for (int axis = 0; axis < rank(); axis++) {
            if (!axes.contains(axis)) {
                kept.add(size(axis));
            }
        }
        return new Dimensions(kept);
    }

    /**
     * Changes a size.
     *
     * @param axis from 0
     * @param size the new one
     * @return the shape with another size along one axis
     */
    public Dimensions with(int axis, int size) {
        List<Integer> changed = new ArrayList<>(sizes);
        changed.set(axis, size);
        return new Dimensions(changed);
    }

    /** The shape with one more axis before all others. */
    Dimensions preceded(int size) {
        List<Integer> more = new ArrayList<>(List.of(size));
        more.addAll(sizes);
        return new Dimensions(more);
    }

    private static String text(List<Integer> sizes) {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }

    @Override
    public String toString() {
        return text(sizes);
    }
}
