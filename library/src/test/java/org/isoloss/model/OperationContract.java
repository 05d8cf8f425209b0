package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.isoloss.autodiff.Precision;
import org.isoloss.exact.Rationals;

/**
 * The laws that every operation keeps, each face held against another: float64 against a loop over real numbers, float32
 * against float64, both derivatives against dual numbers and against each other, second derivatives against differences,
 * exact values against float64, dependence against the zeros of the Jacobian.
 */
final class OperationContract {
    private static final double EPSILON64 = 1e-12;
    private static final double EPSILON32 = 2e-5;

    private OperationContract() {}

    /**
     * One operation on arguments.
     *
     * @param shapes of the arguments
     * @param moving how many of them, the first ones, have derivatives
     * @param draw numbers for an argument
     * @param make the result from the arguments
     */
    record Case(
            String name,
            List<Dimensions> shapes,
            int moving,
            BiFunction<SplittableRandom, Integer, Double> draw,
            BiFunction<ModelBuilder, List<Value>, Value> make,
            boolean exact) {
        @Override
        public String toString() {
            return name;
        }
    }

    static void check(Case tested, long seed) {
        var random = new SplittableRandom(seed);
        ModelBuilder builder = Model.builder();
        List<Value> arguments = new ArrayList<>();
        Map<Value, double[]> numbers = new HashMap<>();
        for (int i = 0; i < tested.shapes.size(); i++) {
            int place = i;
            Value argument = builder.input("argument" + i, tested.shapes.get(i).toArray());
            arguments.add(argument);
            numbers.put(
                    argument,
                    random.doubles(argument.shape().count())
                            .map(_ -> tested.draw.apply(random, place))
                            .toArray());
        }
        Value result = tested.make.apply(builder, arguments);
        Value cotangent = builder.input("cotangent", result.shape().toArray());
        numbers.put(cotangent, normal(random, result.shape().count()));
        Map<Value, Value> directions = new HashMap<>();
        for (int i = 0; i < tested.moving; i++) {
            Value direction =
                    builder.input("direction" + i, tested.shapes.get(i).toArray());
            numbers.put(direction, normal(random, direction.shape().count()));
            directions.put(arguments.get(i), direction);
        }
        Value tangent =
                Differentiation.tangents(builder, List.of(result), directions).getFirst();
        List<Value> sources = arguments.subList(0, tested.moving);
        List<Value> gradients = Differentiation.gradients(builder, List.of(result), List.of(cotangent), sources);

        double[] values = run(Precision.FLOAT64, result, numbers);
        double[] slopes = run(Precision.FLOAT64, tangent, numbers);
        agree("real numbers", values, reals(result, numbers), EPSILON64);
        agree("float32", run(Precision.FLOAT32, result, numbers), values, EPSILON32);
        agree("float32 tangent", run(Precision.FLOAT32, tangent, numbers), slopes, 10 * EPSILON32);
        agree("dual numbers", slopes, duals(result, numbers, directions), EPSILON64);

        double along = 0;
        for (int i = 0; i < tested.moving; i++) {
            along += dot(
                    run(Precision.FLOAT64, gradients.get(i), numbers),
                    numbers(numbers, Objects.requireNonNull(directions.get(arguments.get(i)))));
        }
        double across = dot(numbers(numbers, cotangent), slopes);
        assertThat(along).as("gradient against tangent").isCloseTo(across, within(1e-11 * (1 + Math.abs(across))));

        batched(builder, result, sources, numbers, random);
        second(builder, tangent, gradients, arguments, directions, numbers);
        if (tested.exact) {
            exact(result, values, numbers);
        }
        dependence(builder, result, sources, numbers);
    }

    /** Three members at once, of which the first arguments, or all that move, differ, against one at a time. */
    private static void batched(
            ModelBuilder builder,
            Value result,
            List<Value> sources,
            Map<Value, double[]> numbers,
            SplittableRandom random) {
        int members = 3;
        for (int differing = 1; differing <= sources.size(); differing++) {
            Map<Value, Value> stacked = new HashMap<>();
            Map<Value, double[]> given = new HashMap<>(numbers);
            for (Value source : sources.subList(0, differing)) {
                Value all = builder.input(
                        "members%d.%d".formatted(builder.count(), differing),
                        source.shape().preceded(members).toArray());
                double[] own = numbers(numbers, source);
                double[] drawn = new double[members * own.length];
                for (int i = 0; i < drawn.length; i++) { // the same numbers in another order suit the operation
                    drawn[i] = own[random.nextInt(own.length)];
                }
                stacked.put(source, all);
                given.put(all, drawn);
            }
            Value together =
                    Batching.of(builder, List.of(result), stacked, members).getFirst();
            double[] found = run(Precision.FLOAT64, together, given);
            int size = result.shape().count();
            for (int member = 0; member < members; member++) {
                Map<Value, double[]> one = new HashMap<>(numbers);
                for (Map.Entry<Value, Value> entry : stacked.entrySet()) {
                    int length = entry.getKey().shape().count();
                    one.put(
                            entry.getKey(),
                            Arrays.copyOfRange(
                                    numbers(given, entry.getValue()), member * length, (member + 1) * length));
                }
                agree(
                        "member " + member,
                        Arrays.copyOfRange(found, member * size, (member + 1) * size),
                        run(Precision.FLOAT64, result, one),
                        EPSILON64);
            }
        }
    }

