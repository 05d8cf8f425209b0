package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Convolutions and pooling over any number of axes, made of windows, contractions and reductions. */
public final class Convolutions {
    private final ModelBuilder builder;

    /**
     * Adds to a model.
     *
     * @param builder receives the layers
     */
    public Convolutions(ModelBuilder builder) {
        this.builder = builder;
    }

    /**
     * A convolution.
     *
     * @param input shape (batch, channels, lengths...)
     * @param weight shape (outputs, channels / groups, window...)
     * @param bias shape (outputs); null for none
     * @param windows where the weights lie
     * @param groups into which channels and outputs are parted
     * @return shape (batch, outputs, places...)
     */
    public Value convolution(Value input, Value weight, @Nullable Value bias, Windows windows, int groups) {
        List<Value> arguments = bias == null ? List.of(input, weight) : List.of(input, weight, bias);
        return builder.composite(Composite.Role.CONVOLUTION, arguments, () -> {
            int batch = input.shape().size(0);
            int channels = input.shape().size(1);
            int outputs = weight.shape().size(0);
            requireGroups(channels, outputs, groups);
            if (weight.shape().size(1) * groups != channels) {
                throw new IllegalArgumentException(
                        "weights of shape %s in %d groups for %d channels".formatted(weight.shape(), groups, channels));
            }
            int[] places = windows.places(lengths(input), false);
            Value spread = isPointwise(windows) ? input : spread(input, windows, places, 0);
            int count = count(places);
            int taps = count(Windows.array(windows.size()));
            Value product;
            if (groups == 1) {
                Value matrix = builder.reshape(weight, Dimensions.of(outputs, channels * taps));
                product = builder.contract(
                        "oc,ncp->nop", matrix, builder.reshape(spread, Dimensions.of(batch, channels * taps, count)));
            } else if (groups == channels && groups == outputs) {
                Value matrix = builder.reshape(weight, Dimensions.of(groups, taps));
                product = builder.contract(
                        "gk,ngkp->ngp", matrix, builder.reshape(spread, Dimensions.of(batch, groups, taps, count)));
            } else {
                int depth = channels / groups * taps;
                Value matrix = builder.reshape(weight, Dimensions.of(groups, outputs / groups, depth));
                product = builder.contract(
                        "goc,ngcp->ngop", matrix, builder.reshape(spread, Dimensions.of(batch, groups, depth, count)));
            }
            return biased(builder.reshape(product, shape(batch, outputs, places)), bias);
        });
    }

    /**
     * The transpose of a convolution: every entry of the input adds a window to the result.
     *
     * @param input shape (batch, channels, places...)
     * @param weight shape (channels, outputs / groups, window...)
     * @param bias shape (outputs); null for none
     * @param windows those of the convolution from the result to the input
     * @param groups into which channels and outputs are parted
     * @param lengths of the result's axes
     * @return shape (batch, outputs, lengths...)
     */
    public Value transposed(
            Value input, Value weight, @Nullable Value bias, Windows windows, int groups, List<Integer> lengths) {
        int batch = input.shape().size(0);
        int channels = input.shape().size(1);
        int outputs = weight.shape().size(1) * groups;
        requireGroups(channels, outputs, groups);
        if (weight.shape().size(0) != channels) {
            throw new IllegalArgumentException(
                    "weights of shape %s for %d channels".formatted(weight.shape(), channels));
        }
        int[] places = Windows.array(lengths(input));
        int count = count(places);
        int rows = weight.shape().count() / channels;
        Value columns = builder.contract(
                "gcr,ngcp->ngrp",
                builder.reshape(weight, Dimensions.of(groups, channels / groups, rows)),
                builder.reshape(input, Dimensions.of(batch, groups, channels / groups, count)));
        IndexMap map = IndexMap.windows(
                shape(batch, outputs, Windows.array(lengths)),
                Windows.array(windows.size()),
                Windows.array(windows.stride()),
                Windows.array(windows.dilation()),
                Windows.array(windows.before()),
                places);
        return biased(builder.add(new Scattering(map), builder.reshape(columns, map.target())), bias);
    }

    private Value biased(Value value, @Nullable Value bias) {
        return bias == null
                ? value
                : builder.plus(
                        value, new Layers(builder).channel(bias, value.shape().rank()));
    }

