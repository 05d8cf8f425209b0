package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

class PartBlocksTest {
    private static Model model(BiFunction<Network, Value, Value> made) {
        ModelTarget target = new Network().target(3, made);
        return target.moving().model();
    }

    /** How many channels each block of each part has, all values together. */
    private static List<List<Integer>> sizes(Model model) {
        var cut = new ValueCut(model);
        return cut.links().stream()
                .map(link -> new Part(model, cut, link)
                        .blocks().blocks().stream()
                                .map(block -> block.values().stream()
                                        .mapToInt(channels -> channels.length)
                                        .sum())
                                .sorted()
                                .toList())
                .toList();
    }

    /** A unit before and after its activation; the two outputs are blocks that cannot move. */
    @Test
    void unitsAreBlocks() {
        assertThat(sizes(model((net, x) -> net.hidden(x, Activation.GELU))))
                .containsExactly(List.of(2, 2, 2, 2), List.of(1, 1));
    }

    /** A function that is a straight line mixes like none. */
    @Test
    void unitsOfTheIdentityAreOneBlock() {
        assertThat(sizes(model((net, x) -> net.hidden(x, Activation.IDENTITY))))
                .containsExactly(List.of(8), List.of(1, 1));
        Symmetries found = Symmetries.of(model((net, x) -> net.hidden(x, Activation.IDENTITY)), List.of(), 5);
        assertThat(found.rank()).isEqualTo(found.nullity());
    }

    /** Three units of ReLU are apart, two linear ones are together. */
    @Test
    void linearUnitsAreOneBlock() {
        Model model = model((net, x) -> {
            Value sums = net.linear(x, "first", 5);
            Value kinked = net.builder.apply(Clamp.RELU, net.builder.slice(sums, 1, 0, 3));
            return net.linear(
                    net.builder.concatenate(List.of(kinked, net.builder.slice(sums, 1, 3, 2)), 1), "second", 2);
        });
        assertThat(sizes(model)).containsExactly(List.of(2, 2, 2, 4), List.of(1, 1));
    }

    /** Units whose sum is read are computed together; those that a constant 0 multiplies do not meet. */
    @Test
    void unitsThatMeetAreOneBlock() {
        BiFunction<Network, double[], Value> mixed = (net, weights) -> {
            Value sums = net.linear(net.builder.input("x", 3, 3), "first", 4);
            Value mask = net.builder.constant(Dimensions.of(4, 4), () -> weights);
            Value met = net.builder.contract("ij,jk->ik", net.builder.apply(Activation.GELU, sums), mask);
            return net.linear(met, "second", 2);
        };
        for (int joined = 0; joined < 2; joined++) {
            double[] weights =
                    IntStream.range(0, 16).mapToDouble(i -> i % 5 == 0 ? 1 : 0).toArray();
            weights[1] = joined;
            var net = new Network();
            net.builder.output("y", mixed.apply(net, weights));
            assertThat(sizes(net.builder.build()).getFirst())
                    .isEqualTo(joined == 0 ? List.of(2, 2, 2, 2) : List.of(2, 2, 4));
        }
    }

    /** A layer of so many units has too many maps that mix them, and none of these goes through the activation. */
    @Test
    void wideLayersOfUnitsAreSearched() {
        Symmetries found = Symmetries.of(
                model((net, x) -> net.linear(net.builder.apply(Clamp.RELU, net.linear(x, "first", 72)), "second", 2)),
                List.of(),
                5);
        assertThat(found.rank()).isEqualTo(72).isEqualTo(found.nullity());
        assertThat(found.families())
                .anySatisfy(family -> assertThat(family.group()).isEqualTo("S_72"));
    }

    /** Each unit times the largest of all. */
    @Test
    void whatIsChosenAmongUnitsJoinsThem() {
        Model model = model((net, x) -> {
            Value sums = net.linear(x, "first", 4);
            return net.linear(
                    net.builder.product(
                            sums, net.builder.reshape(net.builder.largestOver(sums, List.of(1)), Dimensions.of(60, 1))),
                    "second",
                    2);
        });
        assertThat(sizes(model).getFirst()).containsExactly(8);
    }
}
