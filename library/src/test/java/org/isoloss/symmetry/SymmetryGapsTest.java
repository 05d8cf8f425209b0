package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.isoloss.model.Clamp;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Dimensions;
import org.isoloss.model.KnownNetworks;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Numbers;
import org.isoloss.model.Recurrence;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The smallest networks with symmetries that are no maps of values, or have no closed form, as random models have shown. */
class SymmetryGapsTest {
    private static final int BATCH = KnownNetworks.BATCH;

    private static Symmetries of(int width, BiFunction<Network, Value, Value> made) {
        return Symmetries.of(new Network().target(width, made).moving().model(), List.of(), 5);
    }

    private static Value plain(Network net, Value input, String name, int outputs) {
        return net.layers.linear(
                input, net.parameter(name, outputs, input.shape().size(1)), null);
    }

    /** A scale a feature, against the columns of the weight. */
    private static Value scaledInput(Network net, Value x) {
        return net.linear(net.builder.product(x, net.parameter("scale", 3)), "head", 2);
    }

    /** Three units see two channels, so that what the filters make lies in a plane; a scale a unit. */
    private static Value moreChannels(Network net, Value x) {
        Value pixels = net.builder.reshape(x, Dimensions.of(BATCH, 2, 2, 2));
        Convolutions convolutions = new Convolutions(net.builder);
        Value units = convolutions.convolution(
                pixels, net.parameter("first", 3, 2, 1, 1), net.parameter("bias", 3), Windows.of(1, 1), 1);
        return convolutions.convolution(
                net.builder.apply(new Clamp(0, Double.POSITIVE_INFINITY, 0.1), units),
                net.parameter("second", 2, 3, 1, 1),
                null,
                Windows.of(1, 1),
                1);
    }

    /** Of the shift, what lies in the plane is read by two rows and one is not; what lies along ones makes two. */
    private static Value shiftedNorm(Network net, Value x) {
        Value normed = net.layers.layerNorm(x, 1, null, null, 0.5);
        return plain(net, net.builder.plus(normed, net.parameter("shift", 3)), "head", 2);
    }

    /** A factor a channel, against the columns of a head that sees one combination of the channels alone. */
    private static Value factors(Network net, Value x) {
        Value units = net.builder.apply(Activation.TANH, plain(net, x, "first", 2));
        Value channels = net.builder.reshape(units, Dimensions.of(BATCH, 2, 1));
        Value scaled = new Convolutions(net.builder)
                .convolution(channels, net.parameter("factors", 2, 1, 1), null, Windows.of(1), 2);
        return net.linear(net.builder.reshape(scaled, Dimensions.of(BATCH, 2)), "head", 1);
    }

    /** A scale a unit and a row that reads what never comes. */
    private static Value thereAndBack(Network net, Value x) {
        Value weight = net.parameter("weight", 2, 3);
        Value units = net.builder.apply(Clamp.RELU, net.layers.linear(x, weight, null));
        return plain(net, net.layers.linear(units, net.builder.transpose(weight, 1, 0), null), "head", 1);
    }

    /** A scale a unit: where W becomes S W, the head undoes S W S W^-1. */
    private static Value afterItself(Network net, Value x) {
        Value weight = net.parameter("weight", 2, 2);
        Value units =
                net.builder.apply(new Clamp(0, Double.POSITIVE_INFINITY, 0.1), net.layers.linear(x, weight, null));
        return plain(net, net.layers.linear(units, weight, null), "head", 2);
    }

    /** Of two weights a sum is seen. */
    private static Value parallel(Network net, Value x) {
        return net.builder.apply(Activation.TANH, net.builder.plus(plain(net, x, "one", 1), plain(net, x, "two", 1)));
    }

    /** Five numbers of which two are seen. */
    private static Value skipped(Network net, Value x) {
        return plain(net, net.builder.concatenate(List.of(plain(net, x, "first", 1), x), 1), "head", 1);
    }

    /** The gates add up to 1, so that one shift of what they let through is that of the head's bias. */
    private static Value softGate(Network net, Value x) {
        Value gate = net.layers.softmax(plain(net, x, "gate", 2), 1);
        return net.linear(net.builder.product(gate, net.linear(x, "up", 2)), "down", 1);
    }

