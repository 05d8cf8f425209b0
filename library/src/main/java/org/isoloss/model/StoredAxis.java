package org.isoloss.model;

import org.jspecify.annotations.Nullable;

/**
 * An axis of a parameter, to whose entries a number is added.
 *
 * @param tensor the name of the parameter
 * @param axis as it is stored
 * @param offset what is added
 */
record StoredAxis(String tensor, int axis, double offset) {
    /** Finds the whole axis of a parameter that an axis of a tensor made of it is; null where the tensor is made otherwise. */
    static @Nullable StoredAxis of(Value tensor, int axis) {
        if (tensor.operation() instanceof Lookup lookup) {
            int indices = tensor.argument(1).shape().rank();
            boolean isKept = axis < lookup.axis() || axis >= lookup.axis() + indices;
            return isKept ? of(tensor.argument(0), axis < lookup.axis() ? axis : axis - indices + 1) : null;
        }
        if (tensor.operation() instanceof Sum sum && tensor.arguments().size() == 2) {
            for (int i = 0; i < 2; i++) {
                Value constant = tensor.argument(1 - i);
                boolean isOffset = constant.operation() instanceof Leaf leaf
                        && leaf.kind() == Leaf.Kind.CONSTANT
                        && constant.shape().count() == 1
                        && sum.factors().stream().allMatch(factor -> factor == 1);
                StoredAxis shifted = isOffset ? of(tensor.argument(i), axis) : null;
                if (shifted != null) {
                    double added = ((Leaf) constant.operation()).numbers().asFloat64()[0];
                    return new StoredAxis(shifted.tensor, shifted.axis, shifted.offset + added);
                }
            }
        }
        StoredView view = StoredView.of(tensor);
        if (view == null) {
            return null;
        }
        int[] strides = view.parameter().shape().strides();
        for (int own = 0; own < strides.length; own++) {
            int size = view.parameter().shape().size(own);
            if (strides[own] == view.strides().get(axis) && size == view.sizes().get(axis) && size > 1) {
                return new StoredAxis(view.name(), own, 0);
            }
        }
        return null;
    }
}
