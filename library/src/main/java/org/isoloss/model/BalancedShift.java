package org.isoloss.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.ParameterUse.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Follows what is added to a bias, or to all rows of a table, through linear steps until other biases take it away: a bias that products
 * with biases of their own read, a shift of values that softmax mixes, biases that are added to the same sum.
 */
final class BalancedShift {
    private final Model model;
    private final List<ParameterUse> uses;
    private final UnseenEntries graph;
    private final Predicate<String> isUsedOnce;
    private final Set<Value> mixing = new HashSet<>(); // what softmax makes, whose sums are 1

    BalancedShift(Model model, List<ParameterUse> uses, UnseenEntries graph, Predicate<String> isUsedOnce) {
        this.model = model;
        this.uses = uses;
        this.graph = graph;
        this.isUsedOnce = isUsedOnce;
        model.composites().stream()
                .filter(composite -> composite.role() == Composite.Role.SOFTMAX)
                .forEach(composite -> mixing.add(composite.result()));
    }

    /** A use that adds the same for all inputs and positions: a bias or a table. */
    private @Nullable String source(ParameterUse use) {
        boolean isShift = use.kind() == Kind.SHIFT || use.kind() == Kind.TABLE;
        StoredView view = isShift ? StoredView.of(use.weight()) : null;
        if (view == null
                || !isUsedOnce.test(view.name())
                || view.parameter().shape().count() != use.weight().shape().count() && use.kind() == Kind.SHIFT && use.weight().shape().rank() == 1) {
            return null;
        }
        return view.name();
    }

    @Nullable
    Balanced from(ParameterUse use, Predicate<String> isWritten) {
        String tensor = source(use);
        Value result = use.result();
        int last = result.shape().rank() - 1;
        int width = result.shape().size(last);
        Dimensions shape = tensor == null ? Dimensions.of() : model.parameter(tensor).shape();
        if (tensor == null || shape.rank() == 0 || shape.size(shape.rank() - 1) != width || width == 1) {
            return null;
        }
        ModelBuilder builder = model.extended();
        Value start = builder.input("shift", width);
        Map<Value, Value> shifts = new LinkedHashMap<>();
        Map<String, Value> absorbed = new LinkedHashMap<>();
        Deque<Value> waiting = new ArrayDeque<>();
        double factor = use.factor(use.weight());
        Value first = builder.scaled(factor, builder.reshape(start, ones(result, last, width)));
        if (use.kind() == Kind.SHIFT) { // the sum may have another bias that takes it away at once
            if (!absorb(builder, result, use.weight(), first, absorbed)) {
                shifts.put(result, first);
                waiting.add(result);
            }
        } else {
            shifts.put(result, first);
            waiting.add(result);
        }
        while (!waiting.isEmpty()) {
            Value value = waiting.removeFirst();
            if (model.outputs().containsValue(value) || graph.readers(value).isEmpty()) {
                return null;
            }
            for (Value reader : graph.readers(value)) {
                Value shift = Objects.requireNonNull(shifts.get(value));
                if (shifts.containsKey(reader)) {
                    return null; // by two ways
                }
                if (reader.operation() instanceof Sum sum
                        && reader.arguments().stream().filter(value::equals).count() == 1) {
                    Value scaled = builder.scaled(sum.factors().get(reader.arguments().indexOf(value)), shift);
                    if (absorb(builder, reader, value, scaled, absorbed)) {
                        continue;
                    }
                    shifts.put(reader, scaled);
                    waiting.add(reader);
                    continue;
                }
                Value after = through(builder, value, shift, reader);
                if (after == null) {
                    return null;
                }
                shifts.put(reader, after);
                waiting.add(reader);
            }
        }
        if (absorbed.isEmpty() || absorbed.containsKey(tensor)) {
            return null;
        }
        boolean isShared = isWritten.test(tensor) && absorbed.size() == 1 && absorbed.keySet().stream().allMatch(isWritten);
        return new Balanced(tensor, width, start, absorbed, isShared ? 1 : 0);
    }

