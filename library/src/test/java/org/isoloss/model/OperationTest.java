package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Precision;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OperationTest {
    private static double normal(SplittableRandom random, int place) {
        return random.nextGaussian();
    }

    private static double positive(SplittableRandom random, int place) {
        return 0.5 + 2 * random.nextDouble();
    }

    private static Dimensions shape(int... sizes) {
        return Dimensions.of(sizes);
    }

    private static OperationContract.Case operation(
            String name, BiFunction<ModelBuilder, List<Value>, Value> make, Dimensions... shapes) {
        return new OperationContract.Case(name, List.of(shapes), shapes.length, OperationTest::normal, make, true);
    }

    private static OperationContract.Case function(String name, Pointwise function, boolean positive, boolean exact) {
        return new OperationContract.Case(
                name,
                List.of(shape(3, 5)),
                1,
                positive ? OperationTest::positive : OperationTest::normal,
                (builder, values) -> builder.apply(function, values.getFirst()),
                exact);
    }

    /** Within the domain of the inverses of sine and cosine, or beyond 1 for the one that begins there. */
    private static OperationContract.Case trigonometric(Trigonometric function) {
        return new OperationContract.Case(
                function.name(),
                List.of(shape(3, 5)),
                1,
                (random, _) ->
                        function == Trigonometric.ACOSH ? 1.5 + random.nextDouble() : 1.6 * random.nextDouble() - 0.8,
                (builder, values) -> builder.apply(function, values.getFirst()),
                false);
    }

    private static final Windows DENSE =
            new Windows(List.of(2, 3), List.of(1, 1), List.of(2, 1), List.of(1, 2), List.of(0, 1));

    private static final Windows WINDOWS =
            new Windows(List.of(2, 3), List.of(2, 1), List.of(1, 1), List.of(0, 1), List.of(1, 1));

    static List<OperationContract.Case> cases() {
        List<OperationContract.Case> cases = new ArrayList<>(List.of(
                operation("sum", (b, v) -> b.sum(List.of(2.0, -1.0, 0.5), v), shape(2, 3, 4), shape(3, 1), shape(4)),
                operation("difference", (b, v) -> b.minus(v.get(0), v.get(1)), shape(3, 1), shape(1, 5)),
                operation("product", (b, v) -> b.product(v.get(0), v.get(1)), shape(2, 3, 4), shape(3, 1)),
                operation("outer product", (b, v) -> b.product(v.get(0), v.get(1)), shape(4, 1), shape(1, 4)),
                operation("square", (b, v) -> b.product(v.getFirst(), v.getFirst()), shape(7)),
                operation("sum over", (b, v) -> b.sumOver(v.getFirst(), List.of(0, 2)), shape(2, 3, 4, 2)),
                operation("sum over the last", (b, v) -> b.sumOver(v.getFirst(), List.of(1)), shape(3, 11)),
                operation("sum over the first", (b, v) -> b.sumOver(v.getFirst(), List.of(0)), shape(3, 5)),
                operation("sum over all", (b, v) -> b.sumOver(v.getFirst(), List.of(0, 1)), shape(3, 5)),
                operation("largest", (b, v) -> b.largestOver(v.getFirst(), List.of(1)), shape(3, 4, 2)),
                operation("largest of rows", (b, v) -> b.largestOver(v.getFirst(), List.of(1)), shape(3, 4)),
                operation("transpose", (b, v) -> b.transpose(v.getFirst(), 2, 0, 1), shape(2, 3, 4)),
                operation("reshape", (b, v) -> b.reshape(v.getFirst(), shape(6, 4)), shape(2, 3, 4)),
                operation("stretch", (b, v) -> b.stretched(v.getFirst(), shape(2, 3, 4)), shape(3, 1)),
                operation("slice", (b, v) -> b.slice(v.getFirst(), 1, 1, 2), shape(2, 4, 3)),
                operation(
                        "flip and skip",
                        (b, v) -> b.slice(v.getFirst(), new int[] {4, 0}, new int[] {-2, 1}, new int[] {3, 3}, 0),
                        shape(5, 3)),
                operation(
                        "pad",
                        (b, v) -> b.slice(v.getFirst(), new int[] {-1, -2}, new int[] {1, 1}, new int[] {4, 6}, 1.5),
                        shape(2, 3)),
                operation(
                        "windows",
                        (b, v) -> b.windows(
                                v.getFirst(),
                                new int[] {2, 3},
                                new int[] {2, 1},
                                new int[] {1, 2},
                                new int[] {1, 2},
                                new int[] {3, 4},
                                0),
                        shape(2, 5, 4)),
                operation("concatenate", (b, v) -> b.concatenate(v, 1), shape(2, 1, 3), shape(2, 2, 3), shape(2, 1, 3)),
                operation(
                        "contract ij,jk->ik",
                        (b, v) -> b.contract("ij,jk->ik", v.get(0), v.get(1)),
                        shape(3, 4),
                        shape(4, 5)),
                new OperationContract.Case(
                        "lookup",
                        List.of(shape(3, 5, 2), shape(2, 2)),
                        1,
                        (random, place) -> place == 0 ? random.nextGaussian() : random.nextInt(5),
                        (b, v) -> b.lookup(v.get(0), v.get(1), 1),
                        true),
                new OperationContract.Case(
                        "select",
                        List.of(shape(2, 3), shape(3), shape(2, 1)),
                        0,
                        (random, place) -> place == 0 ? random.nextInt(2) : random.nextGaussian(),
                        (b, v) -> b.select(v.get(0), v.get(1), v.get(2)),
                        true),
                operation(
                        "select by comparison",
                        (b, v) -> b.select(b.less(v.get(0), v.get(1)), v.get(0), v.get(2)),
                        shape(2, 3),
                        shape(3),
                        shape(2, 1)),
                operation("at most", (b, v) -> b.product(b.atMost(v.get(0), v.get(1)), v.get(0)), shape(4), shape(4)),
                function("clamp", new Clamp(-0.5, 0.5, 0.1), false, true),
                function("relu", Clamp.RELU, false, true),
                function("square", Power.SQUARE, false, true),
                function("reciprocal", Power.RECIPROCAL, true, true),
                function("root", Power.ROOT, true, false),
                function("reciprocal root", Power.RECIPROCAL_ROOT, true, false),
                function("power", new Power(2.7, 1.5), true, false),
                function("exponential unit", new ExponentialUnit(1.3, 0.7, 1.1), false, false),
                operation(
                        "first largest",
                        (b, v) -> b.product(b.largestPlace(v.get(0), List.of(1)), v.get(1)),
                        shape(3, 4),
                        shape(3, 4)),
                operation(
                        "convolution in groups",
                        (b, v) -> new Convolutions(b).convolution(v.get(0), v.get(1), v.get(2), WINDOWS, 2),
                        shape(2, 4, 4, 5),
                        shape(6, 2, 2, 3),
                        shape(6)),
                operation(
                        "depthwise convolution",
                        (b, v) -> new Convolutions(b).convolution(v.get(0), v.get(1), null, WINDOWS, 2),
                        shape(2, 2, 4, 5),
                        shape(2, 1, 2, 3)),
                operation(
                        "dense depthwise convolution",
                        (b, v) -> new Convolutions(b).convolution(v.get(0), v.get(1), null, DENSE, 2),
                        shape(2, 2, 4, 6),
                        shape(2, 1, 2, 3)),
                operation(
                        "largest of windows",
                        (b, v) -> new Convolutions(b).largest(v.getFirst(), Windows.of(2, 3), false),
                        shape(2, 2, 4, 7)),
                operation(
                        "transposed convolution",
                        (b, v) -> new Convolutions(b).transposed(v.get(0), v.get(1), null, WINDOWS, 1, List.of(4, 5)),
                        shape(1, 2, 2, 5),
                        shape(2, 3, 2, 3)),
                operation(
                        "pooling",
                        (b, v) -> new Convolutions(b).average(v.getFirst(), WINDOWS, true, false),
                        shape(1, 2, 4, 5))));
        for (Trigonometric function : Trigonometric.values()) {
            cases.add(trigonometric(function));
        }
        for (Elementary elementary : Elementary.values()) {
            if (elementary.compareTo(Elementary.FLOOR) < 0) {
                cases.add(function(elementary.name(), elementary, elementary == Elementary.LOG, false));
            }
        }
        return cases;
    }

    static Stream<Arguments> seededCases() {
        return cases().stream()
                .flatMap(tested -> IntStream.range(0, 3).mapToObj(seed -> Arguments.of(tested, (long) seed)));
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("seededCases")
    void keepsTheLaws(OperationContract.Case tested, long seed) {
        OperationContract.check(tested, seed);
    }

    /** Contractions of random labels: batches, several summed axes, axes in any order, small and large. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void contractionOfAnyLabelsKeepsTheLaws(long seed) {
        var random = new SplittableRandom(seed);
        StringBuilder left = new StringBuilder();
        StringBuilder right = new StringBuilder();
        StringBuilder result = new StringBuilder();
        int[] sizes = new int[128];
        for (char label = 'a'; label < 'a' + 2 + random.nextInt(5); label++) {
            sizes[label] = 1 + random.nextInt(4);
            int kind = random.nextInt(4);
            if (kind != 1) {
                left.insert(random.nextInt(left.length() + 1), label);
            }
            if (kind != 2) {
                right.insert(random.nextInt(right.length() + 1), label);
            }
            if (kind != 3) {
                result.insert(random.nextInt(result.length() + 1), label);
            }
        }
        String labels = "%s,%s->%s".formatted(left, right, result);
        OperationContract.check(
                operation(
                        labels,
                        (b, v) -> b.contract(labels, v.get(0), v.get(1)),
                        shape(left.chars().map(label -> sizes[label]).toArray()),
                        shape(right.chars().map(label -> sizes[label]).toArray())),
                seed);
    }

    static IntStream seeds() {
        return IntStream.range(0, 60);
    }

    /** Matrix products of a library begin where small ones end. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("largeProducts")
    void largeContractionIsThatOverRealNumbers(String labels, int[] left, int[] right) {
        ModelBuilder builder = Model.builder();
        Value a = builder.input("a", left);
        Value b = builder.input("b", right);
        Value product = builder.contract(labels, a, b);
        var random = new SplittableRandom(7);
        double[] first = random.doubles(a.shape().count()).toArray();
        double[] second = random.doubles(b.shape().count()).toArray();
        double[] expected = AlgebraReading.read(
                        new RealAlgebra(),
                        List.of(product),
                        Map.of(
                                a, Elements.filled(first.length, i -> first[i]),
                                b, Elements.filled(second.length, i -> second[i])))
                .getFirst()
                .stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
        assertThat(OperationContract.run(Precision.FLOAT64, product, Map.of(a, first, b, second)))
                .usingComparatorWithPrecision(1e-11)
                .containsExactly(expected);
    }

    static Stream<Arguments> largeProducts() {
        return Stream.of(
                Arguments.of("ij,jk->ik", new int[] {20, 30}, new int[] {30, 25}),
                Arguments.of("ij,kj->ki", new int[] {20, 30}, new int[] {25, 30}),
                Arguments.of("bthd,bshd->bhts", new int[] {2, 7, 3, 11}, new int[] {2, 9, 3, 11}),
                Arguments.of("bhts,bshd->bthd", new int[] {2, 3, 7, 9}, new int[] {2, 9, 3, 11}),
                Arguments.of("ock,nckp->nop", new int[] {6, 5, 9}, new int[] {3, 5, 9, 40}),
                Arguments.of("nop,nckp->ock", new int[] {3, 6, 40}, new int[] {3, 5, 9, 40}),
                Arguments.of("ock,nop->nckp", new int[] {6, 5, 9}, new int[] {3, 6, 40}),
                Arguments.of("ck,nckp->ncp", new int[] {5, 9}, new int[] {2, 5, 9, 70}),
                Arguments.of("iaj,jbk->abik", new int[] {12, 5, 9}, new int[] {9, 4, 13}),
                Arguments.of("ab,ab->", new int[] {40, 30}, new int[] {40, 30}),
                Arguments.of("ab,b->a", new int[] {40, 30}, new int[] {30}),
                Arguments.of("ab,a->b", new int[] {40, 30}, new int[] {40}));
    }

    /** An operation with one wrong face, which the contract must see. */
    private static final class Planted extends Operation {
        private final String face;

        Planted(String face) {
            this.face = face;
        }

        private double factor(String asked) {
            return face.equals(asked) ? 1.001 : 1;
        }

        @Override
        public Dimensions shape(List<Dimensions> arguments) {
            return arguments.getFirst();
        }

        /** The square, over the algebra. */
        @Override
        public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
            boolean lost = face.equals("dependence") && algebra instanceof DependenceAlgebra;
            boolean wrong = face.equals("over") || (face.equals("exact") && algebra instanceof ExactAlgebra);
            return Elements.filled(arguments.getFirst().size(), i -> {
                T z = lost ? algebra.constant(1) : arguments.getFirst().get(i);
                T square = algebra.times(z, z);
                return wrong ? algebra.times(algebra.constant(1.001), square) : square;
            });
        }

        @Override
        public Runnable kernel(Memory memory, Value self) {
            boolean wrong = face.equals("kernel")
                    || (face.equals("float32") && memory instanceof Float32Memory)
                    || (face.equals("float64") && memory instanceof Float64Memory);
            return memory.apply(self, self.argument(0), new Power(2, wrong ? 1.001 : 1));
        }

        @Override
        public Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
            return builder.scaled(
                    2 * factor("tangent"),
                    builder.product(java.util.Objects.requireNonNull(changes.getFirst()), self.argument(0)));
        }

        @Override
        public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
            return builder.scaled(factor("batched"), builder.add(this, arguments.getFirst()));
        }

        @Override
        public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
            return Arrays.asList(builder.scaled(2 * factor("pullback"), builder.product(upstream, self.argument(0))));
        }
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(
            strings = {"over", "exact", "dependence", "kernel", "float32", "float64", "tangent", "pullback", "batched"})
    void plantedErrorInAFaceIsSeen(String face) {
        OperationContract.check(operation("right", (b, v) -> b.add(new Planted(""), v.getFirst()), shape(5)), 1);
        assertThatThrownBy(() -> OperationContract.check(
                        operation(face, (b, v) -> b.add(new Planted(face), v.getFirst()), shape(5)), 1))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void functionThatJumpsIsRefusedWithItsPlace() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 3);
        builder.at("node Round_1 (Round)");
        Value rounded = builder.apply(Elementary.ROUND, x);
        assertThatThrownBy(() -> Differentiation.tangents(builder, List.of(rounded), Map.of(x, x)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("ROUND(3) of node Round_1 (Round): ROUND jumps and has no derivative");
    }
}