    /** The derivative of the tangent and of the gradients along the same direction, against central differences. */
    private static void second(
            ModelBuilder builder,
            Value tangent,
            List<Value> gradients,
            List<Value> arguments,
            Map<Value, Value> directions,
            Map<Value, double[]> numbers) {
        List<Value> firsts = new ArrayList<>(gradients);
        firsts.add(tangent);
        List<Value> seconds = Differentiation.tangents(builder, firsts, directions);
        double h = 1e-5;
        for (int i = 0; i < firsts.size(); i++) {
            double[] ahead = run(Precision.FLOAT64, firsts.get(i), moved(numbers, arguments, directions, h));
            double[] behind = run(Precision.FLOAT64, firsts.get(i), moved(numbers, arguments, directions, -h));
            for (int k = 0; k < ahead.length; k++) {
                ahead[k] = (ahead[k] - behind[k]) / (2 * h);
            }
            agree("second derivative", run(Precision.FLOAT64, seconds.get(i), numbers), ahead, 2e-6);
        }
    }

    private static Map<Value, double[]> moved(
            Map<Value, double[]> numbers, List<Value> arguments, Map<Value, Value> directions, double h) {
        Map<Value, double[]> moved = new HashMap<>(numbers);
        for (Value argument : arguments) {
            if (directions.containsKey(argument)) {
                double[] along = numbers(numbers, Objects.requireNonNull(directions.get(argument)));
                double[] at = numbers(numbers, argument).clone();
                for (int k = 0; k < at.length; k++) {
                    at[k] += h * along[k];
                }
                moved.put(argument, at);
            }
        }
        return moved;
    }

    private static void exact(Value result, double[] values, Map<Value, double[]> numbers) {
        Map<Value, List<cc.redberry.rings.Rational<cc.redberry.rings.bigint.BigInteger>>> given = new HashMap<>();
        numbers.forEach((value, array) -> given.put(value, Elements.filled(array.length, i -> Rationals.of(array[i]))));
        double[] exact = AlgebraReading.read(ExactAlgebra.INSTANCE, List.of(result), given).getFirst().stream()
                .mapToDouble(Rationals::toDouble)
                .toArray();
        agree("exact", values, exact, EPSILON64);
    }

    private static void dependence(
            ModelBuilder builder, Value result, List<Value> sources, Map<Value, double[]> numbers) {
        Map<Value, List<DependenceAlgebra.Dependence>> given = new HashMap<>();
        numbers.forEach((value, array) ->
                given.put(value, Elements.filled(array.length, i -> DependenceAlgebra.INSTANCE.constant(array[i]))));
        int next = 0;
        for (Value source : sources) {
            int first = next;
            given.put(source, Elements.filled(source.shape().count(), i -> DependenceAlgebra.on(first + i)));
            next += source.shape().count();
        }
        List<DependenceAlgebra.Dependence> found = AlgebraReading.read(
                        DependenceAlgebra.INSTANCE, List.of(result), given)
                .getFirst();
        int first = 0;
        for (Value source : sources) {
            Value direction = builder.input("unit" + first, source.shape().toArray());
            Value change = Differentiation.tangents(builder, List.of(result), Map.of(source, direction))
                    .getFirst();
            for (int i = 0; i < source.shape().count(); i++) {
                double[] unit = new double[source.shape().count()];
                unit[i] = 1;
                Map<Value, double[]> with = new HashMap<>(numbers);
                with.put(direction, unit);
                double[] column = run(Precision.FLOAT64, change, with);
                for (int k = 0; k < column.length; k++) {
                    if (!found.get(k).on().get(first + i)) {
                        assertThat(column[k])
                                .as("entry %d of the result on %d", k, i)
                                .isZero();
                    }
                }
            }
            first += source.shape().count();
        }
    }

    static double[] run(Precision precision, Value result, Map<Value, double[]> numbers) {
        Execution execution = Execution.of(precision, List.of(result), Set.of());
        numbers.forEach((value, array) -> {
            if (execution.reads(value)) {
                execution.set(value, array);
            }
        });
        execution.run();
        return execution.get(result);
    }

    private static double[] reals(Value result, Map<Value, double[]> numbers) {
        Map<Value, List<Double>> given = new HashMap<>();
        numbers.forEach((value, array) -> given.put(value, Elements.filled(array.length, i -> array[i])));
        return AlgebraReading.read(new RealAlgebra(), List.of(result), given).getFirst().stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private static double[] duals(Value result, Map<Value, double[]> numbers, Map<Value, Value> directions) {
        Map<Value, List<DualAlgebra.Dual>> given = new HashMap<>();
        numbers.forEach((value, array) -> {
            Value direction = directions.get(value);
            double[] along = direction == null ? new double[array.length] : numbers(numbers, direction);
            given.put(value, Elements.filled(array.length, i -> new DualAlgebra.Dual(array[i], along[i])));
        });
        return AlgebraReading.read(new DualAlgebra(), List.of(result), given).getFirst().stream()
                .mapToDouble(DualAlgebra.Dual::slope)
                .toArray();
    }

    private static double[] numbers(Map<Value, double[]> numbers, Value value) {
        return Objects.requireNonNull(numbers.get(value));
    }

    private static void agree(String what, double[] found, double[] expected, double tolerance) {
        assertThat(found).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < found.length; i++) {
            if (found[i] != expected[i]) {
                assertThat(found[i])
                        .as("%s, entry %d", what, i)
                        .isCloseTo(expected[i], within(tolerance * (1 + Math.abs(expected[i]))));
            }
        }
    }

    private static double dot(double[] left, double[] right) {
        double dot = 0;
        for (int i = 0; i < left.length; i++) {
            dot += left[i] * right[i];
        }
        return dot;
    }

    private static double[] normal(SplittableRandom random, int count) {
        return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
    }
}
