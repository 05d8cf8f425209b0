package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Derivatives of values, written as values: forward for a direction, backward for a gradient, and both again for second
 * derivatives.
 */
public final class Differentiation {
    private Differentiation() {}

    /**
     * Differentiates along a direction.
     *
     * @param builder adds values
     * @param results what is differentiated
     * @param directions how some values change, of their shapes
     * @return for each result its change, of its shape; zeros where it does not change
     * @throws UnsupportedOperationException when something on the way has no derivative, with the place and the reason
     */
    public static List<Value> tangents(ModelBuilder builder, List<Value> results, Map<Value, Value> directions) {
        Map<Value, Value> changes = new HashMap<>(directions);
        Smoothness smoothness = new Smoothness(results, directions.keySet());
        for (Value value : smoothness.carrying()) {
            List<@Nullable Value> moving = new ArrayList<>();
            value.arguments().forEach(argument -> moving.add(changes.get(argument)));
            if (directions.containsKey(value) || moving.stream().allMatch(change -> change == null)) {
                continue;
            }
            builder.at(value.origin());
            Value change = placed(value, () -> value.operation().tangent(builder, value, moving));
            if (change != null) {
                changes.put(value, change);
            }
        }
        return results.stream()
                .map(result -> {
                    Value change = changes.get(result);
                    return change == null ? builder.zeros(result.shape()) : change;
                })
                .toList();
    }

    /**
     * Returns gradients: what the results' gradients become at other values.
     *
     * @param builder adds values
     * @param results what is differentiated
     * @param upstream the gradient of each result, of its shape
     * @param sources with respect to what
     * @return for each source its gradient, of its shape; zeros where no result depends on it
     * @throws UnsupportedOperationException when something on the way has no derivative, with the place and the reason
     */
    public static List<Value> gradients(
            ModelBuilder builder, List<Value> results, List<Value> upstream, List<Value> sources) {
        Set<Value> ends = Set.copyOf(sources);
        List<Value> order = Execution.order(results, ends);
        Map<Value, Boolean> reaches = new HashMap<>();
        for (Value value : order) {
            reaches.put(
                    value,
                    ends.contains(value)
                            || value.arguments().stream().anyMatch(argument -> reaches.getOrDefault(argument, false)));
        }
        Map<Value, List<Value>> collected = new LinkedHashMap<>();
        for (int i = 0; i < results.size(); i++) {
            collected.computeIfAbsent(results.get(i), _ -> new ArrayList<>()).add(upstream.get(i));
        }
        Map<Value, Value> gradients = new HashMap<>();
        for (Value value : order.reversed()) {
            List<Value> terms = collected.get(value);
            if (terms == null || !reaches.getOrDefault(value, false)) {
                continue;
            }
            builder.at(value.origin());
            Value gradient = builder.sum(terms);
            gradients.put(value, gradient);
            if (ends.contains(value)) {
                continue;
            }
            List<@Nullable Value> parts = placed(value, () -> value.operation().pullback(builder, value, gradient));
            for (int i = 0; parts != null && i < parts.size(); i++) {
                Value part = parts.get(i);
                if (part != null && reaches.getOrDefault(value.argument(i), false)) {
                    collected
                            .computeIfAbsent(value.argument(i), _ -> new ArrayList<>())
                            .add(part);
                }
            }
        }
        return sources.stream()
                .map(source -> {
                    Value gradient = gradients.get(source);
                    return gradient == null ? builder.zeros(source.shape()) : gradient;
                })
                .toList();
    }

    private interface Rule<T extends @Nullable Object> {
        T apply();
    }

    private static <T extends @Nullable Object> T placed(Value value, Rule<T> rule) {
        try {
            return rule.apply();
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException("%s: %s".formatted(value, e.getMessage()), e);
        }
    }
}