    private static Dimensions ones(Value value, int axis, int width) {
        int[] sizes = new int[value.shape().rank()];
        Arrays.fill(sizes, 1);
        sizes[axis] = width;
        return Dimensions.of(sizes);
    }

    /** Lets a bias of a sum take away what another argument of it brings; false where it has none after that argument. */
    private boolean absorb(ModelBuilder builder, Value sum, Value from, Value shift, Map<String, Value> absorbed) {
        var operation = (Sum) sum.operation();
        List<Value> arguments = sum.arguments();
        for (int i = arguments.indexOf(from) + 1; i < arguments.size(); i++) {
            Absorber absorber = absorber(arguments.get(i), sum, operation.factors().get(i));
            if (absorber == null || absorbed.containsKey(absorber.tensor)) {
                continue;
            }
            Dimensions shape = model.parameter(absorber.tensor).shape();
            int width = shape.size(shape.rank() - 1);
            if (shift.shape().count() == width && sum.shape().size(sum.shape().rank() - 1) == width) {
                absorbed.put(
                        absorber.tensor,
                        builder.scaled(-1 / absorber.factor, builder.reshape(shift, Dimensions.of(width))));
                return true;
            }
        }
        return false;
    }

    private record Absorber(String tensor, double factor) {}

    /** A bias among the arguments of a sum, or added on the way to one of them. */
    private @Nullable Absorber absorber(Value argument, Value sum, double factor) {
        for (ParameterUse use : uses) {
            boolean isHere = use.kind() == Kind.SHIFT && use.result() == sum && use.weight() == argument;
            boolean isBefore = use.result() == argument
                    && graph.readers(argument).size() == 1
                    && !model.outputs().containsValue(argument)
                    && (use.kind() == Kind.SHIFT || use.kind() == Kind.TABLE);
            String tensor = isHere || isBefore ? source(use) : null;
            if (tensor != null) {
                return new Absorber(tensor, isHere ? factor : factor * use.factor(use.weight()));
            }
        }
        if (argument.operation() instanceof Sum inner
                && graph.isVarying(argument)
                && graph.readers(argument).size() == 1
                && !model.outputs().containsValue(argument)) {
            for (int i = 0; i < inner.factors().size(); i++) {
                Absorber absorber = absorber(argument.argument(i), argument, factor * inner.factors().get(i));
                if (absorber != null) {
                    return absorber;
                }
            }
        }
        return null;
    }

    /** What a linear step makes of a shift that is the same for all inputs; null where it is none. */
    private @Nullable Value through(ModelBuilder builder, Value value, Value shift, Value reader) {
        return switch (reader.operation()) {
            case Product _ -> {
                Value other = reader.argument(reader.argument(0) == value ? 1 : 0);
                yield graph.isVarying(other) || other.shape().count() != shift.shape().count()
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
        return isMixing(other, theirs, own, contraction.result()) ? mixed(builder, shift, own, contraction.result()) : null;
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

    /** The same reshape with the axes left out along which all is the same; stretched where an axis of many would be one with them. */
    private static @Nullable Value reshaped(ModelBuilder builder, Value shift, Value value, Value reader) {
        Value wide = shift;
        int[] sizes = new int[value.shape().rank()];
        int last = -1;
        for (int axis = 0; axis < sizes.length; axis++) {
            sizes[axis] = shift.shape().size(axis);
            last = last < 0 && sizes[axis] > 1 ? axis : last;
        }
        if (last < 0) {
            return null;
        }
        for (int axis = last; axis < sizes.length; axis++) { // such as heads that share a value
            sizes[axis] = value.shape().size(axis);
        }
        wide = builder.stretched(wide, Dimensions.of(sizes));
        int count = wide.shape().count();
        int[] after = new int[reader.shape().rank()];
        Arrays.fill(after, 1);
        int left = count;
        for (int axis = after.length - 1; axis >= 0 && left > 1; axis--) {
            if (left % reader.shape().size(axis) != 0) {
                return null;
            }
            after[axis] = reader.shape().size(axis);
            left /= after[axis];
        }
        return left == 1 ? builder.reshape(wide, Dimensions.of(after)) : null;
    }
}