    /** Rotations, and how far the plane of what is normalised lies from 0, against epsilon. */
    private static Value normedPlane(Network net, Value x) {
        return net.linear(net.layers.rmsNorm(net.linear(x, "up", 3), 1, null, 0.5), "head", 2);
    }

    /** Scales of both norms, against the epsilon of the second one. */
    private static Value twoNorms(Network net, Value x) {
        Value gate = net.builder.apply(Activation.SIGMOID, plain(net, x, "gate", 2));
        Value units = net.builder.product(gate, plain(net, x, "up", 2));
        Value first = net.layers.rmsNorm(units, 1, net.parameter("scale", 2), 0.5);
        return net.layers.rmsNorm(first, 1, net.parameter("second scale", 2), 0.5);
    }

    /** A sum of two products of linear functions is a quadratic form of four: O(2, 2), and two scales against the head. */
    private static Value quadratic(Network net, Value x) {
        return plain(net, net.builder.product(plain(net, x, "left", 2), plain(net, x, "right", 2)), "head", 1);
    }

    static Stream<Arguments> found() {
        return Stream.of(
                network("scaled input", 3, 3, SymmetryGapsTest::scaledInput),
                network("more channels than inputs of a convolution", 3, 8, SymmetryGapsTest::moreChannels),
                network("shifted norm", 3, 3, SymmetryGapsTest::shiftedNorm),
                network("factors of channels", 2, 3, SymmetryGapsTest::factors),
                network("there and back", 3, 3, SymmetryGapsTest::thereAndBack),
                network("a layer after itself", 2, 2, SymmetryGapsTest::afterItself),
                network("parallel weights", 2, 2, SymmetryGapsTest::parallel),
                network("a linear layer beside its input", 3, 2, SymmetryGapsTest::skipped),
                network("softmax as a gate", 5, 2, SymmetryGapsTest::softGate),
                network("a norm of what lies in a plane", 4, 2, SymmetryGapsTest::normedPlane),
                network("two norms", 2, 2, SymmetryGapsTest::twoNorms),
                network("products of linear functions", 8, 3, SymmetryGapsTest::quadratic));
    }

    private static Arguments network(String name, int nullity, int width, BiFunction<Network, Value, Value> made) {
        return Arguments.of(name, nullity, width, made);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("found")
    void neverMoreIsFoundThanThereIs(String name, int nullity, int width, BiFunction<Network, Value, Value> made) {
        Symmetries found = of(width, made);
        assertThat(found.nullity()).as(name).isEqualTo(nullity);
        assertThat(found.rank()).as(name).isLessThanOrEqualTo(nullity);
        assertThat(found.families())
                .allSatisfy(family -> assertThat(family.verified()).isLessThanOrEqualTo(Symmetries.EXACT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("found")
    void allOfItIsFound(String name, int nullity, int width, BiFunction<Network, Value, Value> made) {
        assertThat(of(width, made).rank()).as(name).isEqualTo(nullity);
    }

    /** The reset gate multiplies what the first state makes, which is 0 without a bias: a ratio of two scales that are 0. */
    @Test
    void gateOfZeroIsNotDividedBy() {
        Symmetries found = of(4, (net, x) -> {
            Value zero = net.builder.constant(Dimensions.of(BATCH, 2), Numbers.of(new double[2 * BATCH]));
            var weights =
                    new Recurrence.Weights(net.parameter("input", 6, 2), net.parameter("hidden", 6, 2), null, null);
            return new Recurrence(net.builder)
                    .gru(
                            net.builder.reshape(x, Dimensions.of(2, BATCH, 2)),
                            weights,
                            zero,
                            false,
                            true,
                            value -> net.builder.apply(Activation.SIGMOID, value),
                            value -> net.builder.apply(Activation.TANH, value))
                    .last();
        });
        assertThat(found.nullity()).isZero();
    }

    /** Of three units that are scaled one is seldom active; moved along a line instead, it is as good as still on eight batches. */
    @Test
    void whatSomeInputSeesIsNotExact() {
        Symmetries found = Symmetries.of(RandomModels.of(113).model(), List.of(), 113);
        assertThat(found.rank()).isEqualTo(3);
        assertThat(found.families()).extracting(SymmetryFamily::name).doesNotContain("written unseen");
    }
}
