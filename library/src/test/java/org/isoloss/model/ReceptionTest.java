package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReceptionTest {
    private final ModelBuilder builder = Model.builder();

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    /**
     * Whatever else of the rest changes: where the same is received, moving parameters change what is kept by the same. Nothing
     * that is received depends on them.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsReceivedIsAllThatCounts(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        UnitGraph graph = UnitGraph.random(random);
        Set<Integer> chosen = graph.someParameters(random);
        graph.values(builder, random);
        if (graph.paths(chosen).isEmpty()) {
            return;
        }
        Model model = builder.build();
        Moving moving = Moving.of(model, chosen.stream().map(i -> "p" + i).toList());
        Map<String, double[]> inputs =
                Map.of("x0", new double[] {random.nextGaussian()}, "x1", new double[] {random.nextGaussian()});
        requireThatOnlyWhatIsReceivedCounts(Subnetwork.of(moving, List.of(inputs)), inputs, random);
    }

    private static void requireThatOnlyWhatIsReceivedCounts(
            Subnetwork subnetwork, Map<String, double[]> inputs, SplittableRandom random) {
        Moving moving = subnetwork.moving();
        Model model = moving.model();
        for (Boundary kept : List.of(subnetwork.near(), subnetwork.smallest())) {
            Reception reception = subnetwork.reception(kept);
            double[] point = Moving.all(model).origin();
            SubnetworkInputs received = reception.at(point);
            double[] moved = point.clone();
            for (int i : moving.within()) {
                moved[i] += random.nextGaussian();
            }
            assertThat(received.sameAs(reception.at(moved))).isTrue();
            double[] rest = point.clone();
            for (int i = 0; i < rest.length; i++) {
                if (moved[i] == point[i]) {
                    rest[i] += random.nextGaussian();
                    rest[i] = received.sameAs(reception.at(rest)) ? rest[i] : point[i];
                }
            }
            double[] both = rest.clone();
            for (int i : moving.within()) {
                both[i] = moved[i];
            }
            assertThat(received.sameAs(reception.at(both))).isTrue();
            if (kept.parts().stream().noneMatch(part -> isBehind(part.value(), kept))) {
                double[] change = change(model, inputs, kept, point, moved);
                assertThat(change(model, inputs, kept, rest, both)).containsExactly(change, within(1e-12));
                assertThat(Arrays.stream(change).map(Math::abs).max().orElse(0)).isPositive();
            }
        }
    }

    /** Two sums with parts that stay, added: what comes from the rest is one sum, wherever it is added. */
    @Test
    void partsOfSumsThatAreAddedAreReceivedOnce() {
        SplittableRandom random = new SplittableRandom(4);
        Layers layers = new Layers(builder);
        Value x = builder.input("x", 3);
        Value one = layers.linear(x, parameter(random, "one", 4, 3), null);
        Value other = layers.linear(x, parameter(random, "other", 4, 3), parameter(random, "bias", 4));
        Value hidden = layers.layerNorm(builder.plus(one, other), 0, parameter(random, "scale", 4), null, 1e-5);
        builder.output("y", layers.linear(hidden, parameter(random, "head", 2, 4), null));
        Map<String, double[]> inputs = Map.of("x", new double[] {0.3, -1, 0.7});
        for (List<String> parts : List.of(
                List.of("one[1, 0:2]", "other[:, 2]", "scale"),
                List.of("one[:, 0]", "other[2]", "head[0]"),
                List.of("one[0:2, 1]", "scale", "head[:, 0:2]"))) {
            requireThatOnlyWhatIsReceivedCounts(
                    Subnetwork.of(Moving.of(builder.build(), parts), List.of(inputs)), inputs, random);
        }
        Subnetwork both = Subnetwork.of(
                Moving.of(builder.build(), List.of("one[:, 0]", "other[:, 0]", "scale")), List.of(inputs));
        assertThat(both.reception(both.near()).sums().size()).isEqualTo(4);
    }

    private Value parameter(SplittableRandom random, String name, int... shape) {
        double[] numbers = random.doubles(Dimensions.of(shape).count(), -1, 1).toArray();
        return builder.parameter(name, Dimensions.of(shape), () -> numbers);
    }

    /** Whether a kept value is made of another one: then it may change by what comes from there. */
    private static boolean isBehind(Value value, Boundary kept) {
        List<Value> all = kept.parts().stream().map(Boundary.Part::value).toList();
        return all.contains(value)
                && Execution.order(List.of(value), Set.of()).stream()
                        .anyMatch(other -> other != value && all.contains(other));
    }

    private static double[] change(
            Model model, Map<String, double[]> inputs, Boundary kept, double[] from, double[] to) {
        double[] before = numbers(model, inputs, kept, from);
        double[] after = numbers(model, inputs, kept, to);
        return IntStream.range(0, before.length)
                .mapToDouble(i -> after[i] - before[i])
                .toArray();
    }

    private static double[] numbers(Model model, Map<String, double[]> inputs, Boundary kept, double[] point) {
        Set<Value> parameters = new HashSet<>(model.parameters().values());
        List<Value> values = kept.parts().stream().map(Boundary.Part::value).toList();
        Execution execution = Execution.of(Precision.FLOAT64, values, parameters);
        int next = 0;
        for (Value parameter : model.parameters().values()) {
            if (Execution.order(values, Set.of()).contains(parameter)) {
                execution.set(parameter, point, next);
            }
            next += parameter.shape().count();
        }
        model.setInputs(execution, inputs);
        execution.run();
        return values.stream().mapToDouble(value -> execution.get(value)[0]).toArray();
    }

    /** A value of which only a part goes on: what the others meet is not received. */
    @Test
    void whatOthersMeetIsNotReceived() {
        Value x = builder.input("x", 3);
        Layers layers = new Layers(builder);
        SplittableRandom random = new SplittableRandom(2);
        List<Value> weights =
                List.of(parameter(random, "w0", 4, 3), parameter(random, "w1", 4, 4), parameter(random, "w2", 2, 4));
        Value first = builder.apply(Activation.TANH, layers.linear(x, weights.get(0), null));
        Value second = builder.apply(Activation.TANH, layers.linear(first, weights.get(1), null));
        builder.output("y", layers.linear(second, weights.get(2), null));
        Model model = builder.build();
        Moving moving = Moving.of(model, List.of("w0[1, 0:2]", "w1[0, 1]", "w1[2, 1]"));
        Subnetwork part = Subnetwork.of(moving, List.of(Map.of("x", new double[] {1, 2, 3})));
        Reception near = part.reception(part.near());
        assertThat(near.features().parts()).containsExactly(new Boundary.Part(x, List.of(0, 1)));
        assertThat(near.sums().parts()).hasSize(1);
        assertThat(near.sums().parts().getFirst().entries()).containsExactly(1);
        assertThat(near.constants().parts()).isEmpty();
        Reception all = part.reception(part.smallest());
        assertThat(all.constants().parts())
                .containsExactly(
                        new Boundary.Part(weights.get(1), List.of(5, 13)),
                        new Boundary.Part(
                                weights.get(2), IntStream.range(0, 8).boxed().toList()));
        double[] numbers = near.at(Moving.all(model).origin()).features().row(0);
        assertThat(numbers).hasSize(3).startsWith(1, 2);
        assertThat(numbers[2]).isCloseTo(3 * model.numbers("w0")[5], within(1e-15));
    }

    /** Judged by whole values, all of what meets them is received. */
    @Test
    void wholeValuesReceiveWholeValues() {
        SplittableRandom random = new SplittableRandom(5);
        UnitGraph graph = UnitGraph.random(random);
        graph.values(builder, random);
        Model model = builder.build();
        Moving moving = Moving.of(model, List.of("p0"));
        List<Map<String, double[]>> batches = List.of(Map.of("x0", new double[] {1}, "x1", new double[] {2}));
        Subnetwork entries = Subnetwork.of(moving, batches);
        Subnetwork whole = Subnetwork.of(moving, batches, EffectTrace.ofWholeValues(moving, batches));
        Reception fine = entries.reception(entries.smallest());
        Reception coarse = whole.reception(whole.smallest());
        assertThat(coarse.constants().parts()).containsAll(fine.constants().parts());
        assertThat(coarse.features().parts()).containsAll(fine.features().parts());
        assertThat(coarse.sums().parts()).isEmpty();
    }
}
