package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;

/**
 * Any network: named parameters, named inputs with static shapes, and named outputs, computed by a graph of primitive
 * operations. Front ends build models and compute nothing; features read them and know no file format.
 */
public final class Model {
    private final SequencedMap<String, Value> parameters;
    private final SequencedMap<String, Value> inputs;
    private final SequencedMap<String, Value> outputs;
    private final List<Composite> composites;
    private final int size;

    Model(
            SequencedMap<String, Value> parameters,
            SequencedMap<String, Value> inputs,
            SequencedMap<String, Value> outputs,
            List<Composite> composites,
            int size) {
        this.parameters = new LinkedHashMap<>(parameters);
        this.inputs = new LinkedHashMap<>(inputs);
        this.outputs = new LinkedHashMap<>(outputs);
        this.composites = List.copyOf(composites);
        this.size = size;
    }

    /** {@return a builder of a model} */
    public static ModelBuilder builder() {
        return new ModelBuilder(0);
    }

    /**
     * Returns the model with other numbers.
     *
     * @param numbers of some parameters by name, row-major; kept
     * @return a model that shares everything else
     */
    public Model with(Map<String, double[]> numbers) {
        Map<String, Numbers> all = new LinkedHashMap<>();
        numbers.forEach((name, array) -> {
            Value parameter = parameter(name);
            if (array.length != parameter.shape().count()) {
                throw new IllegalArgumentException("%d numbers for the parameter \"%s\" of shape %s"
                        .formatted(array.length, name, parameter.shape()));
            }
            all.put(
                    name,
                    new Replaced(array, ((Leaf) parameter.operation()).numbers().isReadInParts()));
        });
        return reading(all);
    }

    /**
     * Returns the model with other numbers, which are made when they are read.
     *
     * @param numbers of some parameters by name, as many as each has
     * @return a model that shares everything else
     */
    public Model reading(Map<String, Numbers> numbers) {
        ModelBuilder builder = extended();
        Map<Value, Value> replaced = new LinkedHashMap<>();
        SequencedMap<String, Value> moved = new LinkedHashMap<>(parameters);
        numbers.forEach((name, own) -> {
            Value parameter = parameter(name);
            Value with = builder.parameter(name, parameter.shape(), own);
            replaced.put(parameter, with);
            moved.put(name, with);
        });
        List<Value> wanted = new ArrayList<>(outputs.values());
        for (Composite composite : composites) {
            wanted.addAll(composite.arguments());
            wanted.add(composite.result());
        }
        Iterator<Value> built = builder.replacing(wanted, replaced).iterator();
        SequencedMap<String, Value> results = new LinkedHashMap<>();
        outputs.keySet().forEach(name -> results.put(name, built.next()));
        List<Composite> groups = new ArrayList<>();
        for (Composite composite : composites) {
            List<Value> arguments =
                    composite.arguments().stream().map(_ -> built.next()).toList();
            groups.add(new Composite(composite.role(), arguments, built.next()));
        }
        return new Model(moved, inputs, results, groups, builder.count());
    }

    /** Numbers that are computed with as those that they replace are, so that a file that holds them gives the same bits. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Replaced(double[] asFloat64, boolean isReadInParts) implements Numbers {
        @Override
        public void read(int from, float[] target, int at, int count) {
            for (int i = 0; i < count; i++) {
                target[at + i] = (float) asFloat64[from + i];
            }
        }

        @Override
        public void read(int from, double[] target, int at, int count) {
            System.arraycopy(asFloat64, from, target, at, count);
        }
    }

    /**
     * Returns the same function computed otherwise: sums of products are added up from the other end, and so rounded in another
     * way. What its outputs in float32 differ by from those of this model is the noise of float32.
     *
     * @return a model with the same inputs, whose parameters cannot be moved
     */
    public Model reordered() {
        ModelBuilder builder = extended();
        return new Model(
                new LinkedHashMap<>(), inputs, new Reordering(builder).of(outputs), List.of(), builder.count());
    }

    /**
     * Returns the model with other values as its outputs.
     *
     * @param values by the names of the outputs that they become
     * @return a model that shares everything else
     */
    public Model observing(SequencedMap<String, Value> values) {
        return observing(values, extended());
    }

