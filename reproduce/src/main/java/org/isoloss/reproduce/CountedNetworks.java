package org.isoloss.reproduce;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;

/**
 * Networks of one kind and several sizes, whose symmetries at weights in general position can be counted by hand.
 *
 * @param name of the kind, in tables
 * @param members with the dimension that counting gives for each
 */
record CountedNetworks(String name, List<Counted> members) {
    /**
     * A network.
     *
     * @param network with weights to be drawn
     * @param dimension of the changes of its parameters that keep the function, by counting
     */
    record Counted(CensusNetwork network, int dimension) {}

    /** Widths of dense networks, from the input on. */
    private static final List<int[]> WIDTHS =
            List.of(new int[] {3, 4, 2}, new int[] {5, 3, 4}, new int[] {2, 8, 3}, new int[] {4, 5, 3, 2}, new int[] {
                3, 4, 4, 3, 2
            });

    /** All kinds. */
    static List<CountedNetworks> all() {
        return List.of(
                dense("tanh", Activation.TANH, true, _ -> 0),
                dense("GELU", Activation.GELU, true, _ -> 0),
                dense("ReLU", Clamp.RELU, true, CountedNetworks::units),
                dense("ReLU, no biases", Clamp.RELU, false, CountedNetworks::units),
                dense("linear", Activation.IDENTITY, true, widths -> linear(widths, true)),
                dense("linear, no biases", Activation.IDENTITY, false, widths -> linear(widths, false)),
                squared(),
                gated(),
                convolutional(),
                attention(),
                normed());
    }

    private interface Count {
        int of(int[] widths);
    }

    private static CountedNetworks dense(String name, Pointwise activation, boolean isBiased, Count count) {
        return new CountedNetworks(
                name,
                WIDTHS.stream()
                        .map(widths -> new Counted(
                                CensusNetwork.dense(name + " " + sizes(widths), activation, isBiased, widths),
                                count.of(widths)))
                        .toList());
    }

    private static String sizes(int... widths) {
        return String.join("-", Arrays.stream(widths).mapToObj(String::valueOf).toList());
    }

    /** A scale for each unit between the input and the output. */
    private static int units(int[] widths) {
        return Arrays.stream(widths).skip(1).sum() - widths[widths.length - 1];
    }

    /** All parameters but the dimension of what they make: matrices whose rank is the least width, and a shift. */
    private static int linear(int[] widths, boolean isBiased) {
        int last = widths[widths.length - 1];
        int rank = Arrays.stream(widths).min().orElseThrow();
        int parameters = IntStream.range(1, widths.length)
                .map(i -> widths[i] * (widths[i - 1] + (isBiased ? 1 : 0)))
                .sum();
        return parameters - rank * (widths[0] + last - rank) - (isBiased ? last : 0);
    }

    /** One hidden layer of squared ReLU: a scale for each unit, whose square divides. */
    private static CountedNetworks squared() {
        return hidden("squared ReLU", (drawn, input, units) -> {
            Value active = drawn.builder().apply(Clamp.RELU, drawn.linear(input, "first", units, true));
            return drawn.builder().product(active, active);
        });
    }

    /** One hidden layer of linear units times tanh: a scale for each linear unit. */
    private static CountedNetworks gated() {
        return hidden(
                "gated",
                (drawn, input, units) -> drawn.builder()
                        .product(
                                drawn.linear(input, "value", units, true),
                                drawn.builder().apply(Activation.TANH, drawn.linear(input, "gate", units, true))));
    }

    private interface Hidden {
        Value of(CensusNetwork.Drawn drawn, Value input, int units);
    }

    private static CountedNetworks hidden(String name, Hidden hidden) {
        return new CountedNetworks(
                name,
                WIDTHS.stream()
                        .filter(widths -> widths.length == 3)
                        .map(widths -> new Counted(
                                new CensusNetwork(
                                        name + " " + sizes(widths),
                                        widths[0],
                                        widths[2],
                                        widths[1],
                                        true,
                                        (drawn, input) -> drawn.linear(
                                                hidden.of(drawn, input, widths[1]), "last", widths[2], true)),
                                widths[1]))
                        .toList());
    }

    /** A scale for each of three channels; where channels are linear, the mean over pixels is a linear network. */
    private static CountedNetworks convolutional() {
        return new CountedNetworks(
                "convolution, ReLU",
                List.of(new Counted(CensusNetwork.convolutional("convolution, ReLU", Clamp.RELU), 3)));
    }

    /** One head of keys and values of width d between places of width n, two outputs: GL(d) at the keys, and at the values what a product of rank min(2, d) leaves. */
    private static CountedNetworks attention() {
        return new CountedNetworks(
                "attention",
                IntStream.rangeClosed(2, 4)
                        .mapToObj(head -> {
                            int width = 4;
                            int outputs = 3;
                            int rank = Math.min(outputs, head);
                            int values = head * (width + outputs) - rank * (width + outputs - rank);
                            return new Counted(attention(width, head, outputs), head * head + values);
                        })
                        .toList());
    }

    private static CensusNetwork attention(int width, int head, int outputs) {
        int places = 3;
        return new CensusNetwork(
                "attention %d-%d".formatted(width, head), places * width, outputs, head, false, (drawn, input) -> {
                    int batch = input.shape().size(0);
                    Value read = drawn.builder().reshape(input, Dimensions.of(batch, 1, places, width));
                    Value queries = drawn.linear(read, "query", head, false);
                    Value keys = drawn.linear(read, "key", head, false);
                    Value values = drawn.linear(read, "value", head, false);
                    Value mixed = drawn.layers().attention(queries, keys, values, 1 / Math.sqrt(head), null);
                    Value means = drawn.builder().meanOver(mixed, List.of(1, 2));
                    return drawn.linear(
                            drawn.builder().reshape(means, Dimensions.of(batch, head)), "last", outputs, false);
                });
    }

    /**
     * A layer norm of n inputs before h tanh units: the n scales and n shifts of the norm against the weights that read them, and what
     * these h rows read along ones. ReLU units would bend on none of what a norm lets through, or on all.
     */
    private static CountedNetworks normed() {
        return new CountedNetworks(
                "layer norm, tanh",
                List.of(new int[] {3, 4, 2}, new int[] {5, 3, 4}, new int[] {4, 8, 3}).stream()
                        .map(widths -> new Counted(normed(widths), 2 * widths[0] + widths[1]))
                        .toList());
    }

    private static CensusNetwork normed(int... widths) {
        return new CensusNetwork(
                "layer norm, tanh " + sizes(widths), widths[0], widths[2], widths[1], true, (drawn, input) -> {
                    Value normed = drawn.layers()
                            .layerNorm(
                                    input,
                                    1,
                                    drawn.parameter("norm.weight", 1, widths[0]),
                                    drawn.parameter("norm.bias", 1, widths[0]),
                                    1e-5);
                    return drawn.dense(normed, Activation.TANH, true, widths[1], widths[2]);
                });
    }
}
