package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.report.SymmetryReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SymmetriesTest {
    private static Symmetries of(int width, BiFunction<Network, Value, Value> made) {
        return Symmetries.of(new Network().target(width, made).moving().model(), List.of(), 5);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void familiesExplainAllThatIsPlanted(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        Symmetries found = of(width, made);
        assertThat(found.parameters()).isEqualTo(parameters);
        assertThat(found.nullity()).as(name).isEqualTo(nullity);
        assertThat(found.rank()).as(name).isEqualTo(nullity);
        assertThat(found.unexplained()).isZero();
        assertThat(found.approximate()).isEmpty();
        assertThat(found.gap()).isGreaterThan(1e3);
        assertThat(found.families())
                .allSatisfy(family -> assertThat(family.verified()).isLessThanOrEqualTo(1e-10));
    }

    private static Set<String> groups(Symmetries found) {
        return found.families().stream().map(SymmetryFamily::group).collect(Collectors.toSet());
    }

    @Test
    void groupsHaveTheirNames() {
        assertThat(groups(of(3, (net, x) -> net.hidden(x, Clamp.RELU)))).containsExactlyInAnyOrder("(R>0)^4", "S_4");
        assertThat(groups(of(3, (net, x) -> net.hidden(x, Activation.TANH)))).containsExactlyInAnyOrder("S_4", "Z_2^4");
        assertThat(groups(of(3, (net, x) -> net.linear(net.linear(x, "first", 2), "second", 3))))
                .containsExactly("Aff(2)");
    }

    /** With biases, neither scales nor signs go through it. */
    @Test
    void genericActivationHasPermutationsAlone() {
        Symmetries found = of(3, (net, x) -> net.hidden(x, Activation.GELU));
        assertThat(found.nullity()).isZero();
        assertThat(groups(found)).containsExactly("S_4");
    }

    /** The first weight of each row is a constant of the graph, all different, so that no two units can change places. */
    @Test
    void constantsAmongTheWeightsForbidEverything() {
        Symmetries found = of(3, (net, x) -> {
            Value fixed = net.builder.constant(Dimensions.of(4, 1), Numbers.of(0.3, -0.7, 1.1, 0.9));
            Value weight = net.builder.concatenate(List.of(fixed, net.parameter("free", 4, 2)), 1);
            Value sums = net.layers.linear(x, weight, net.parameter("bias", 4));
            return net.linear(net.builder.apply(Clamp.RELU, sums), "second", 2);
        });
        assertThat(found.nullity()).isZero();
        assertThat(found.families()).isEmpty();
    }

    /** Each unit is seen 7 times less than the one before, down to nothing: where zeros begin is no fact. */
    @Test
    void saturatedUnitsLeaveTheNullityUndecided() {
        Symmetries found = of(3, (net, x) -> {
            double[] biases = new double[24];
            Arrays.setAll(biases, i -> -2 * i);
            Value bias = net.builder.parameter("bias", Dimensions.of(24), Numbers.of(biases));
            Value sums =
                    net.layers.linear(x, net.builder.constant(Dimensions.of(24, 3), Numbers.of(net.normal(72))), bias);
            return net.builder.apply(Activation.SIGMOID, sums);
        });
        assertThat(found.isDecided()).isFalse();
        assertThat(found.nullity()).isPositive();
        var report = new SymmetryReport("units", found);
        assertThat(report.verdict()).contains("of the Jacobian at most, undecided as its singular values fall");
        assertThat(report.json()).containsEntry("decided", false);
        Symmetries clear = of(3, (net, x) -> net.hidden(x, Clamp.RELU));
        assertThat(new SymmetryReport("units", clear).json()).containsEntry("decided", true);
    }

    /** A product of two parameters alone has a symmetry that is no map of a value. */
    @Test
    void whatNoMapOfAValueMakesIsFollowed() {
        Symmetries found = of(3, (net, x) -> {
            Value product = net.builder.product(net.parameter("left", 4, 3), net.parameter("right", 4, 3));
            return net.builder.apply(Activation.TANH, net.layers.linear(x, product, net.parameter("bias", 4)));
        });
        assertThat(found.nullity()).isEqualTo(12);
        assertThat(found.rank()).isEqualTo(12);
        SymmetryFamily curves = found.families().getFirst();
        assertThat(curves.name()).isEqualTo("curves");
        assertThat(curves.tensors()).containsExactly("left", "right");
        assertThat(curves.verified()).isLessThanOrEqualTo(Symmetries.EXACT);
        assertThat(found.approximate()).isEmpty();
    }

    /** The square of a parameter that is 0 does not move at first, so that only a finite step tells. */
    @Test
    void parametersThatAreZeroAreMovedToo() {
        Symmetries found = of(3, (net, x) -> {
            Value zero = net.builder.parameter("zero", Dimensions.of(2), Numbers.of(0, 0));
            return net.builder.plus(net.linear(x, "only", 2), net.builder.product(zero, zero));
        });
        assertThat(found.nullity()).isEqualTo(2);
        assertThat(found.rank()).isZero();
        assertThat(found.approximate()).singleElement().satisfies(family -> {
            assertThat(family.tensors()).containsExactly("zero");
            assertThat(family.verified()).isGreaterThan(1e-3);
        });
    }

    /** A stream of 80 channels is too wide to be searched; what moves beside it is found, and the part said to be held. */
    @Test
    void chosenTensorsBesideAWideStreamAreSearched() {
        Network net = new Network();
        Value stream = net.linear(net.builder.input("x", 40, 3), "in", 80);
        Value read = net.layers.rmsNorm(stream, 1, net.parameter("scale", 80), 1e-5);
        Value branch = net.linear(net.builder.apply(Clamp.RELU, net.linear(read, "up", 6)), "down", 80);
        Value last = net.layers.rmsNorm(net.builder.plus(stream, branch), 1, net.parameter("last", 80), 1e-5);
        net.builder.output("y", net.layers.linear(last, net.parameter("head", 4, 80), null));
        Symmetries found =
                Symmetries.of(net.builder.build(), List.of("up.weight[0:3]", "up.bias[0:3]", "down.weight[:, 0:3]"), 5);
        assertThat(found.heldParts()).isEqualTo(1);
        assertThat(groups(found)).contains("(R>0)^3");
        assertThat(found.rank()).isLessThanOrEqualTo(found.nullity());
        assertThat(found.families())
                .allSatisfy(family -> assertThat(family.verified()).isLessThanOrEqualTo(Symmetries.EXACT));
        assertThat(found.unexplained()).isEqualTo(found.nullity() - found.rank());
    }

    /** A weight and its transpose change together: signs and permutations of tanh go through both. */
    @Test
    void tiedWeightsChangeOnce() {
        Symmetries found = of(3, (net, x) -> {
            Value weight = net.parameter("tied", 4, 3);
            Value inner = net.builder.apply(Activation.TANH, net.layers.linear(x, weight, net.parameter("bias", 4)));
            return net.layers.linear(inner, net.builder.transpose(weight, 1, 0), null);
        });
        assertThat(found.nullity()).isZero();
        assertThat(groups(found)).containsExactlyInAnyOrder("S_4", "Z_2^4");
    }

    /** Each input that is given at all is zero in its last place. */
    @Test
    void givenInputsAloneLeaveWeightsUnread() {
        Model model = new Network()
                .target(3, (net, x) -> net.linear(x, "only", 2))
                .moving()
                .model();
        double[] numbers = new SplittableRandom(3)
                .doubles(model.inputs().firstEntry().getValue().shape().count())
                .toArray();
        for (int i = 2; i < numbers.length; i += 3) {
            numbers[i] = 0;
        }
        Symmetries found = Symmetries.of(model, List.of(), List.of(Map.of("x", numbers)), 5, _ -> {});
        assertThat(found.rank()).isEqualTo(2);
        assertThat(found.families()).singleElement().satisfies(family -> {
            assertThat(family.name()).isEqualTo("unread");
            assertThat(family.tensors()).containsExactly("only.weight");
        });
    }

    @Test
    void chosenTensorsAloneChange() {
        Model model = new Network()
                .target(3, (net, x) -> net.hidden(x, Clamp.RELU))
                .moving()
                .model();
        assertThat(Symmetries.of(model, List.of("first.weight", "first.bias"), 5)
                        .families())
                .allSatisfy(family -> assertThat(family.rank()).isZero());
        assertThat(Symmetries.of(model, List.of("first.weight", "first.bias", "second.weight[:, 1]"), 5)
                        .rank())
                .isEqualTo(1);
    }

    @Test
    void sameSeedGivesTheSameBits() {
        Symmetries first = of(3, (net, x) -> net.hidden(x, Clamp.RELU));
        Symmetries second = of(3, (net, x) -> net.hidden(x, Clamp.RELU));
        assertThat(second.families()).isEqualTo(first.families());
        assertThat(second.spectrum()).containsExactly(first.spectrum());
    }

    @Test
    void tooManyParametersAreRefused() {
        Model model = new Network()
                .target(60, (net, x) -> net.linear(net.linear(x, "first", 80), "second", 3))
                .moving()
                .model();
        assertThatThrownBy(() -> Symmetries.of(model, List.of(), 5))
                .hasMessage("5123 parameters may change, and at most 5000 are taken; choose tensors or parts of them");
    }

    /** What a table of rows is read with is found in the graph, and attention takes no more than the model has. */
    @Test
    void inputsThatChooseRowsAreWholeNumbers() {
        Network net = new Network();
        Value tokens = net.builder.input("tokens", 2, 3);
        net.builder.output("y", net.builder.lookup(net.parameter("table", 5, 2), tokens, 0));
        List<Map<String, double[]>> drawn = RandomInputs.of(net.builder.build(), 40, 1);
        List<Double> all = new ArrayList<>();
        drawn.forEach(inputs -> Arrays.stream(inputs.get("tokens")).forEach(all::add));
        assertThat(Set.copyOf(all)).containsExactlyInAnyOrder(0.0, 1.0, 2.0, 3.0, 4.0);
        assertThat(net.builder.build().run(Precision.FLOAT64, drawn.getFirst())).isNotEmpty();
    }
}