    /**
     * Returns the model with values that were added to it as its outputs.
     *
     * @param values by the names of the outputs that they become
     * @param builder that added them
     * @return a model that shares everything else
     */
    public Model observing(SequencedMap<String, Value> values, ModelBuilder builder) {
        return new Model(parameters, inputs, values, composites, builder.count());
    }

    /** {@return how many values the graph has, those that no output depends on among them} */
    public int size() {
        return size;
    }

    /** {@return a builder of more values over this model} */
    public ModelBuilder extended() {
        return new ModelBuilder(size);
    }

    /** {@return the parameters by name, in the order of the file} */
    public SequencedMap<String, Value> parameters() {
        return Collections.unmodifiableSequencedMap(parameters);
    }

    /** {@return the inputs by name} */
    public SequencedMap<String, Value> inputs() {
        return Collections.unmodifiableSequencedMap(inputs);
    }

    /** {@return the outputs by name} */
    public SequencedMap<String, Value> outputs() {
        return Collections.unmodifiableSequencedMap(outputs);
    }

    /** {@return the groups of operations with a role} */
    public List<Composite> composites() {
        return composites;
    }

    /**
     * Returns a parameter.
     *
     * @param name of it
     * @return the parameter
     */
    public Value parameter(String name) {
        return found(parameters, "parameter", name);
    }

    /**
     * Returns the numbers of a parameter.
     *
     * @param name of it
     * @return row-major, in float64; not to be modified
     */
    public double[] numbers(String name) {
        return ((Leaf) parameter(name).operation()).numbers().asFloat64();
    }

    /**
     * Returns an output.
     *
     * @param name of it
     * @return the output
     */
    public Value output(String name) {
        return found(outputs, "output", name);
    }

    private static Value found(Map<String, Value> values, String kind, String name) {
        Value value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the model has no %s \"%s\"; it has %s"
                    .formatted(kind, name, values.isEmpty() ? "none" : String.join(", ", values.keySet())));
        }
        return value;
    }

    /** {@return the number of numbers in all parameters} */
    public long parameterCount() {
        return parameters.values().stream()
                .mapToLong(value -> value.shape().count())
                .sum();
    }

    /**
     * Computes the outputs.
     *
     * @param precision of all numbers
     * @param given the numbers of every input, row-major
     * @return by name, row-major
     */
    public SequencedMap<String, double[]> run(Precision precision, Map<String, double[]> given) {
        Execution execution = Execution.of(precision, List.copyOf(outputs.values()));
        setInputs(execution, given);
        execution.run();
        SequencedMap<String, double[]> results = new LinkedHashMap<>();
        outputs.forEach((name, output) -> results.put(name, execution.get(output)));
        return results;
    }

    /**
     * Computes values of the model in float64.
     *
     * @param values any, of the model
     * @param batches one after the other, the numbers of every input
     * @return for each value the numbers of all batches, one batch after the other, row-major
     */
    public List<double[]> computed(List<Value> values, List<Map<String, double[]>> batches) {
        Execution execution = Execution.of(Precision.FLOAT64, values);
        List<double[]> numbers = new ArrayList<>();
        values.forEach(value -> numbers.add(
                new double[Math.multiplyExact(batches.size(), value.shape().count())]));
        for (int batch = 0; batch < batches.size(); batch++) {
            setInputs(execution, batches.get(batch));
            execution.run();
            for (int i = 0; i < values.size(); i++) {
                execution.copy(
                        values.get(i),
                        numbers.get(i),
                        batch * values.get(i).shape().count());
            }
        }
        return numbers;
    }

    /**
     * Sets the inputs that a computation reads.
     *
     * @param execution of values of this model; modified
     * @param given the numbers of every input, row-major; not modified
     */
    public void setInputs(Execution execution, Map<String, double[]> given) {
        inputs.forEach((name, input) -> {
            double[] numbers = given.get(name);
            if (numbers == null) {
                throw new IllegalArgumentException("the input \"%s\" of shape %s has no data; given are %s"
                        .formatted(name, input.shape(), given.keySet()));
            }
            if (execution.reads(input)) {
                execution.set(input, numbers);
            }
        });
    }
}
