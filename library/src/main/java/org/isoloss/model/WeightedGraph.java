package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.autodiff.Precision;
import org.jspecify.annotations.Nullable;

/** The values of a model, what reads them, and which of them depend on inputs, on parameters alone, or on neither. */
final class WeightedGraph {
    private final Model model;
    private final List<Value> order;
    private final Map<Value, List<Value>> readers = new HashMap<>();
    private final Set<Value> varying = new HashSet<>();
    private final Set<Value> parametric = new HashSet<>();
    private final Set<Value> absorbing = new HashSet<>();
    private final Set<Value> absorbed = new HashSet<>(); // what is only read by those

    WeightedGraph(Model model) {
        this.model = model;
        this.order = Execution.order(List.copyOf(model.outputs().values()), Set.of());
        for (Value value : order) {
            value.arguments().stream()
                    .distinct()
                    .forEach(argument -> readers.computeIfAbsent(argument, _ -> new ArrayList<>())
                            .add(value));
            boolean varies = model.inputs().containsValue(value)
                    || value.arguments().stream().anyMatch(varying::contains);
            if (varies) {
                varying.add(value);
            } else if (model.parameters().containsValue(value)
                    || value.arguments().stream().anyMatch(parametric::contains)) {
                parametric.add(value);
            }
        }
        findAbsorbing();
    }

    /** All values that outputs depend on, in the order of computation. */
    List<Value> order() {
        return order;
    }

    List<Value> readers(Value value) {
        return readers.getOrDefault(value, List.of());
    }

    boolean isOutput(Value value) {
        return model.outputs().containsValue(value);
    }

    /** Whether a value depends on inputs. */
    boolean isVarying(Value value) {
        return varying.contains(value);
    }

    /** Whether a value depends on parameters, and not on inputs. */
    boolean isParametric(Value value) {
        return parametric.contains(value);
    }

    /** Whether a value depends on constants alone. */
    boolean isFixed(Value value) {
        return !varying.contains(value) && !parametric.contains(value);
    }

    /** Whether a parameter of its own makes a sum or product whatever it has to be. */
    boolean isAbsorbing(Value value) {
        return absorbing.contains(value);
    }

    /** Whether a value is read by such sums and products alone. */
    boolean isAbsorbed(Value value) {
        return absorbed.contains(value);
    }

    /** Finds sums and products that a parameter of their own makes whatever they have to be. */
    private void findAbsorbing() {
        for (Value value : order.reversed()) {
            List<Value> reading = readers.getOrDefault(value, List.of());
            if (!parametric.contains(value)) {
                continue;
            }
            if (!reading.isEmpty()
                    && !model.outputs().containsValue(value)
                    && reading.stream().allMatch(reader -> absorbing.contains(reader) || absorbed.contains(reader))) {
                absorbed.add(value);
            } else if (own(value) != null) {
                absorbing.add(value);
            }
        }
    }

    /** The parameter that makes a sum or a product what it is: one with as many numbers, read by it alone; null where there is none. */
    @Nullable
    Value own(Value value) {
        boolean isMade = value.operation() instanceof Sum || value.operation() instanceof Product;
        return !isMade || value.arguments().size() < 2
                ? null
                : value.arguments().stream()
                        .filter(argument -> isParameter(argument)
                                && argument.shape().count() == value.shape().count()
                                && value.arguments().stream()
                                                .filter(argument::equals)
                                                .count()
                                        == 1
                                && readers.getOrDefault(argument, List.of()).size() == 1)
                        .findFirst()
                        .orElse(null);
    }

    private static boolean isParameter(Value value) {
        return value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.PARAMETER;
    }

    /** Whether a value is a parameter as it is used, or what a parameter of its own makes it. */
    boolean isWeight(Value value) {
        return absorbing.contains(value) || (isParameter(value) && !absorbed.contains(value));
    }

    /** Whether no number of a weight is zero. */
    static boolean hasFactors(Value weight) {
        Execution execution = Execution.of(Precision.FLOAT64, List.of(weight));
        execution.run();
        return Arrays.stream(execution.get(weight)).allMatch(factor -> factor != 0);
    }
}
