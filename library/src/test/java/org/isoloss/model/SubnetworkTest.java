package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SubnetworkTest {
    /** Sums of at most a hundred terms of unit scale. */
    private static final double ROUNDING = 1e-12;

    private final ModelBuilder builder = Model.builder();
    private final SplittableRandom random = new SplittableRandom(11);
    private final Layers layers = new Layers(builder);

    private Value parameter(String name, int... shape) {
        double[] numbers = random.doubles(Dimensions.of(shape).count(), -1, 1).toArray();
        return builder.parameter(name, Dimensions.of(shape), () -> numbers);
    }

    private Subnetwork moving(String... parts) {
        Model model = builder.build();
        Subnetwork found = Subnetwork.of(Moving.of(model, List.of(parts)), batches(model));
        assertThat(found.change(found.near())).isLessThan(ROUNDING);
        assertThat(found.change(found.smallest())).isLessThan(ROUNDING);
        if (found.leak().isEmpty()) {
            assertThat(found.change(found.ends())).isLessThan(ROUNDING);
        }
        assertThat(found.change(new Boundary(List.of()))).isGreaterThan(1e-6);
        return found;
    }

    private List<Map<String, double[]>> batches(Model model) {
        Map<String, double[]> inputs = new HashMap<>();
        model.inputs()
                .forEach((name, input) -> inputs.put(
                        name, random.doubles(input.shape().count(), -1, 1).toArray()));
        return List.of(inputs);
    }

    private static List<String> origins(Boundary boundary) {
        return boundary.parts().stream()
                .map(part ->
                        "%s %d".formatted(part.value().origin(), part.entries().size()))
                .toList();
    }

    /** Adds a dense network of one input. */
    private void dense(boolean biased, int... widths) {
        Value value = builder.input("x", 1, widths[0]);
        for (int layer = 1; layer < widths.length; layer++) {
            String name = Integer.toString(2 * (layer - 1));
            Value weight = parameter(name + ".weight", widths[layer], widths[layer - 1]);
            Value bias = biased ? parameter(name + ".bias", widths[layer]) : null;
            builder.at("layer " + name);
            value = layers.linear(value, weight, bias);
            value = layer == widths.length - 1 ? value : builder.apply(Activation.TANH, value);
        }
        builder.output("y", value);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 100);
    }

    private static int bits(UnitGraph graph, List<Value> values, Collection<Value> chosen) {
        return IntStream.range(0, graph.count())
                .filter(node -> chosen.contains(values.get(node)))
                .map(node -> 1 << node)
                .sum();
    }

    /** On random graphs no boundary is smaller, and the verdict on any boundary is that of all paths and of numbers. */
    @ParameterizedTest
    @MethodSource("seeds")
    void boundariesAreThoseOfAllPaths(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        UnitGraph graph = UnitGraph.random(random);
        Set<Integer> chosen = graph.someParameters(random);
        List<Value> values = graph.values(builder, random);
        List<List<UnitGraph.Edge>> paths = graph.paths(chosen);
        if (paths.isEmpty()) {
            assertThatThrownBy(() -> moving(names(chosen))).hasMessageStartingWith("no output depends on");
            return;
        }
        Subnetwork found = moving(names(chosen));
        assertThat(found.near().size()).isEqualTo(graph.smallest(chosen, true));
        assertThat(found.smallest().size()).isEqualTo(graph.smallest(chosen, false));
        for (int trial = 0; trial < 10; trial++) {
            List<Value> kept = values.stream()
                    .filter(value -> !(value.operation() instanceof Leaf) && random.nextInt(3) == 0)
                    .distinct()
                    .toList();
            var boundary = new Boundary(kept.stream()
                    .map(value -> new Boundary.Part(value, List.of(0)))
                    .toList());
            boolean separates = UnitGraph.meetsAll(paths, chosen, bits(graph, values, kept), false);
            assertThat(found.around(boundary).isEmpty()).isEqualTo(separates);
            if (separates) {
                assertThat(found.change(boundary)).isLessThan(ROUNDING);
            } else {
                assertThat(found.change(boundary)).isGreaterThan(1e-9);
                assertThatThrownBy(() -> found.reception(boundary))
                        .hasMessageStartingWith("the rest of the network sees p");
            }
        }
    }

    private static String[] names(Set<Integer> parameters) {
        return parameters.stream().map(parameter -> "p" + parameter).toArray(String[]::new);
    }

    /** Figure 1 (a): all that enters and leaves a hidden unit, as in a wider layer. */
    @Test
    void theWholeFanOfUnitsIsASubnetwork() {
        dense(true, 2, 3, 3, 1);
        Subnetwork unit =
                moving("0.weight[1, :]", "0.bias[1]", "2.weight[:, 1]").requireAlone();
        assertThat(origins(unit.ends())).containsExactly("layer 2 3");
        Reception received = unit.reception(unit.ends());
        assertThat(words(received.features())).containsExactly("x[0, 0]", "x[0, 1]");
        assertThat(received.sums().parts()).isEmpty();
        assertThat(received.constants().parts()).isEmpty();
    }

    /** Figure 1 (b): whole layers, as in a deeper network. */
    @Test
    void wholeLayersAreASubnetwork() {
        dense(true, 2, 3, 3, 1);
        Subnetwork layers = moving("2.weight", "2.bias").requireAlone();
        assertThat(origins(layers.ends())).containsExactly("layer 2 3");
        assertThat(words(layers.reception(layers.ends()).features()))
                .containsExactly("layer 0[0, 0]", "layer 0[0, 1]", "layer 0[0, 2]");
    }

    /** Figure 1 (c): part of the input and output fan of an intermediate unit stays. */
    @Test
    void partOfAFanIsRefusedWithThePathThatSeesIt() {
        dense(false, 2, 3, 3, 1);
        Subnetwork part = moving("0.weight[1, 0]", "2.weight[0:2, 1]");
        assertThatThrownBy(part::requireAlone)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the rest of the network sees 0.weight[1, 0] otherwise than through the boundary: 0.weight[1, 0] -> layer 0[0, 1] -> 2.weight (stays) -> layer 2[0, 2] -> layer 4[0, 0]; preserve layer 0[0, 1] too, or choose other parameters");
        assertThat(origins(part.near())).containsExactly("layer 0 1", "layer 2 2");
        Reception received = part.reception(part.near());
        assertThat(words(received.features())).containsExactly("x[0, 0]");
        assertThat(words(received.sums())).containsExactly("layer 0[0, 1]");
        assertThat(received.constants().parts()).isEmpty();
        assertThat(words(part.reception(part.smallest()).constants())).contains("2.weight[2, 1]", "4.weight[0, 2]");
    }

    /** The local host of the paper. */
    @Test
    void toMoveTenWeightsOfTheHostKeepEightPreActivations() {
        DenseNetwork network = Networks.random(random, Activation.RELU, false, 2, 8, 8, 1);
        Moving moving =
                Moving.at(network.model(), Support.units(network.layout(), 0, 0).indices());
        Subnetwork unit = Subnetwork.of(moving, network.batches(Networks.gaussian(random, 16, 2)));
        assertThat(moving.count()).isEqualTo(10);
        assertThat(unit.near()).isEqualTo(unit.ends());
        assertThat(origins(unit.near())).containsExactly("hidden 1 8");
        assertThat(unit.reception(unit.near()).constants().size()).isZero();
        assertThat(origins(unit.smallest())).containsExactly("output 1");
        assertThat(words(unit.reception(unit.smallest()).constants()))
                .hasSize(8)
                .allMatch(name -> name.startsWith("4.weight"));
    }

    private static List<String> words(Boundary boundary) {
        return boundary.parts().stream()
                .flatMap(part -> part.entries().stream().map(entry -> new SeenPath.Step(part.value(), entry).where()))
                .toList();
    }

    @Test
    void aParameterThatStaysIsNamedOnThePathThatSeesTheOthers() {
        dense(true, 2, 3, 3, 1);
        SeenPath leak = moving("0.weight[1, 0]", "2.weight[0:2, 1]").leak().orElseThrow();
        assertThat(leak.route())
                .isEqualTo("0.weight[1, 0] -> layer 0[0, 1] -> 2.weight (stays) -> layer 2[0, 2] -> layer 4[0, 0]");
        assertThat(leak.parameter().where()).isEqualTo("0.weight[1, 0]");
        assertThat(leak.seen().where()).isEqualTo("layer 0[0, 1]");
    }

    /** What a block adds to a stream is smaller than what it reads; the stream itself goes around it. */
    @Test
    void aSkipLeadsAroundABlock() {
        Value x = builder.input("x", 1, 3);
        builder.at("embedding");
        Value stream = layers.linear(x, parameter("embed", 4, 3), null);
        builder.at("block");
        Value inside = builder.apply(Activation.TANH, layers.linear(stream, parameter("up", 2, 4), null));
        Value block = layers.linear(inside, parameter("down", 4, 2), null);
        builder.at("sum");
        Value sum = builder.plus(stream, block);
        builder.at("head");
        builder.output("y", layers.linear(sum, parameter("head", 5, 4), null));
        Subnetwork all = moving("embed");
        assertThat(origins(all.near())).containsExactly("embedding 4");
        assertThat(origins(all.smallest())).containsExactly("embedding 4");
        assertThat(all.leak()).isEmpty();
        assertThat(all.around(whole(inside)).orElseThrow().route())
                .isEqualTo("embed[0, 0] -> embedding[0, 0] -> sum[0, 0] -> head[0, 0]");
        assertThat(all.around(whole(block, stream))).isEmpty();
        assertThat(all.around(whole(sum))).isEmpty();
        Subnetwork part = moving("up", "down");
        assertThat(origins(part.near())).containsExactly("block 4");
        assertThat(part.leak()).isEmpty();
    }

    @Test
    void aTiedWeightIsSeenAtBothOfItsUses() {
        Value x = builder.input("x", 1, 3);
        Value weight = parameter("tied", 4, 3);
        builder.at("first");
        Value hidden = builder.apply(Activation.TANH, layers.linear(x, weight, null));
        builder.at("between");
        Value between = layers.linear(hidden, parameter("stays", 3, 4), null);
        builder.at("last");
        Value y = layers.linear(between, weight, null);
        builder.output("y", y);
        Subnetwork row = moving("tied[1]");
        assertThat(origins(row.near())).containsExactly("first 1", "last 1");
        assertThat(origins(row.smallest())).containsExactly("first 1", "last 1");
        assertThat(row.around(whole(hidden))).isPresent();
        assertThat(moving("tied").smallest().size()).isEqualTo(4);
    }

    private static Boundary whole(Value... values) {
        return new Boundary(Arrays.stream(values)
                .map(value -> new Boundary.Part(
                        value, IntStream.range(0, value.shape().count()).boxed().toList()))
                .toList());
    }

    private static Windows windows(int size, int stride, int padding) {
        List<Integer> around = List.of(padding, padding);
        return new Windows(List.of(size, size), List.of(stride, stride), List.of(1, 1), around, around);
    }

    @Test
    void oneChannelOfAConvolutionIsKeptAlone() {
        var convolutions = new Convolutions(builder);
        Value x = builder.input("x", 2, 1, 6, 6);
        builder.at("conv1");
        Value first =
                convolutions.convolution(x, parameter("conv1", 3, 1, 3, 3), parameter("bias1", 3), windows(3, 1, 1), 1);
        builder.at("relu");
        Value relu = builder.apply(Activation.RELU, first);
        builder.at("pool");
        Value pooled = convolutions.average(relu, windows(2, 2, 0), false, false);
        builder.at("conv2");
        Value second = convolutions.convolution(pooled, parameter("conv2", 4, 3, 3, 3), null, windows(3, 1, 0), 1);
        builder.output("y", second);
        Subnetwork kernel = moving("conv1[1]");
        assertThat(origins(kernel.near())).containsExactly("pool 18");
        assertThat(origins(kernel.smallest())).containsExactly("conv2 8");
        assertThat(kernel.leak()).isEmpty();
        assertThat(kernel.affected().get(2).entries()).isEqualTo(72);
        Subnetwork corner = moving("conv1[1, 0, 0, 0]");
        assertThat(corner.affected().stream()
                        .filter(each -> each.value().origin().equals("conv1"))
                        .mapToInt(Subnetwork.AffectedValue::entries))
                .contains(50);
        assertThat(origins(moving("conv1[1]", "conv2[:, 1]").near())).containsExactly("conv2 8");
        assertThat(moving("conv1[1]", "conv2[0:3, 1]").leak()).isPresent();
    }

    /** Moving the scale of one entry behind a normalisation changes one entry; moving before it changes a row. */
    @Test
    void aLayerNormSpreadsWhatMovesBeforeItAndNotBehind() {
        Value x = builder.input("x", 2, 3);
        builder.at("in");
        Value value = layers.linear(x, parameter("in", 5, 3), null);
        builder.at("norm");
        Value norm = layers.layerNorm(value, 1, parameter("scale", 5), parameter("shift", 5), 1e-5);
        builder.at("out");
        builder.output("y", layers.linear(norm, parameter("out", 6, 5), null));
        assertThat(origins(moving("scale[2]").near())).containsExactly("norm 2");
        assertThat(origins(moving("in[1]").near())).containsExactly("in 2");
        Subnetwork both = moving("in[1]", "scale");
        assertThat(origins(both.near())).containsExactly("norm 10");
        assertThat(origins(moving("in[1]", "scale", "out[0]").near())).containsExactly("norm 10", "out 2");
        assertThat(both.leak()).isEmpty();
    }

    /** Two positions: a head of size 3 is 6 queries and 6 keys, but 4 scores; values and what leaves the head stay. */
    @Test
    void anAttentionHeadIsSeenThroughItsScores() {
        Value x = builder.input("x", 1, 2, 4);
        List<Value> heads = new ArrayList<>();
        for (String name : List.of("q", "k", "v")) {
            builder.at(name);
            Value projected = layers.linear(x, parameter(name, 6, 4), null);
            heads.add(builder.transpose(builder.reshape(projected, Dimensions.of(1, 2, 2, 3)), 0, 2, 1, 3));
        }
        builder.at("attention");
        Value attended = layers.attention(heads.get(0), heads.get(1), heads.get(2), 0.5, null);
        builder.at("out");
        Value joined = builder.reshape(builder.transpose(attended, 0, 2, 1, 3), Dimensions.of(1, 2, 6));
        builder.output("y", layers.linear(joined, parameter("out", 4, 6), null));
        Subnetwork head = moving("q[0:3]", "k[0:3]");
        assertThat(origins(head.near())).containsExactly("attention 4");
        assertThat(head.leak()).isEmpty();
        assertThat(moving("q[0:3]").smallest().size()).isEqualTo(4);
        assertThat(origins(moving("v[0:3]").near())).containsExactly("v 6");
        assertThat(origins(moving("v[0:3]", "out[:, 0:3]").near())).containsExactly("out 8");
        assertThat(moving("q[0:3]", "v[0:3]").near().size()).isEqualTo(6);
    }

    @Test
    void whatIsLookedUpDependsOnTheTokens() {
        Value tokens = builder.input("tokens", 3);
        builder.at("lookup");
        Value embedded = builder.lookup(parameter("table", 4, 2), tokens, 0);
        builder.at("head");
        builder.output("y", layers.linear(embedded, parameter("head", 3, 2), null));
        Model model = builder.build();
        Subnetwork found =
                Subnetwork.of(Moving.of(model, List.of("table[1]")), List.of(Map.of("tokens", new double[] {1, 3, 1})));
        assertThat(origins(found.near())).containsExactly("lookup 4");
        assertThat(origins(found.smallest())).containsExactly("lookup 4");
    }

    /** Every entry of the boundary is needed: without one of them the outputs change. */
    @Test
    void noEntryOfABoundaryIsTooMany() {
        dense(true, 3, 4, 3, 2);
        Subnetwork found = moving("0.weight[1]", "2.weight[0:2, 1]");
        Boundary near = found.near();
        assertThat(origins(near)).containsExactly("layer 0 1", "layer 2 2");
        for (int left = 0; left < near.parts().size(); left++) {
            List<Boundary.Part> parts = new ArrayList<>(near.parts());
            parts.remove(left);
            assertThat(found.change(new Boundary(parts))).isGreaterThan(1e-6);
        }
    }

    /** Judged by whole values, boundaries separate too, but are no smaller. */
    @Test
    void wholeValuesGiveBoundariesThatSeparate() {
        dense(true, 3, 4, 3, 2);
        for (String part : List.of("0.weight[1]", "2.weight", "2.bias[0]", "4.weight[:, 1]")) {
            Subnetwork entries = moving(part);
            Moving moving = entries.moving();
            List<Map<String, double[]>> batches = batches(moving.model());
            Subnetwork whole = Subnetwork.of(moving, batches, EffectTrace.ofWholeValues(moving, batches));
            assertThat(whole.isWhole()).isTrue();
            assertThat(whole.near().size())
                    .isGreaterThanOrEqualTo(entries.near().size());
            assertThat(whole.smallest().size())
                    .isGreaterThanOrEqualTo(entries.smallest().size());
            assertThat(whole.change(whole.near())).isLessThan(ROUNDING);
            assertThat(whole.leak()).isEmpty();
        }
    }
}
