package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/** Lists of a fixed length, filled by index. */
final class Elements {
    private Elements() {}

    @SuppressWarnings("unchecked")
    static <T> List<T> filled(int count, IntFunction<T> element) {
        T[] elements = (T[]) new Object[count];
        for (int i = 0; i < count; i++) {
            elements[i] = element.apply(i);
        }
        return Arrays.asList(elements);
    }

    /** The entries of a tensor that is stretched to a wider shape. */
    static <T> List<T> stretched(List<T> entries, Dimensions shape, Dimensions wide) {
        if (shape.equals(wide)) {
            return entries;
        }
        int[] table = IndexMap.broadcast(shape, wide).table();
        return filled(table.length, i -> entries.get(table[i]));
    }

    /** For each entry of a tensor, its place in a tensor with other strides: 0 along axes that are summed over. */
    static int[] places(Dimensions shape, int[] strides) {
        int[] places = new int[shape.count()];
        int[] coordinates = new int[shape.rank()];
        int at = 0;
        for (int i = 0; i < places.length; i++) {
            places[i] = at;
            for (int axis = shape.rank() - 1; axis >= 0; axis--) {
                at += strides[axis];
                if (++coordinates[axis] < shape.size(axis)) {
                    break;
                }
                at -= strides[axis] * shape.size(axis);
                coordinates[axis] = 0;
            }
        }
        return places;
    }
}
