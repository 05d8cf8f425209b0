package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

class AxisClassesTest {
    private static Model model(BiFunction<Network, Value, Value> made) {
        Network net = new Network();
        net.builder.output("y", made.apply(net, net.builder.input("x", 6, 3)));
        return net.builder.build();
    }

    private static Collection<AxisClass> classes(BiFunction<Network, Value, Value> made) {
        return AxisClasses.of(model(made)).classes();
    }

    private static AxisClass hidden(Pointwise function) {
        Collection<AxisClass> classes = classes((net, x) -> net.hidden(x, function));
        assertThat(classes).hasSize(1);
        return classes.iterator().next();
    }

    @Test
    void functionsLetScalesAndSignsThrough() {
        assertThat(List.of(
                        hidden(Clamp.RELU),
                        hidden(Activation.TANH),
                        hidden(Activation.GELU),
                        hidden(Power.SQUARE),
                        hidden(new Power(3, 1))))
                .allSatisfy(channels -> {
                    assertThat(channels.kind()).isEqualTo(AxisClass.Kind.MONOMIAL);
                    assertThat(channels.isOrdered()).isFalse();
                    assertThat(channels.size()).isEqualTo(4);
                })
                .extracting(channels -> channels.scales() + " " + channels.signs())
                .containsExactly("1 0", "0 1", "0 0", "1 1", "1 1");
        assertThat(hidden(Clamp.RELU).dimension()).isEqualTo(4);
    }

    private static Factor factor(AxisClasses classes, Model model, String tensor, int place) {
        return Objects.requireNonNull(classes.weights().get(model.parameter(tensor)))
                .getFirst()
                .factors()
                .get(place);
    }

    /** Of a square, what reads it takes back twice the logarithm of what writes it. */
    @Test
    void powersAreThoseOfTheFunction() {
        Map<Pointwise, Double> degrees =
                Map.of(Clamp.RELU, 1.0, Power.SQUARE, 2.0, new Power(3, 1), 3.0, Power.ROOT, 0.5);
        degrees.forEach((function, degree) -> {
            Model model = model((net, x) -> net.hidden(x, function));
            AxisClasses classes = AxisClasses.of(model);
            double written = factor(classes, model, "first.weight", 0).scales()[0];
            double read = factor(classes, model, "second.weight", 1).scales()[0];
            assertThat(written).isNotZero();
            assertThat(read).isCloseTo(-degree * written, within(1e-15));
            assertThat(factor(classes, model, "first.bias", 0).scales()[0]).isEqualTo(written);
        });
    }

    /** Linear channels between two affine maps: A' 1 = 1 is not asked for, as biases take up what is added. */
    @Test
    void streamsHaveTheirLimits() {
        BiFunction<Network, Value, Value> rms = (net, x) -> net.linear(
                net.layers.rmsNorm(net.linear(x, "first", 5), 1, net.parameter("scale", 5), 0.1), "second", 2);
        BiFunction<Network, Value, Value> layer = (net, x) -> net.linear(
                net.layers.layerNorm(
                        net.linear(x, "first", 5), 1, net.parameter("scale", 5), net.parameter("shift", 5), 0.1),
                "second",
                2);
        assertThat(classes((net, x) -> net.linear(net.linear(x, "first", 2), "second", 3)))
                .extracting(AxisClass::kind)
                .containsExactly(AxisClass.Kind.LINEAR);
        assertThat(classes(rms))
                .extracting(AxisClass::kind)
                .containsExactly(AxisClass.Kind.ORTHOGONAL, AxisClass.Kind.SCALED);
        AxisClass stream = classes(rms).iterator().next();
        assertThat(stream.fixesOnes() || stream.fixesOnesDual()).isFalse();
        assertThat(stream.dimension()).isEqualTo(10);
        AxisClass centred = classes(layer).iterator().next();
        assertThat(centred.kind()).isEqualTo(AxisClass.Kind.ORTHOGONAL);
        assertThat(centred.fixesOnes() || centred.fixesOnesDual()).isTrue();
        assertThat(centred.dimension()).isEqualTo(6);
        assertThat(classes(layer)).last().satisfies(scaled -> {
            assertThat(scaled.kind()).isEqualTo(AxisClass.Kind.SCALED);
            assertThat(scaled.followed()).isNotNull();
            assertThat(scaled.factors()).isNotNull();
        });
    }

    /** Two heads of two channels: the heads change places, and each has a basis of its own on query and key, and on the values. */
    @Test
    void headsNumberTheirChannels() {
        Collection<AxisClass> classes = classes((net, x) -> {
            Value[] heads = new Value[3];
            for (int i = 0; i < 3; i++) {
                Value all = net.linear(x, "part" + i, 4);
                heads[i] = net.builder.transpose(net.builder.reshape(all, Dimensions.of(1, 6, 2, 2)), 0, 2, 1, 3);
            }
            Value mixed = net.layers.attention(heads[0], heads[1], heads[2], 0.7, null);
            Value rows = net.builder.reshape(net.builder.transpose(mixed, 0, 2, 1, 3), Dimensions.of(6, 4));
            return net.linear(rows, "output", 3);
        });
        assertThat(classes)
                .filteredOn(channels -> channels.kind() == AxisClass.Kind.MONOMIAL)
                .singleElement()
                .satisfies(heads -> assertThat(heads.size()).isEqualTo(2));
        assertThat(classes)
                .filteredOn(channels -> channels.kind() == AxisClass.Kind.LINEAR)
                .hasSize(2)
                .allSatisfy(own -> {
                    assertThat(own.size()).isEqualTo(2);
                    assertThat(own.count()).isEqualTo(2);
                    assertThat(own.index())
                            .singleElement()
                            .satisfies(index -> assertThat(index.kind()).isEqualTo(AxisClass.Kind.MONOMIAL));
                });
    }

    /** A stream that a function reads beside a norm has no more than the function lets through. */
    @Test
    void everyReaderLimits() {
        assertThat(classes((net, x) -> {
                    Value stream = net.linear(x, "first", 5);
                    Value other = net.builder.apply(Activation.GELU, stream);
                    return net.linear(net.builder.plus(net.layers.rmsNorm(stream, 1, null, 0.1), other), "second", 2);
                }))
                .singleElement()
                .satisfies(channels -> {
                    assertThat(channels.kind()).isEqualTo(AxisClass.Kind.MONOMIAL);
                    assertThat(channels.scales() + channels.signs()).isZero();
                });
    }

    /** Outputs and inputs are not changed: no class has their axes. */
    @Test
    void outputsStay() {
        Model model = model((net, x) -> net.linear(x, "only", 4));
        AxisClasses classes = AxisClasses.of(model);
        assertThat(classes.of(model.output("y"))).isEmpty();
        assertThat(classes.of(model.inputs().firstEntry().getValue())).isEmpty();
    }
}
