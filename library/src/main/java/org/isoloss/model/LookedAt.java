package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where a model looks at what its moving parameters make of the inputs: values that depend on both and that a step reads which
 * is not linear in what depends on the parameters. What steps between them add and multiply out is one sum to it.
 */
final class LookedAt {
    private LookedAt() {}

    /** The values up to some others, and these, in the order of computation. */
    static List<Value> of(Moving moving, List<Value> ends) {
        Model model = moving.model();
        Set<Value> parameters = new HashSet<>();
        moving.places().keySet().forEach(name -> parameters.add(model.parameter(name)));
        Set<Value> moved = Slice.depending(parameters, ends);
        Set<Value> fed = Slice.depending(model.inputs().values(), ends);
        ModelBuilder builder = model.extended();
        Set<Value> looked = new LinkedHashSet<>();
        List<Value> order = Execution.order(ends, Set.of());
        for (Value value : order) {
            if (value.arguments().stream().anyMatch(moved::contains) && !isLinear(builder, value, moved)) {
                value.arguments().stream()
                        .filter(argument -> moved.contains(argument) && fed.contains(argument))
                        .forEach(looked::add);
            }
        }
        ends.stream().filter(moved::contains).forEach(looked::add);
        return order.stream().filter(looked::contains).toList();
    }

    /** Whether the change of a value depends on the changes of its arguments alone, and not on where they are. */
    private static boolean isLinear(ModelBuilder builder, Value value, Set<Value> moved) {
        List<Value> arguments = value.arguments();
        List<Integer> moving = IntStream.range(0, arguments.size())
                .filter(i -> moved.contains(arguments.get(i)))
                .boxed()
                .toList();
        if (moving.stream().anyMatch(i -> !value.operation().isSmoothIn(i))) {
            return false;
        }
        List<@Nullable Value> changes = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            changes.add(
                    moving.contains(i)
                            ? builder.input(
                                    "change" + builder.count(),
                                    arguments.get(i).shape().toArray())
                            : null);
        }
        Value change = value.operation().tangent(builder, value, changes);
        Set<Value> ends = new HashSet<>(moving.stream().map(arguments::get).toList());
        ends.add(value);
        changes.stream().filter(Objects::nonNull).map(Objects::requireNonNull).forEach(ends::add);
        return change == null
                || Execution.order(List.of(change), ends).stream()
                        .noneMatch(each -> each == value || moving.stream().anyMatch(i -> each == arguments.get(i)));
    }
}
