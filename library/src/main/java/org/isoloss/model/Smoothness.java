package org.isoloss.model;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Through which values derivatives pass from some values to results. Where something only decides, as a mask or an index does,
 * they do not pass.
 */
final class Smoothness {
    private final List<Value> order;
    private final List<Value> results;
    /** What changes smoothly with the sources. */
    private final Set<Value> smooth;
    /** With what the results change smoothly. */
    private final Set<Value> felt;

    Smoothness(List<Value> results, Set<Value> sources) {
        this.order = Execution.order(results, sources);
        this.results = results;
        this.smooth = new HashSet<>(sources);
        this.felt = new HashSet<>(results);
        for (Value value : order) {
            if (passesOn(value)) {
                smooth.add(value);
            }
        }
        for (Value value : order.reversed()) {
            for (int i = 0; felt.contains(value) && i < value.arguments().size(); i++) {
                if (value.operation().isSmoothIn(i)) {
                    felt.add(value.argument(i));
                }
            }
        }
    }

    private boolean passesOn(Value value) {
        for (int i = 0; i < value.arguments().size(); i++) {
            if (smooth.contains(value.argument(i)) && value.operation().isSmoothIn(i)) {
                return true;
            }
        }
        return false;
    }

    /** What lies on a way from the sources to the results, the sources among it, in the order of computation. */
    List<Value> carrying() {
        return order.stream()
                .filter(value -> smooth.contains(value) && felt.contains(value))
                .toList();
    }

    /**
     * Refuses results that jump and do nothing else.
     *
     * @param model whose outputs they are
     * @param depending all values that depend on the sources
     * @throws IllegalArgumentException with the step at which they do
     */
    void requireSmooth(Model model, Set<Value> depending) {
        for (Value value : carrying()) {
            if (value.operation() instanceof Application application && application.jumps()) {
                throw new IllegalArgumentException(
                        "%s: what moves goes through %s, which jumps and has no derivative; protect what lies before it, or move what lies behind it"
                                .formatted(place(value), application.name()));
            }
        }
        for (Value value : order) {
            boolean byIndex = value.operation() instanceof Lookup || value.operation() instanceof Accumulation;
            if (byIndex && depending.contains(value.argument(1))) {
                throw new IllegalArgumentException(
                        "%s: what moves decides which entries are taken; protect what lies before it, or move what lies behind it"
                                .formatted(place(value)));
            }
        }
        for (Map.Entry<String, Value> output : model.outputs().entrySet()) {
            Value value = output.getValue();
            if (results.contains(value) && depending.contains(value) && !smooth.contains(value)) {
                throw new IllegalArgumentException(
                        "the output %s does not change smoothly: %s only decides, and passes no derivative on from what moves; protect what lies before it"
                                .formatted(output.getKey(), place(lastJump(value))));
            }
        }
    }

    private Value lastJump(Value output) {
        List<Value> before = Execution.order(List.of(output), Set.of());
        return before.reversed().stream()
                .filter(value ->
                        !smooth.contains(value) && value.arguments().stream().anyMatch(smooth::contains))
                .findFirst()
                .orElse(output);
    }

    private static String place(Value value) {
        return value.origin().isEmpty() ? value.toString() : value.origin();
    }
}
