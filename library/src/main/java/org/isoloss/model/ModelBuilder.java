package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;
import org.isoloss.autodiff.Precision;

/**
 * Builds a {@link Model}, or adds values to one. The same operation on the same values is made once; what is made of
 * constants alone is computed at once.
 */
public final class ModelBuilder extends Expressions {
    /** Constants are folded up to this many entries, or as long as they do not grow. */
    private static final int FOLDED = 1 << 16;

    private final SequencedMap<String, Value> parameters = new LinkedHashMap<>();
    private final SequencedMap<String, Value> inputs = new LinkedHashMap<>();
    private final SequencedMap<String, Value> outputs = new LinkedHashMap<>();
    private final List<Composite> composites = new ArrayList<>();
    private final Map<Step, Value> made = new HashMap<>();
    private final Map<Double, Value> scalars = new HashMap<>();
    private int next;
    private String origin = "";

    private record Step(Operation operation, List<Value> arguments) {}

    ModelBuilder(int next) {
        this.next = next;
    }

    /**
     * Names what the values made from now on come from, for messages.
     *
     * @param where such as {@code node Conv_3 (Conv)}
     */
    public void at(String where) {
        origin = where;
    }

    /**
     * Adds an input.
     *
     * @param name of its own
     * @param shape batch first
     * @return the input
     */
    public Value input(String name, int... shape) {
        return named(inputs, "input", name, leaf(Leaf.Kind.INPUT, name, Dimensions.of(shape), null));
    }

    /**
     * Adds a parameter.
     *
     * @param name of its own
     * @param shape of the tensor
     * @param numbers read when they are used
     * @return the parameter
     */
    public Value parameter(String name, Dimensions shape, Numbers numbers) {
        return named(parameters, "parameter", name, leaf(Leaf.Kind.PARAMETER, name, shape, numbers));
    }

    /**
     * Adds a constant tensor.
     *
     * @param shape of the tensor
     * @param numbers row-major
     * @return the constant
     */
    public Value constant(Dimensions shape, Numbers numbers) {
        return leaf(Leaf.Kind.CONSTANT, "", shape, numbers);
    }

    /**
     * Adds a constant number.
     *
     * @param number any
     * @return the constant, without axes
     */
    public Value constant(double number) {
        return scalars.computeIfAbsent(number, _ -> constant(Dimensions.SCALAR, Numbers.of(number)));
    }

    /** A tensor of zeros. */
    Value zeros(Dimensions shape) {
        return rearrange(constant(0), IndexMap.broadcast(Dimensions.SCALAR, shape), 0);
    }

    /**
     * Adds an output.
     *
     * @param name of its own
     * @param value what is returned under it
     */
    public void output(String name, Value value) {
        named(outputs, "output", name, value);
    }

    private static Value named(Map<String, Value> values, String kind, String name, Value value) {
        if (values.putIfAbsent(name, value) != null) {
            throw new IllegalArgumentException("two %ss of the model have the name \"%s\"".formatted(kind, name));
        }
        return value;
    }

    private Value leaf(
            Leaf.Kind kind, String name, Dimensions shape, @org.jspecify.annotations.Nullable Numbers numbers) {
        return new Value(next++, new Leaf(kind, name, shape, numbers), List.of(), shape, origin);
    }

    @Override
    public Value add(Operation operation, Value... arguments) {
        List<Value> list = List.of(arguments);
        var step = new Step(operation, list);
        Value known = made.get(step);
        if (known == null) {
            known = folded(create(operation, list));
            made.put(step, known);
        }
        return known;
    }

    private Value create(Operation operation, List<Value> arguments) {
        try {
            Dimensions shape =
                    operation.shape(arguments.stream().map(Value::shape).toList());
            return new Value(next++, operation, arguments, shape, origin);
        } catch (IllegalArgumentException e) {
            throw origin.isEmpty() ? e : new IllegalArgumentException(origin + ": " + e.getMessage(), e);
        }
    }

    private Value folded(Value value) {
        int largest = value.arguments().stream()
                .mapToInt(argument -> argument.shape().count())
                .max()
                .orElse(0);
        if (!value.arguments().stream().allMatch(ModelBuilder::isConstant)
                || value.shape().count() > Math.max(FOLDED, largest)) {
            return value;
        }
        Execution execution = Execution.of(Precision.FLOAT64, List.of(value));
        execution.run();
        double[] numbers = execution.get(value);
        return constant(value.shape(), () -> numbers);
    }

    static boolean isConstant(Value value) {
        return value.operation() instanceof Leaf leaf && leaf.kind() == Leaf.Kind.CONSTANT;
    }

    /**
     * Groups what is made under a role: a reading may treat it whole, or know more about it than about its parts.
     *
     * @param role such as {@code LayerNorm}
     * @param arguments what goes in
     * @param parts makes the result
     * @return the result
     */
    public Value composite(Composite.Role role, List<Value> arguments, Supplier<Value> parts) {
        Value result = parts.get();
        composites.add(new Composite(role, arguments, result));
        return result;
    }

    /**
     * Builds values once more with others in the place of some: slices, lifts and moved parameters are made so.
     *
     * @param values what is wanted
     * @param replaced what stands for what, of the same shapes
     * @return one for each value
     */
    public List<Value> replacing(List<Value> values, Map<Value, Value> replaced) {
        Map<Value, Value> built = new HashMap<>(replaced);
        for (Value value : Execution.order(values, replaced.keySet())) {
            if (!built.containsKey(value)) {
                Value[] arguments = value.arguments().stream()
                        .map(argument -> built.getOrDefault(argument, argument))
                        .toArray(Value[]::new);
                at(value.origin());
                built.put(
                        value,
                        Arrays.asList(arguments).equals(value.arguments()) ? value : add(value.operation(), arguments));
            }
        }
        return values.stream().map(value -> built.getOrDefault(value, value)).toList();
    }

    /** How many values there are. */
    int count() {
        return next;
    }

    /** {@return the model} */
    public Model build() {
        if (outputs.isEmpty()) {
            throw new IllegalArgumentException("the model has no output; name one by output(name, value)");
        }
        return new Model(parameters, inputs, outputs, composites, next);
    }
}
