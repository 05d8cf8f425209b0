package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.Rationals;
import org.isoloss.model.Algebra;
import org.isoloss.model.AlgebraReading;
import org.isoloss.model.Clamp;
import org.isoloss.model.Elementary;
import org.isoloss.model.ExponentialUnit;
import org.isoloss.model.Model;
import org.isoloss.model.Power;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;

/**
 * Writes a model out gate by gate. Numbers of the model in decimal digits are the decimal fractions that they say; functions of
 * constants are rounded to float64, as the model computes them. An element is the number of its gate.
 */
final class CircuitReading implements Algebra<Integer> {
    static final int MOST_GATES = 200_000;

    /** Stands for what is left out of a largest or a softmax. */
    private static final int MINUS_INFINITY = -1;

    private static final int MOST_POWER = 64;

    private final List<Gate> gates = new ArrayList<>();
    private final Map<Gate, Integer> numbers = new HashMap<>();

    private CircuitReading() {}

    static Circuit of(Model model) {
        CircuitReading reading = new CircuitReading();
        Map<Value, List<Integer>> given = new HashMap<>();
        List<Circuit.Tensor> tensors = new ArrayList<>();
        int parameters = 0;
        for (Map.Entry<String, Value> parameter : model.parameters().entrySet()) {
            Value value = parameter.getValue();
            int from = parameters;
            parameters = Math.addExact(parameters, value.shape().count());
            given.put(
                    value,
                    IntStream.range(from, parameters)
                            .mapToObj(i -> reading.gate(new Circuit.Parameter(i)))
                            .toList());
            tensors.add(new Circuit.Tensor(parameter.getKey(), value.shape().sizes()));
        }
        int inputs = 0;
        for (Value value : model.inputs().values()) {
            int from = inputs;
            inputs += value.shape().count();
            given.put(
                    value,
                    IntStream.range(from, inputs)
                            .mapToObj(i -> reading.gate(new Circuit.Input(i)))
                            .toList());
        }
        Set<Integer> outputs = new LinkedHashSet<>();
        AlgebraReading.read(reading, List.copyOf(model.outputs().values()), given)
                .forEach(outputs::addAll);
        return reading.circuit(tensors, IntStream.range(0, parameters).boxed().toList(), inputs, List.copyOf(outputs));
    }

    /** Writes a circuit out again, with 0 in place of some parameters. */
    static Circuit fixing(Circuit circuit, Set<Integer> fixed) {
        CircuitReading reading = new CircuitReading();
        List<Integer> moving = new ArrayList<>();
        Map<Integer, Integer> places = new HashMap<>();
        for (int a = 0; a < circuit.parameterCount(); a++) {
            if (!fixed.contains(a)) {
                places.put(a, moving.size());
                moving.add(circuit.moving().get(a));
            }
        }
        List<Integer> again = new ArrayList<>();
        for (Gate gate : circuit.gates()) {
            again.add(
                    switch (gate) {
                        case Circuit.Parameter(int index) ->
                            fixed.contains(index)
                                    ? reading.constant(Rationals.ZERO)
                                    : reading.gate(new Circuit.Parameter(places.getOrDefault(index, 0)));
                        case Circuit.Input _, Constant _ -> reading.gate(gate);
                        case Sum(int left, int right) -> reading.plus(again.get(left), again.get(right));
                        case Product(int left, int right) -> reading.times(again.get(left), again.get(right));
                        case Application(CircuitFunction function, int argument) ->
                            reading.of(function, again.get(argument));
                    });
        }
        Set<Integer> outputs = new LinkedHashSet<>();
        circuit.outputs().forEach(output -> outputs.add(again.get(output)));
        return reading.circuit(circuit.tensors(), moving, circuit.inputs(), List.copyOf(outputs));
    }

