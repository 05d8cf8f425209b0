package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        return of(moving, batches, wanted, false, (builder, results) -> results);
    }

    /**
     * Cuts out the part up to entries of values, with products of parts of parameters apart.
     *
     * @param moving the parameters that move
     * @param batches one after the other, the numbers of every input of the model
     * @param wanted entries of values of the model
     */
    static Slice of(Moving moving, List<Map<String, double[]>> batches, Boundary wanted) {
        List<Value> values = wanted.parts().stream().map(Boundary.Part::value).toList();
        return of(moving, batches, values, true, (builder, results) -> {
            List<Value> chosen = new ArrayList<>();
            for (int i = 0; i < results.size(); i++) {
                chosen.add(chosen(builder, results.get(i), wanted.parts().get(i).entries()));
            }
            return chosen;
        });
    }

    private static Value chosen(ModelBuilder builder, Value value, List<Integer> entries) {
        int count = value.shape().count();
        if (entries.size() == count) {
            return value;
        }
        double[] places = entries.stream().mapToDouble(Integer::doubleValue).toArray();
        return builder.lookup(
                builder.reshape(value, Dimensions.of(count)),
                builder.constant(Dimensions.of(places.length), () -> places),
                0);
    }

    /** What becomes of the wanted values of one batch. */
    private interface Choice {
        List<Value> of(ModelBuilder builder, List<Value> results);
    }

    /** What depends on some values, on the way to others; the former among it. */
    static Set<Value> depending(Collection<Value> sources, List<Value> wanted) {
        Set<Value> depending = new HashSet<>(sources);
        for (Value value : Execution.order(wanted, Set.copyOf(sources))) {
            if (value.arguments().stream().anyMatch(depending::contains)) {
                depending.add(value);
            }
        }
        return depending;
    }

    private static Slice of(
            Moving moving, List<Map<String, double[]>> batches, List<Value> wanted, boolean partly, Choice choice) {
        Model model = moving.model();
        Set<Value> sources = new HashSet<>();
        moving.places().keySet().forEach(name -> sources.add(model.parameter(name)));
        Set<Value> depending = depending(sources, wanted);
        Set<Value> frontier = new LinkedHashSet<>();
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
            if (partly) {
                PartlyMoving parts = PartlyMoving.of(builder, moving, vector);
                wanted.forEach(value -> parts.made(value, replaced));
            }
            for (Value value : choice.of(builder, builder.replacing(wanted, replaced))) {
                flat.add(builder.reshape(value, Dimensions.of(value.shape().count())));
            }
        }
        return new Slice(builder, vector, builder.concatenate(flat, 0));
    }

    /**
     * Cuts out what the moving parameters do to values that are looked at, each as it would be if those before it stayed: none
     * of these changes, to first order, where and only where none of the values themselves does.
     *
     * @param moving the parameters that move
     * @param batches one after the other, the numbers of every input of the model
     * @param looked values of the model
     */
    static Slice apart(Moving moving, List<Map<String, double[]>> batches, List<Value> looked) {
        Model model = moving.model();
        Set<Value> sources = new HashSet<>();
        moving.places().keySet().forEach(name -> sources.add(model.parameter(name)));
        Set<Value> depending = depending(sources, looked);
        Set<Value> frontier = new LinkedHashSet<>(looked);
        Execution.order(looked, sources).stream()
                .filter(value -> depending.contains(value) && !sources.contains(value))
                .flatMap(value -> value.arguments().stream())
                .filter(argument -> !depending.contains(argument))
                .forEach(frontier::add);
        ModelBuilder builder = model.extended();
        Value vector = builder.input("moving parameters", moving.count());
        Map<Value, Value> moved = moving.madeOf(builder, vector);
        PartlyMoving parts = PartlyMoving.of(builder, moving, vector);
        List<Value> flat = new ArrayList<>();
        for (Map<String, double[]> inputs : batches) {
            Map<Value, Value> constants = constants(builder, model, inputs, List.copyOf(frontier));
            Map<Value, Value> replaced = new HashMap<>(constants);
            looked.forEach(replaced::remove);
            replaced.putAll(moved);
            for (Value value : looked) {
                Value made = parts.made(value, replaced);
                flat.add(builder.reshape(made, Dimensions.of(value.shape().count())));
                replaced.put(value, Objects.requireNonNull(constants.get(value)));
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
