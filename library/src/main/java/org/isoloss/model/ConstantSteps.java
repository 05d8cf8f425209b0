package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What linear steps make of a shift that is the same for all inputs and positions. */
@SuppressWarnings("LoopOverCharArray") // over a few letters
final class ConstantSteps {
    private final UnseenEntries graph;
    private final Set<Value> mixing = new HashSet<>(); // what softmax makes, whose sums are 1

    ConstantSteps(Model model, UnseenEntries graph) {
        this.graph = graph;
        model.composites().stream()
                .filter(composite -> composite.role() == Composite.Role.SOFTMAX)
                .forEach(composite -> mixing.add(composite.result()));
    }

    /** What a linear step makes of a shift that is the same for all inputs; null where it is none. */
    @Nullable
    Value through(ModelBuilder builder, Value value, Value shift, Value reader) {
        return switch (reader.operation()) {
            case Product _ -> {
                Value other = reader.argument(reader.argument(0) == value ? 1 : 0);
                yield graph.isVarying(other)
                                || other.shape().count() != shift.shape().count()
                        ? null
                        : builder.product(shift, other);
            }
            case Contraction contraction -> contracted(builder, value, shift, reader, contraction);
            case Reshape _ -> reshaped(builder, shift, value, reader);
            default -> null;
        };
    }

    private @Nullable Value contracted(
            ModelBuilder builder, Value value, Value shift, Value reader, Contraction contraction) {
        boolean isLeft = reader.argument(0) == value;
        Value other = reader.argument(isLeft ? 1 : 0);
        String own = isLeft ? contraction.left() : contraction.right();
        String theirs = isLeft ? contraction.right() : contraction.left();
        if (other == value) {
            return null;
        }
        if (!graph.isVarying(other)) {
            for (int axis = 0; axis < own.length(); axis++) {
                boolean isSame = shift.shape().size(axis) == value.shape().size(axis);
                if (theirs.indexOf(own.charAt(axis)) >= 0 && !isSame) {
                    return null;
                }
            }
            return isLeft
                    ? builder.contract("%s,%s->%s".formatted(own, theirs, contraction.result()), shift, other)
                    : builder.contract("%s,%s->%s".formatted(theirs, own, contraction.result()), other, shift);
        }
        return isMixing(other, theirs, own, contraction.result())
                ? mixed(builder, shift, own, contraction.result())
                : null;
    }

    /** Whether what a value is contracted with adds up to 1 along the one label that goes. */
    private boolean isMixing(Value other, String theirs, String own, String result) {
        Value at = other;
        while (at.operation() instanceof Selection && !mixing.contains(at)) {
            at = at.argument(1); // zero where nothing is seen
        }
        List<Character> gone = new ArrayList<>();
        for (char label : own.toCharArray()) {
            if (result.indexOf(label) < 0) {
                gone.add(label);
            }
        }
        return mixing.contains(at) && gone.size() == 1 && theirs.indexOf(gone.getFirst()) == theirs.length() - 1;
    }

    /** The shift of each mixture, which has new axes along which it is the same. */
    private static @Nullable Value mixed(ModelBuilder builder, Value shift, String own, String result) {
        Map<Character, Integer> sizes = new HashMap<>();
        StringBuilder kept = new StringBuilder();
        for (int axis = 0; axis < own.length(); axis++) {
            sizes.put(own.charAt(axis), shift.shape().size(axis));
            if (result.indexOf(own.charAt(axis)) < 0 && shift.shape().size(axis) != 1) {
                return null;
            }
        }
        for (char label : result.toCharArray()) {
            if (sizes.getOrDefault(label, 1) > 1) {
                kept.append(label);
            }
        }
        StringBuilder before = new StringBuilder();
        for (char label : own.toCharArray()) {
            if (sizes.getOrDefault(label, 1) > 1) {
                before.append(label);
            }
        }
        if (!before.toString().contentEquals(kept)) {
            return null; // in another order
        }
        int[] shape = new int[result.length()];
        for (int axis = 0; axis < shape.length; axis++) {
            shape[axis] = sizes.getOrDefault(result.charAt(axis), 1);
        }
        return builder.reshape(shift, Dimensions.of(shape));
    }

    /** The same reshape, stretched where an axis along which all is the same is joined to others. */
    private static @Nullable Value reshaped(ModelBuilder builder, Value shift, Value value, Value reader) {
        int first = 0;
        while (first < shift.shape().rank() && shift.shape().size(first) == 1) {
            first++;
        }
        int rank = value.shape().rank();
        int count = 1; // of the axes that are reshaped together
        int there = reader.shape().rank();
        int joined = 1;
        int axis = rank;
        while (axis > first || joined != count) {
            if (count <= joined && axis > 0) {
                count *= value.shape().size(--axis);
            } else if (there > 0) {
                joined *= reader.shape().size(--there);
            } else {
                return null;
            }
        }
        int[] sizes = new int[rank];
        Arrays.fill(sizes, 1);
        for (int i = axis; i < rank; i++) {
            sizes[i] = value.shape().size(i);
        }
        int[] after = new int[reader.shape().rank()];
        Arrays.fill(after, 1);
        for (int i = there; i < after.length; i++) {
            after[i] = reader.shape().size(i);
        }
        return builder.reshape(builder.stretched(shift, Dimensions.of(sizes)), Dimensions.of(after));
    }
}
