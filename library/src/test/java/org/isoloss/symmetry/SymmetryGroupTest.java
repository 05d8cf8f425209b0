package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SymmetryGroupTest {
    private static SymmetryGroup of(int width, BiFunction<Network, Value, Value> made) {
        return SymmetryGroup.of(new Network().target(width, made).moving().model(), 5, _ -> {});
    }

    private static List<String> groups(SymmetryGroup group) {
        return group.families().stream().map(SymmetryFamily::group).toList();
    }

    /** No factor is larger than all changes that the Jacobian allows, and every random element keeps the outputs. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void elementsKeepTheOutputs(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        SymmetryGroup group = of(width, made);
        int dimension = group.families().stream().mapToInt(SymmetryFamily::rank).sum();
        assertThat(dimension).as(name).isLessThanOrEqualTo(nullity);
        for (int seed = 0; seed < 3; seed++) {
            SymmetryElement element = group.random(_ -> true, seed);
            assertThat(group.change(element)).as(name).isLessThanOrEqualTo(1e-10);
            Model moved = group.model().with(group.tensors(element));
            SymmetryGroup again = SymmetryGroup.of(moved, 5, _ -> {});
            group.tensors(element)
                    .keySet()
                    .forEach(tensor -> assertThat(
                                    again.tensors(element.inverse()).get(tensor))
                            .containsExactly(group.model().numbers(tensor), within(1e-8)));
        }
    }

    @Test
    void groupsAreFoundByPart() {
        assertThat(groups(of(3, (net, x) -> net.hidden(x, Clamp.RELU)))).containsExactly("(R>0)^4", "S_4");
        assertThat(groups(of(3, (net, x) -> net.hidden(x, Activation.TANH)))).containsExactly("S_4", "Z_2^4");
        assertThat(groups(of(3, (net, x) -> net.hidden(x, Activation.GELU)))).containsExactly("S_4");
        assertThat(groups(of(3, (net, x) -> net.linear(net.linear(x, "first", 2), "second", 3))))
                .containsExactly("Aff(2)");
    }

    /** Three units of ReLU among two of tanh: neither can take the place of the other. */
    @Test
    void unitsOfTwoKindsChangePlacesAmongThemselves() {
        SymmetryGroup group = of(3, (net, x) -> {
            Value sums = net.linear(x, "first", 5);
            Value kinked = net.builder.apply(Clamp.RELU, net.builder.slice(sums, 1, 0, 3));
            Value smooth = net.builder.apply(Activation.TANH, net.builder.slice(sums, 1, 3, 2));
            return net.linear(net.builder.concatenate(List.of(kinked, smooth), 1), "second", 2);
        });
        assertThat(groups(group))
                .as(group.refuted().toString())
                .containsExactlyInAnyOrder("(R>0)^3", "S_3", "S_2", "Z_2^2");
    }

    /** The first weight of each row is a constant of the graph, all different. */
    @Test
    void constantsAmongTheWeightsForbidEverything() {
        SymmetryGroup group = of(3, (net, x) -> {
            Value fixed = net.builder.constant(Dimensions.of(4, 1), Numbers.of(0.3, -0.7, 1.1, 0.9));
            Value weight = net.builder.concatenate(List.of(fixed, net.parameter("free", 4, 2)), 1);
            Value sums = net.layers.linear(x, weight, net.parameter("bias", 4));
            return net.linear(net.builder.apply(Clamp.RELU, sums), "second", 2);
        });
        assertThat(group.families()).isEmpty();
        assertThat(group.refuted())
                .isNotEmpty()
                .allSatisfy(family -> assertThat(family.verified()).isGreaterThan(1e-10));
        assertThat(group.random(_ -> true, 1).maps()).isEmpty();
    }

    /** Without a bias behind them nothing takes up a shift: of the affine maps of a bottleneck the linear ones are left. */
    @Test
    void parametersTakeUpWhatIsLeft() {
        SymmetryGroup group = of(
                3,
                (net, x) -> net.layers.linear(
                        net.layers.linear(x, net.parameter("first", 2, 3), null), net.parameter("second", 3, 2), null));
        assertThat(groups(group)).containsExactly("GL(2)");
    }

    /** A stream of 72 has more maps than one linear system takes: rotations and scales are tried by their kind. */
    @Test
    void wideStreamsHaveRotations() {
        SymmetryGroup rms = of(
                3,
                (net, x) -> net.linear(
                        net.layers.rmsNorm(net.linear(x, "first", 72), 1, net.parameter("scale", 72), 0.1),
                        "second",
                        2));
        assertThat(groups(rms)).containsExactlyInAnyOrder("O(72)", "(R>0)^72");
        SymmetryGroup centred = of(
                3,
                (net, x) -> net.linear(
                        net.layers.layerNorm(
                                net.linear(x, "first", 72),
                                1,
                                net.parameter("scale", 72),
                                net.parameter("shift", 72),
                                0.1),
                        "second",
                        2));
        assertThat(groups(centred)).containsExactlyInAnyOrder("O(71)", "(R>0)^72");
        assertThat(groups(of(
                        3,
                        (net, x) -> net.linear(
                                net.builder.apply(
                                        Activation.GELU, net.layers.rmsNorm(net.linear(x, "first", 72), 1, null, 0.1)),
                                "second",
                                2))))
                .noneMatch(group -> group.startsWith("O("));
    }

    @Test
    void chosenFamiliesAloneMove() {
        SymmetryGroup group = of(3, (net, x) -> net.hidden(x, Clamp.RELU));
        SymmetryElement scales = group.random(family -> family.name().equals("scales"), 3);
        scales.maps().values().forEach(map -> {
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) {
                    assertThat(map.get(i, j) == 0).isEqualTo(i != j);
                }
            }
        });
        SymmetryElement orders = group.random(family -> family.name().equals("permutations"), 3);
        assertThat(orders.maps().values().stream()
                        .flatMap(map -> Arrays.stream(map.entries()).boxed())
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(0.0, 1.0);
        assertThat(group.random(_ -> true, 3).maps().toString())
                .isEqualTo(group.random(_ -> true, 3).maps().toString());
    }

    @Test
    void elementsOfOtherModelsAreRefused() {
        SymmetryGroup group = of(3, (net, x) -> net.hidden(x, Clamp.RELU));
        String value = group.random(_ -> true, 1).maps().firstEntry().getKey();
        Map<String, Matrix> wrong = Map.of("nowhere", Matrix.zeros(4, 5), value, Matrix.zeros(3, 4));
        wrong.forEach((name, map) -> {
            SequencedMap<String, Matrix> maps = new LinkedHashMap<>(Map.of(name, map));
            SymmetryElement element = SymmetryElement.of(maps);
            assertThatThrownBy(() -> group.tensors(element))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name.equals("nowhere") ? "and the model has 3 values" : "3 channels");
        });
        SequencedMap<String, Matrix> square = new LinkedHashMap<>(Map.of(value, Matrix.identity(4)));
        assertThatThrownBy(() -> SymmetryElement.of(square)).hasMessageContaining("expected (n, n + 1)");
        SequencedMap<String, Matrix> singular = new LinkedHashMap<>(Map.of(value, Matrix.zeros(4, 5)));
        assertThatThrownBy(() -> SymmetryElement.of(singular).inverse()).hasMessageContaining("singular");
        assertThatThrownBy(() -> group.tensors(SymmetryElement.of(singular)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("singular");
    }
}
