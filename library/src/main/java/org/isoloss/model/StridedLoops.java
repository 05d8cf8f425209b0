package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Loops over the entries of several tensors that are read side by side: an outer loop over tables of offsets, an inner one
 * of fixed strides, as long as the layouts allow.
 */
final class StridedLoops {
    private final int inner;
    private final int outer;
    private final int[] innerStrides;
    private final int[][] offsets;

    /**
     * Joins axes.
     *
     * @param shape what is walked through
     * @param strides for each tensor, how far it moves along each axis; 0 where it repeats
     */
    StridedLoops(Dimensions shape, int[]... strides) {
        List<Integer> sizes = new ArrayList<>();
        List<int[]> steps = new ArrayList<>(); // for each kept axis, the stride of each tensor
        for (int axis = 0; axis < shape.rank(); axis++) {
            if (shape.size(axis) == 1) {
                continue;
            }
            int[] step = new int[strides.length];
            boolean joins = !steps.isEmpty();
            for (int tensor = 0; tensor < strides.length; tensor++) {
                step[tensor] = strides[tensor][axis];
                joins = joins && steps.getLast()[tensor] == step[tensor] * shape.size(axis);
            }
            if (joins) {
                sizes.set(sizes.size() - 1, sizes.getLast() * shape.size(axis));
                steps.set(steps.size() - 1, step);
            } else {
                sizes.add(shape.size(axis));
                steps.add(step);
            }
        }
        if (sizes.isEmpty()) {
            sizes.add(1);
            steps.add(new int[strides.length]);
        }
        inner = sizes.removeLast();
        innerStrides = steps.removeLast();
        Dimensions rest = new Dimensions(sizes);
        outer = rest.count();
        offsets = new int[strides.length][];
        for (int tensor = 0; tensor < strides.length; tensor++) {
            int index = tensor;
            offsets[tensor] = Elements.places(
                    rest, steps.stream().mapToInt(step -> step[index]).toArray());
        }
    }

    /** Length of the inner loop. */
    int inner() {
        return inner;
    }

    /** Length of the outer loop. */
    int outer() {
        return outer;
    }

    /** How far a tensor moves with the inner loop. */
    int stride(int tensor) {
        return innerStrides[tensor];
    }

    /** Where a tensor is for each round of the outer loop. */
    int[] offsets(int tensor) {
        return offsets[tensor];
    }
}
