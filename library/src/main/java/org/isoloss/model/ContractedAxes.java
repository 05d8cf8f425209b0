package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The axes of a product of a value with weights, none of which both and the result have.
 *
 * @param summed axes of the value over which is summed
 * @param weightAxes the axes of the weights that they meet
 * @param outputs the other axes of the weights
 * @param resultAxis where the first of those lies in the result; -1 where there is none
 */
record ContractedAxes(List<Integer> summed, List<Integer> weightAxes, List<Integer> outputs, int resultAxis) {
    /** Reads a contraction; null where an axis of value and weights is one of the result too. */
    static @Nullable ContractedAxes of(Value product, int weightSide) {
        Contraction contraction = (Contraction) product.operation();
        String weights = weightSide == 0 ? contraction.left() : contraction.right();
        String value = weightSide == 0 ? contraction.right() : contraction.left();
        List<Integer> summed = new ArrayList<>();
        List<Integer> weightAxes = new ArrayList<>();
        List<Integer> outputs = new ArrayList<>();
        int resultAxis = -1;
        for (int axis = 0; axis < value.length(); axis++) {
            int there = weights.indexOf(value.charAt(axis));
            if (there >= 0 && contraction.result().indexOf(value.charAt(axis)) >= 0) {
                return null;
            }
            if (there >= 0) {
                summed.add(axis);
                weightAxes.add(there);
            }
        }
        for (int axis = 0; axis < weights.length(); axis++) {
            if (!weightAxes.contains(axis)) {
                resultAxis = outputs.isEmpty() ? contraction.result().indexOf(weights.charAt(axis)) : resultAxis;
                outputs.add(axis);
            }
        }
        return new ContractedAxes(summed, weightAxes, outputs, resultAxis);
    }

    int weightAxis(int index) {
        return weightAxes.get(index);
    }
}
