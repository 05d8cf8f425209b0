package org.isoloss.reproduce;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.jspecify.annotations.Nullable;

/**
 * A kind of small network for a census. Its output is a linear map, with or without a bias, of some features, which the count of {@link #seen} needs.
 *
 * @param name in tables
 * @param inputs numbers of one input
 * @param outputs numbers that it gives for one
 * @param features that the last layer reads
 * @param biased whether the last layer has a bias
 * @param drawing what it does, with weights drawn when it is built
 */
record CensusNetwork(String name, int inputs, int outputs, int features, boolean biased, Drawing drawing) {
    /** The name of the input. */
    static final String INPUT = "input";

    /** What a network does. */
    interface Drawing {
        /** Returns the outputs, one input a row. */
        Value of(Drawn drawn, Value input);
    }

    /** Weights in the making: normal numbers, scaled by the square root of what a unit reads. */
    static final class Drawn {
        private final ModelBuilder builder = Model.builder();
        private final Layers layers = new Layers(builder);
        private final SplittableRandom random;

        Drawn(long seed) {
            this.random = new SplittableRandom(seed);
        }

        ModelBuilder builder() {
            return builder;
        }

        Layers layers() {
            return layers;
        }

        Value parameter(String name, int read, int... sizes) {
            Dimensions shape = Dimensions.of(sizes);
            double[] numbers = new double[shape.count()];
            Arrays.setAll(numbers, _ -> random.nextGaussian() / Math.sqrt(read));
            return builder.parameter(name, shape, Numbers.of(numbers));
        }

        Value linear(Value input, String name, int outputs, boolean isBiased) {
            int read = input.shape().sizes().getLast();
            @Nullable Value weight = parameter(name + ".weight", read, outputs, read);
            return layers.linear(input, weight, isBiased ? parameter(name + ".bias", read, outputs) : null);
        }

        /** Dense layers. */
        Value dense(Value input, Pointwise activation, boolean isBiased, int... widths) {
            Value value = input;
            for (int layer = 0; layer < widths.length; layer++) {
                Value sums = linear(value, "layer" + layer, widths[layer], isBiased);
                value = layer + 1 == widths.length ? sums : builder.apply(activation, sums);
            }
            return value;
        }
    }

    /** The network for a batch, with weights of a seed: the same ones for every batch. */
    Model model(int batch, long seed) {
        Drawn drawn = new Drawn(seed);
        Value output = drawing.of(drawn, drawn.builder().input(INPUT, batch, inputs));
        drawn.builder().output("output", output);
        return drawn.builder().build();
    }

    /**
     * How many dimensions k inputs in general position see of the parameters, by counting. The last layer alone tells m k numbers apart as long as k is at most the
     * number q of its features, its bias included. Of what the other parameters do, it shows at each further input no more than min(m, h) numbers.
     *
     * @param k number of inputs
     * @param most parameters without the symmetries of the function
     */
    int seen(int k, int most) {
        int q = features + (biased ? 1 : 0);
        return Math.min(most, outputs * Math.min(k, q) + Math.min(outputs, features) * Math.max(0, k - q));
    }

    /** A dense network with random weights; widths from the input on. */
    static CensusNetwork dense(String name, Pointwise activation, boolean biased, int... widths) {
        return new CensusNetwork(
                name,
                widths[0],
                widths[widths.length - 1],
                widths[widths.length - 2],
                biased,
                (drawn, input) -> drawn.dense(input, activation, biased, Arrays.copyOfRange(widths, 1, widths.length)));
    }

    /** The mean of what a dense network gives for all images of an input under a group, one hidden layer. */
    static CensusNetwork averaged(String name, List<Matrix> group, int hidden, int outputs) {
        int inputs = group.getFirst().rows();
        return new CensusNetwork(name, inputs, outputs, hidden, true, (drawn, input) -> {
            Value first = drawn.parameter("first.weight", inputs, hidden, inputs);
            Value bias = drawn.parameter("first.bias", inputs, hidden);
            List<Value> features = new ArrayList<>();
            for (Matrix element : group) {
                Value moved = drawn.layers()
                        .linear(
                                input,
                                drawn.builder().constant(Dimensions.of(inputs, inputs), Numbers.of(element.entries())),
                                null);
                features.add(drawn.builder()
                        .scaled(
                                1.0 / group.size(),
                                drawn.builder()
                                        .apply(Activation.TANH, drawn.layers().linear(moved, first, bias))));
            }
            return drawn.linear(drawn.builder().sum(features), "last", outputs, true);
        });
    }

