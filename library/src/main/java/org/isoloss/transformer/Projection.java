package org.isoloss.transformer;

import org.isoloss.checkpoint.LayerNames;
import org.jspecify.annotations.Nullable;

/**
 * An affine map of hidden states.
 *
 * @param names of its parameters, and whether the weight is stored as (in, out)
 * @param weight shape (out, in), or (in, out)
 * @param bias length out; null where there is none
 * @param in length of what it takes
 * @param out length of what it gives
 */
record Projection(
        LayerNames names, Parameter weight, @Nullable Parameter bias, int in, int out) {
    boolean isInOut() {
        return names.transposed();
    }
}
