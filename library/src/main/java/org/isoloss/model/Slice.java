package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.autodiff.Precision;

/**
 * The part of a model between the parameters that move and what is asked for, on a fixed batch: what does not depend on them
 * is computed once, in float64, and is a constant; what lies behind is left out.
 */
final class Slice {
    private final ModelBuilder builder;
    private final Value vector;
    private final Value results;

    private Slice(ModelBuilder builder, Value vector, Value results) {
        this.builder = builder;
        this.vector = vector;
        this.results = results;
    }

    /**
     * Cuts a part out.
     *
     * @param moving the parameters that move
     * @param batches one after the other, the numbers of every input of the model
     * @param wanted values of the model
     */
    static Slice of(Moving moving, List<Map<String, double[]>> batches, List<Value> wanted) {
        Model model = moving.model();
        Set<Value> sources = new HashSet<>();
        moving.places().keySet().forEach(name -> sources.add(model.parameter(name)));
        Set<Value> depending = new HashSet<>(sources);
        Set<Value> frontier = new LinkedHashSet<>();
        for (Value value : Execution.order(wanted, sources)) {
            if (!depending.contains(value) && value.arguments().stream().anyMatch(depending::contains)) {
                depending.add(value);
            }
        }
        for (String name : moving.places().keySet()) {
            if (Execution.order(wanted, Set.of()).stream().noneMatch(value -> value == model.parameter(name))) {
                throw new IllegalArgumentException(
                        "the tensor %s moves without effect: no output that is protected depends on it"
                                .formatted(name));
            }
        }
        for (Value value : Execution.order(wanted, sources)) {
            if (depending.contains(value) && !sources.contains(value)) {
                value.arguments().stream()
                        .filter(argument -> !depending.contains(argument))
                        .forEach(frontier::add);
            }
        }
        wanted.stream().filter(value -> !depending.contains(value)).forEach(frontier::add);
        new Smoothness(wanted, sources).requireSmooth(model, depending);
        ModelBuilder builder = model.extended();
        Value vector = builder.input("moving parameters", moving.count());
        Map<Value, Value> moved = moving.madeOf(builder, vector);
        List<Value> flat = new ArrayList<>();
        for (Map<String, double[]> inputs : batches) {
            Map<Value, Value> replaced = constants(builder, model, inputs, List.copyOf(frontier));
            replaced.putAll(moved);
            for (Value value : builder.replacing(wanted, replaced)) {
                flat.add(builder.reshape(value, Dimensions.of(value.shape().count())));
            }
        }
        return new Slice(builder, vector, builder.concatenate(flat, 0));
    }

    private static Map<Value, Value> constants(
            ModelBuilder builder, Model model, Map<String, double[]> inputs, List<Value> frontier) {
        Map<Value, Value> constants = new HashMap<>();
        List<Value> computed = frontier.stream()
                .filter(value -> !ModelBuilder.isConstant(value))
                .toList();
        if (computed.isEmpty()) {
            return constants;
        }
        Execution execution = Execution.of(Precision.FLOAT64, computed);
        model.setInputs(execution, inputs);
        execution.run();
        for (Value value : computed) {
            double[] numbers = execution.get(value);
            constants.put(value, builder.constant(value.shape(), () -> numbers));
        }
        return constants;
    }

    /** Adds values over the slice. */
    ModelBuilder builder() {
        return builder;
    }

    /** The moving parameters. */
    Value vector() {
        return vector;
    }

    /** Everything that was asked for, one after the other. */
    Value results() {
        return results;
    }

    /** How many numbers all values on the way have together. */
    long size() {
        return Execution.order(List.of(results), Set.of(vector)).stream()
                .filter(value -> !(value.operation() instanceof Leaf))
                .mapToLong(value -> value.shape().count())
                .sum();
    }
}
