package org.isoloss.basis;

import java.util.Arrays;
import java.util.List;
import org.isoloss.model.Dimensions;
import org.isoloss.model.FreeShift;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.FreeShift.Entries;
import org.isoloss.model.FreeShift.Opposed;
import org.isoloss.model.FreeShift.Read;
import org.isoloss.model.FreeShift.Written;
import org.isoloss.model.Model;
import org.jspecify.annotations.Nullable;

/** What of a wanted change of its parameter a free shift can make. */
final class ShiftProjection {
    private ShiftProjection() {}

    /**
     * Projects a change.
     *
     * @param model whose parameters are shifted
     * @param shift one of its free shifts
     * @param change of the shift's parameter, row-major
     * @param dual for a shift along an axis the vector whose products with lines along it are the numbers; null for their means
     * @return the numbers of the shift
     */
    static double[] of(Model model, FreeShift shift, double[] change, double @Nullable [] dual) {
        double[] numbers = new double[shift.dimension()];
        Dimensions shape = model.parameter(shift.tensor()).shape();
        switch (shift) {
            case Written written -> along(shape, written.axis(), change, dual, numbers);
            case Read read -> along(shape, read.axis(), change, dual, numbers);
            case Entries entries -> at(entries.places(), change, numbers);
            case Opposed opposed -> at(opposed.places(), change, numbers);
            case Balanced balanced when !balanced.places().isEmpty() -> at(balanced.places(), change, numbers);
            case Balanced _ -> {
                for (int i = 0; i < change.length; i++) {
                    numbers[i % numbers.length] += change[i] * numbers.length / change.length;
                }
            }
        }
        return numbers;
    }

    private static void at(List<Integer> places, double[] change, double[] numbers) {
        Arrays.setAll(numbers, i -> change[places.get(i)]);
    }

    private static void along(Dimensions shape, int axis, double[] change, double @Nullable [] dual, double[] numbers) {
        int inner = shape.strides()[axis];
        int size = shape.size(axis);
        int outer = inner * size;
        for (int i = 0; i < change.length; i++) {
            numbers[i / outer * inner + i % inner] += change[i] * (dual == null ? 1.0 / size : dual[i / inner % size]);
        }
    }
}