    /** Leaves out what no output depends on, and outputs that depend on no parameter. */
    private Circuit circuit(List<Circuit.Tensor> tensors, List<Integer> moving, int inputs, List<Integer> outputs) {
        boolean[] moves = new boolean[gates.size()];
        for (int i = 0; i < moves.length; i++) {
            moves[i] = switch (gates.get(i)) {
                case Circuit.Parameter _ -> true;
                case Circuit.Input _, Constant _ -> false;
                case Sum(int left, int right) -> moves[left] || moves[right];
                case Product(int left, int right) -> moves[left] || moves[right];
                case Application application -> moves[application.argument()];
            };
        }
        boolean[] needed = new boolean[gates.size()];
        List<Integer> kept =
                outputs.stream().filter(output -> output >= 0 && moves[output]).toList();
        kept.forEach(output -> needed[output] = true);
        for (int i = needed.length - 1; i >= 0; i--) {
            if (needed[i]) {
                arguments(gates.get(i)).forEach(argument -> needed[argument] = true);
            }
        }
        int[] places = new int[gates.size()];
        List<Gate> result = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            if (needed[i]) {
                places[i] = result.size();
                result.add(
                        switch (gates.get(i)) {
                            case Sum(int left, int right) -> new Sum(places[left], places[right]);
                            case Product(int left, int right) -> new Product(places[left], places[right]);
                            case Application(CircuitFunction function, int argument) ->
                                new Application(function, places[argument]);
                            case Gate leaf -> leaf;
                        });
            }
        }
        return new Circuit(
                tensors,
                moving,
                inputs,
                result,
                kept.stream().map(output -> places[output]).toList());
    }

    private static List<Integer> arguments(Gate gate) {
        return switch (gate) {
            case Sum(int left, int right) -> List.of(left, right);
            case Product(int left, int right) -> List.of(left, right);
            case Application application -> List.of(application.argument());
            default -> List.of();
        };
    }

    private Integer gate(Gate gate) {
        Integer known = numbers.get(gate);
        if (known != null) {
            return known;
        }
        if (gates.size() >= MOST_GATES) {
            throw new IllegalArgumentException(
                    "written out number by number the network has more than %,d steps, the most that are proved about"
                            .formatted(MOST_GATES));
        }
        gates.add(gate);
        numbers.put(gate, gates.size() - 1);
        return gates.size() - 1;
    }

    private boolean isConstant(int element) {
        return element >= 0 && gates.get(element) instanceof Constant;
    }

    private Rational<BigInteger> value(int element) {
        return ((Constant) gates.get(element)).value();
    }

    private boolean is(int element, Rational<BigInteger> number) {
        return isConstant(element) && value(element).equals(number);
    }

    private Integer constant(Rational<BigInteger> value) {
        return gate(new Constant(value));
    }

    @Override
    public Integer constant(double value) {
        if (value == Double.NEGATIVE_INFINITY || value <= -Float.MAX_VALUE) { // a mask
            return MINUS_INFINITY;
        }
        if (!Double.isFinite(value)) {
            throw new UnsupportedOperationException("the constant %s is no number".formatted(value));
        }
        return constant(Rationals.ofDecimal(value));
    }

    @Override
    public Integer plus(Integer left, Integer right) {
        if (left == MINUS_INFINITY || right == MINUS_INFINITY) {
            return MINUS_INFINITY;
        }
        if (isConstant(left) && isConstant(right)) {
            return constant(value(left).add(value(right)));
        }
        if (is(left, Rationals.ZERO)) {
            return right;
        }
        if (is(right, Rationals.ZERO)) {
            return left;
        }
        return gate(new Sum(Math.min(left, right), Math.max(left, right)));
    }

    @Override
    public Integer times(Integer left, Integer right) {
        if (left == MINUS_INFINITY || right == MINUS_INFINITY) {
            throw new UnsupportedOperationException("an infinite number is multiplied");
        }
        if (isConstant(right)) {
            return isConstant(left) ? constant(value(left).multiply(value(right))) : scaled(value(right), left);
        }
        return isConstant(left)
                ? scaled(value(left), right)
                : gate(new Product(Math.min(left, right), Math.max(left, right)));
    }

    private Integer scaled(Rational<BigInteger> factor, int element) {
        if (factor.isZero()) {
            return constant(factor);
        }
        if (factor.isOne()) {
            return element;
        }
        if (gates.get(element) instanceof Product(int left, int right) && isConstant(left)) {
            return scaled(factor.multiply(value(left)), right);
        }
        if (gates.get(element) instanceof Product(int left, int right) && isConstant(right)) {
            return scaled(factor.multiply(value(right)), left);
        }
        int constant = constant(factor);
        return gate(new Product(Math.min(constant, element), Math.max(constant, element)));
    }

    private Integer scaled(double factor, int element) {
        return scaled(Rationals.ofDecimal(factor), element);
    }

    private Integer of(CircuitFunction function, int element) {
        if (isConstant(element)) {
            return function == CircuitFunction.RECIPROCAL && !value(element).isZero()
                    ? constant(value(element).reciprocal())
                    : constant(function.value(Rationals.toDouble(value(element))));
        }
        return gate(new Application(function, element));
    }

    @Override
    public Integer apply(Pointwise function, Integer z) {
        if (z == MINUS_INFINITY) {
            return constant(function.value(Double.NEGATIVE_INFINITY));
        }
        return switch (function) {
            case Power power -> power(power, z);
            case Clamp clamp -> clamp(clamp, z);
            case Activation activation -> activation(activation, z);
            case ExponentialUnit(double alpha, double rate, double factor) -> {
                int below = of(CircuitFunction.RELU, scaled(-1, z));
                int raised = of(CircuitFunction.EXP, scaled(-rate, below));
                yield scaled(factor, plus(of(CircuitFunction.RELU, z), scaled(alpha, plus(raised, constant(-1)))));
            }
            case Elementary elementary -> elementary(elementary, z);
            default -> throw new UnsupportedOperationException("%s has no exact form".formatted(function));
        };
    }

    private Integer elementary(Elementary function, int z) {
        return switch (function) {
            case EXP -> of(CircuitFunction.EXP, z);
            case LOG -> of(CircuitFunction.LOG, z);
            case ERF -> of(CircuitFunction.ERF, z);
            case ABS -> plus(scaled(2, of(CircuitFunction.RELU, z)), scaled(-1, z));
            default -> {
                if (!isConstant(z)) {
                    throw new UnsupportedOperationException("%s has no exact form".formatted(function));
                }
                yield constant(function.value(Rationals.toDouble(value(z))));
            }
        };
    }

    private Integer activation(Activation activation, int z) {
        return switch (activation) {
            case IDENTITY -> z;
            case RELU -> of(CircuitFunction.RELU, z);
            case LEAKY_RELU -> clamp(new Clamp(0, Double.POSITIVE_INFINITY, 0.01), z);
            case TANH -> of(CircuitFunction.TANH, z);
            case SIGMOID -> of(CircuitFunction.SIGMOID, z);
            case SILU -> times(z, of(CircuitFunction.SIGMOID, z));
            case SOFTPLUS -> of(CircuitFunction.SOFTPLUS, z);
            case GELU -> {
                int half = of(CircuitFunction.ERF, scaled(Math.sqrt(0.5), z));
                yield times(scaled(0.5, z), plus(half, constant(1)));
            }
            case GELU_TANH -> {
                int cube = scaled(0.044715, times(z, times(z, z)));
                yield times(z, of(CircuitFunction.SIGMOID, scaled(2 * Math.sqrt(2 / Math.PI), plus(z, cube))));
            }
        };
    }

    private Integer power(Power power, int z) {
        double exponent = power.exponent();
        if (isConstant(z)) {
            return constant(power.value(Rationals.toDouble(value(z))));
        }
        double twice = 2 * exponent;
        if (twice != Math.rint(twice) || Math.abs(exponent) > MOST_POWER) {
            throw new UnsupportedOperationException("the power %s has no exact form".formatted(exponent));
        }
        int raised = constant(1);
        for (int i = 1; i <= Math.floor(Math.abs(exponent)); i++) {
            raised = times(raised, z);
        }
        if (exponent != Math.rint(exponent)) {
            raised = times(raised, of(CircuitFunction.ROOT, z));
        }
        return scaled(power.factor(), exponent < 0 ? of(CircuitFunction.RECIPROCAL, raised) : raised);
    }

    /** A clamp changes its slope at each of its bounds. */
    private Integer clamp(Clamp clamp, int z) {
        int value = z;
        if (Double.isFinite(clamp.low())) {
            int above = plus(z, constant(-clamp.low()));
            int slope = constant(Rationals.ONE.subtract(Rationals.ofDecimal(clamp.below())));
            value = plus(
                    plus(scaled(clamp.below(), above), constant(clamp.low())),
                    times(slope, of(CircuitFunction.RELU, above)));
        }
        if (Double.isFinite(clamp.high())) {
            value = plus(value, scaled(-1, of(CircuitFunction.RELU, plus(z, constant(-clamp.high())))));
        }
        return value;
    }

    @Override
    public Integer larger(Integer left, Integer right) {
        if (left.equals(right) || right == MINUS_INFINITY) {
            return left;
        }
        return left == MINUS_INFINITY ? right : plus(left, of(CircuitFunction.RELU, plus(right, scaled(-1, left))));
    }

    @Override
    public double number(Integer element) {
        if (element == MINUS_INFINITY) {
            return Double.NEGATIVE_INFINITY;
        }
        if (!isConstant(element)) {
            throw new UnsupportedOperationException(
                    "a choice depends on inputs or parameters, which has no exact form");
        }
        return Rationals.toDouble(value(element));
    }

    @Override
    public boolean decides(Integer element) {
        return element == MINUS_INFINITY || isConstant(element);
    }
}