    private static void requireGroups(int channels, int outputs, int groups) {
        if (groups < 1 || channels % groups != 0 || outputs % groups != 0) {
            throw new IllegalArgumentException(
                    "%d channels and %d outputs are not parted into %d groups".formatted(channels, outputs, groups));
        }
    }

    /**
     * The largest entry of each window.
     *
     * @param input shape (batch, channels, lengths...)
     * @param windows what is compared; padding never wins
     * @param partial whether a last window counts that reaches beyond the padding
     * @return shape (batch, channels, places...)
     */
    public Value largest(Value input, Windows windows, boolean partial) {
        int[] places = windows.places(lengths(input), partial);
        Value spread = spread(input, windows, places, Double.NEGATIVE_INFINITY);
        return builder.largestOver(spread, windowAxes(windows));
    }

    /**
     * The sum over each window.
     *
     * @param input shape (batch, channels, lengths...)
     * @param windows over which
     * @param partial whether a last window counts that reaches beyond the padding
     * @return shape (batch, channels, places...)
     */
    public Value sum(Value input, Windows windows, boolean partial) {
        int[] places = windows.places(lengths(input), partial);
        return builder.sumOver(spread(input, windows, places, 0), windowAxes(windows));
    }

    /**
     * The mean over each window.
     *
     * @param input shape (batch, channels, lengths...)
     * @param windows over which
     * @param partial whether a last window counts that reaches beyond the padding
     * @param padded whether padding counts as entries that are 0
     * @return shape (batch, channels, places...)
     */
    public Value average(Value input, Windows windows, boolean partial, boolean padded) {
        List<Integer> lengths = lengths(input);
        int[] places = windows.places(lengths, partial);
        double[] shares = {1};
        for (int axis = 0; axis < windows.rank(); axis++) {
            double[] own = shares(windows, axis, lengths.get(axis), places[axis], padded);
            double[] before = shares;
            shares = IntStream.range(0, before.length * own.length)
                    .mapToDouble(i -> before[i / own.length] * own[i % own.length])
                    .toArray();
        }
        Value sum = sum(input, windows, partial);
        return Arrays.stream(shares).distinct().count() == 1
                ? builder.scaled(shares[0], sum)
                : builder.product(sum, builder.constant(Dimensions.of(places), Numbers.of(shares)));
    }

    /** One over the number of entries of each window along an axis. */
    private static double[] shares(Windows windows, int axis, int length, int places, boolean padded) {
        int from = padded ? -windows.before().get(axis) : 0;
        int to = length + (padded ? windows.after().get(axis) : 0);
        double[] shares = new double[places];
        for (int place = 0; place < places; place++) {
            int begin = place * windows.stride().get(axis) - windows.before().get(axis);
            int step = windows.dilation().get(axis);
            long inside = IntStream.range(0, windows.size().get(axis))
                    .map(tap -> begin + tap * step)
                    .filter(at -> at >= from && at < to)
                    .count();
            shares[place] = 1.0 / inside;
        }
        return shares;
    }

    private Value spread(Value input, Windows windows, int[] places, double fill) {
        return builder.windows(
                input,
                Windows.array(windows.size()),
                Windows.array(windows.stride()),
                Windows.array(windows.dilation()),
                Windows.array(windows.before()),
                places,
                fill);
    }

    private static boolean isPointwise(Windows windows) {
        return windows.equals(Windows.of(ones(windows.rank())));
    }

    private static int[] ones(int count) {
        return IntStream.generate(() -> 1).limit(count).toArray();
    }

    private static List<Integer> windowAxes(Windows windows) {
        return IntStream.range(2, 2 + windows.rank()).boxed().toList();
    }

    private static List<Integer> lengths(Value input) {
        return input.shape().sizes().subList(2, input.shape().rank());
    }

    private static Dimensions shape(int batch, int channels, int[] lengths) {
        List<Integer> sizes = new ArrayList<>(List.of(batch, channels));
        Arrays.stream(lengths).forEach(sizes::add);
        return new Dimensions(sizes);
    }

    private static int count(int[] sizes) {
        return Arrays.stream(sizes).reduce(1, Math::multiplyExact);
    }
}