    /** A filter of three neighbours on a circle, tanh, and one number for each place. */
    static CensusNetwork circular(String name, int places, int channels) {
        return new CensusNetwork(name, places, places, channels, true, (drawn, input) -> {
            int batch = input.shape().size(0);
            double[] neighbours = new double[3 * places * places];
            for (int place = 0; place < places; place++) {
                for (int tap = 0; tap < 3; tap++) {
                    neighbours[(3 * place + tap) * places + (place + tap + places - 1) % places] = 1;
                }
            }
            Value read = drawn.layers()
                    .linear(
                            input,
                            drawn.builder().constant(Dimensions.of(3 * places, places), Numbers.of(neighbours)),
                            null);
            Value rows = drawn.builder().reshape(read, Dimensions.of(batch * places, 3));
            return drawn.builder()
                    .reshape(drawn.dense(rows, Activation.TANH, true, channels, 1), Dimensions.of(batch, places));
        });
    }

    /** Images of 6 x 6, three filters of 3 x 3, an activation, the mean of each channel, a linear layer. */
    static CensusNetwork convolutional(String name, Pointwise activation) {
        return new CensusNetwork(name, 36, 3, 3, true, (drawn, input) -> {
            Value images =
                    drawn.builder().reshape(input, Dimensions.of(input.shape().size(0), 1, 6, 6));
            Windows windows = new Windows(List.of(3, 3), List.of(1, 1), List.of(1, 1), List.of(0, 0), List.of(0, 0));
            Value sums = new Convolutions(drawn.builder())
                    .convolution(
                            images,
                            drawn.parameter("filters.weight", 9, 3, 1, 3, 3),
                            drawn.parameter("filters.bias", 9, 3),
                            windows,
                            1);
            Value means = drawn.builder().meanOver(drawn.builder().apply(activation, sums), List.of(2, 3));
            return drawn.linear(
                    drawn.builder().reshape(means, Dimensions.of(input.shape().size(0), 3)), "last", 3, true);
        });
    }

    /** Four places of three numbers, one head of three, the mean over places, a linear layer without a bias. */
    static CensusNetwork attention(String name) {
        return new CensusNetwork(name, 12, 2, 3, false, (drawn, input) -> {
            int batch = input.shape().size(0);
            Value places = drawn.builder().reshape(input, Dimensions.of(batch, 1, 4, 3));
            Value queries = drawn.linear(places, "query", 3, false);
            Value keys = drawn.linear(places, "key", 3, false);
            Value values = drawn.linear(places, "value", 3, false);
            Value mixed = drawn.layers().attention(queries, keys, values, 1 / Math.sqrt(3), null);
            Value means = drawn.builder().meanOver(mixed, List.of(1, 2));
            return drawn.linear(drawn.builder().reshape(means, Dimensions.of(batch, 3)), "last", 2, false);
        });
    }

    /** A dense network with normal weights, to be trained. */
    static DenseNetwork untrained(Activation activation, SplittableRandom random, int... widths) {
        List<DenseLayer> layers = new ArrayList<>();
        for (int layer = 0; layer + 1 < widths.length; layer++) {
            Matrix weight = Matrix.gaussian(widths[layer + 1], widths[layer], random);
            double[] bias = Matrix.gaussian(1, widths[layer + 1], random).entries();
            double scale = 1 / Math.sqrt(widths[layer]);
            layers.add(DenseLayer.of(
                    weight.scaled(scale),
                    Arrays.stream(bias).map(number -> scale * number).toArray()));
        }
        return new DenseNetwork(activation, layers);
    }
}
