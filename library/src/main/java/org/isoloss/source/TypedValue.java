package org.isoloss.source;

import java.util.List;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * What a name of an ONNX graph stands for: a value of the model with the type that ONNX gives it, or a tensor without
 * entries, which no model has but shapes are made of.
 *
 * @param type of the elements
 * @param sizes of its axes; some 0 when it has no entries
 * @param content null when it has no entries
 */
record TypedValue(
        TensorType type, List<Integer> sizes, @Nullable Value content) {
    TypedValue {
        sizes = List.copyOf(sizes);
    }

    static TypedValue of(TensorType type, Value value) {
        return new TypedValue(type, value.shape().sizes(), value);
    }

    static TypedValue empty(TensorType type, List<Integer> sizes) {
        return new TypedValue(type, sizes, null);
    }

    boolean isEmpty() {
        return content == null;
    }

    int rank() {
        return sizes.size();
    }

    /** The value; an empty tensor has none. */
    Value value() {
        if (content == null) {
            throw new IllegalArgumentException(
                    "a tensor of shape %s, which has no entries, is not read here".formatted(sizes));
        }
        return content;
    }

    Dimensions shape() {
        return value().shape();
    }
}
