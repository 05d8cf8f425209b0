package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Factorization;
import org.isoloss.network.Networks;
import org.isoloss.network.Subnetwork;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ModelSubnetworkTest {
    /** Sums of at most a hundred terms of unit scale. */
    private static final double ROUNDING = 1e-12;

    private final ModelBuilder builder = Model.builder();
    private final SplittableRandom random = new SplittableRandom(11);
    private final Layers layers = new Layers(builder);

    private Value parameter(String name, int... shape) {
        double[] numbers = random.doubles(Dimensions.of(shape).count(), -1, 1).toArray();
        return builder.parameter(name, Dimensions.of(shape), () -> numbers);
    }

    private ModelSubnetwork moving(String... parts) {
        Model model = builder.build();
        ModelSubnetwork found = ModelSubnetwork.of(Moving.of(model, List.of(parts)), batches(model));
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
        return LongStream.rangeClosed(1, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void denseNetworksHaveTheBoundariesOfTheirOwnGraph(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] widths = random.ints(random.nextInt(3, 6), 1, 5).toArray();
        boolean biased = random.nextBoolean();
        DenseNetwork network = Networks.random(random, Activation.TANH, biased, widths);
        double share = random.nextDouble(0.05, 0.8);
        List<String> chosen = new ArrayList<>();
        for (int layer = 1; layer < widths.length; layer++) {
            for (int unit = 0; unit < widths[layer]; unit++) {
                for (int from = 0; from < widths[layer - 1]; from++) {
                    if (random.nextDouble() < share) {
                        chosen.add("%d.weight[%d, %d]".formatted(2 * (layer - 1), unit, from));
                    }
                }
                if (biased && random.nextDouble() < share / 2) {
                    chosen.add("%d.bias[%d]".formatted(2 * (layer - 1), unit));
                }
            }
        }
        if (chosen.isEmpty()) {
            chosen.add("0.weight[0, 0]");
        }
        Subnetwork expected = Subnetwork.of(network, Support.parse(network.layout(), chosen));
        dense(biased, widths);
        ModelSubnetwork found = moving(chosen.toArray(String[]::new));
        assertThat(found.near().size())
                .isEqualTo(expected.smallest(Subnetwork.Depth.NEXT_WEIGHT)
                        .boundary()
                        .size());
        assertThat(found.smallest().size())
                .isEqualTo(expected.smallest(Subnetwork.Depth.OUTPUT).boundary().size());
        assertThat(found.ends().size()).isEqualTo(expected.ends().size());
        assertThat(found.leak().isEmpty()).isEqualTo(expected.alone() instanceof Factorization);
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
        ModelSubnetwork all = moving("embed");
        assertThat(origins(all.near())).containsExactly("embedding 4");
        assertThat(origins(all.smallest())).containsExactly("embedding 4");
        assertThat(all.leak()).isEmpty();
        assertThat(all.around(List.of(inside)).orElseThrow().route())
                .isEqualTo("embed[0, 0] -> embedding[0, 0] -> sum[0, 0] -> head[0, 0]");
        assertThat(all.around(List.of(block, stream))).isEmpty();
        assertThat(all.around(List.of(sum))).isEmpty();
        ModelSubnetwork part = moving("up", "down");
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
        ModelSubnetwork row = moving("tied[1]");
        assertThat(origins(row.near())).containsExactly("first 1", "last 1");
        assertThat(origins(row.smallest())).containsExactly("first 1", "last 1");
        assertThat(row.around(List.of(hidden))).isPresent();
        assertThat(moving("tied").smallest().size()).isEqualTo(4);
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
        ModelSubnetwork kernel = moving("conv1[1]");
        assertThat(origins(kernel.near())).containsExactly("pool 18");
        assertThat(origins(kernel.smallest())).containsExactly("conv2 8");
        assertThat(kernel.leak()).isEmpty();
        assertThat(kernel.affected().get(2).entries()).isEqualTo(72);
        ModelSubnetwork corner = moving("conv1[1, 0, 0, 0]");
        assertThat(corner.affected().stream()
                        .filter(each -> each.value().origin().equals("conv1"))
                        .mapToInt(ModelSubnetwork.AffectedValue::entries))
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
        ModelSubnetwork both = moving("in[1]", "scale");
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
        ModelSubnetwork head = moving("q[0:3]", "k[0:3]");
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
        ModelSubnetwork found = ModelSubnetwork.of(
                Moving.of(model, List.of("table[1]")), List.of(Map.of("tokens", new double[] {1, 3, 1})));
        assertThat(origins(found.near())).containsExactly("lookup 4");
        assertThat(origins(found.smallest())).containsExactly("lookup 4");
    }

    /** Every entry of the boundary is needed: without one of them the outputs change. */
    @Test
    void noEntryOfABoundaryIsTooMany() {
        dense(true, 3, 4, 3, 2);
        ModelSubnetwork found = moving("0.weight[1]", "2.weight[0:2, 1]");
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
            ModelSubnetwork entries = moving(part);
            Moving moving = entries.moving();
            List<Map<String, double[]>> batches = batches(moving.model());
            ModelSubnetwork whole = ModelSubnetwork.of(moving, batches, EffectGraph.ofWholeValues(moving, batches));
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
