package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CanonicalTest {
    private static SymmetryGroup group(Model model) {
        return SymmetryGroup.of(model, 5, _ -> {});
    }

    private static Model model(int width, BiFunction<Network, Value, Value> made) {
        return new Network().target(width, made).moving().model();
    }

    private static Model canonical(Model model) {
        SymmetryGroup group = group(model);
        return model.with(group.tensors(Canonical.of(group).element()));
    }

    /** The root of the sum of squares of all weights. */
    private static double norm(Model model, SymmetryGroup group) {
        return Math.sqrt(tensors(group)
                .flatMap(name -> Arrays.stream(model.numbers(name)).boxed())
                .mapToDouble(number -> number * number)
                .sum());
    }

    private static Stream<String> tensors(SymmetryGroup group) {
        return group.tensors(group.random(_ -> false, 1)).keySet().stream();
    }

    /** The root of the sum of squares of the differences. */
    private static double distance(Model one, Model other, SymmetryGroup group) {
        double sum = 0;
        for (String name : tensors(group).toList()) {
            double[] own = one.numbers(name);
            double[] others = other.numbers(name);
            for (int i = 0; i < own.length; i++) {
                sum += (own[i] - others[i]) * (own[i] - others[i]);
            }
        }
        return Math.sqrt(sum);
    }

    private static Arguments network(String name, int width, BiFunction<Network, Value, Value> made) {
        return Arguments.of(name, width, made);
    }

    static Stream<Arguments> deepNetworks() {
        return Stream.of(
                network("three layers of ReLU", 3, (net, x) -> {
                    Value one = net.builder.apply(Clamp.RELU, net.linear(x, "first", 5));
                    Value two = net.builder.apply(Clamp.RELU, net.linear(one, "second", 4));
                    return net.linear(two, "third", 2);
                }),
                network("tanh, then ReLU, then tanh", 3, (net, x) -> {
                    Value one = net.builder.apply(Activation.TANH, net.linear(x, "first", 5));
                    Value two = net.builder.apply(Clamp.RELU, net.linear(one, "second", 4));
                    Value three = net.builder.apply(Activation.TANH, net.linear(two, "third", 6));
                    return net.linear(three, "fourth", 2);
                }));
    }

    private static void check(String name, Model model) {
        SymmetryGroup group = group(model);
        Canonical canonical = Canonical.of(group);
        assertThat(canonical.near()).as(name).isEmpty();
        assertThat(group.change(canonical.element())).as(name).isLessThanOrEqualTo(1e-10);
        Model chosen = model.with(group.tensors(canonical.element()));
        double norm = norm(chosen, group);
        boolean isShifted = group.families().stream()
                .anyMatch(family ->
                        family.group().contains("R^") || family.group().startsWith("Aff"));
        if (!isShifted) {
            assertThat(norm).as(name).isLessThanOrEqualTo(norm(model, group) * (1 + 1e-12));
        }
        assertThat(distance(chosen, canonical(chosen), group))
                .as("%s, twice", name)
                .isLessThanOrEqualTo(1e-9 * norm);
        for (int seed = 0; seed < 3; seed++) {
            SymmetryElement drawn = group.random(family -> !canonical.staying().contains(family), seed);
            Model moved = model.with(group.tensors(drawn));
            if (!drawn.maps().isEmpty()) {
                assertThat(distance(model, moved, group)).as(name).isGreaterThan(0.01 * norm);
            }
            assertThat(distance(chosen, canonical(moved), group)).as(name).isLessThanOrEqualTo(1e-8 * norm);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void transformedNetworksHaveOneRepresentative(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        check(name, model(width, made));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("deepNetworks")
    void layersThatShareWeightsAreBalancedTogether(String name, int width, BiFunction<Network, Value, Value> made) {
        Model model = model(width, made);
        assertThat(Canonical.of(group(model)).staying()).isEmpty();
        check(name, model);
    }

    private static List<String> staying(int width, BiFunction<Network, Value, Value> made) {
        return Canonical.of(group(model(width, made))).staying().stream()
                .map(SymmetryFamily::group)
                .toList();
    }

    /** Nothing is passed over in silence: what has no representative is named. */
    @Test
    void familiesWithoutRepresentativeAreNamed() {
        assertThat(staying(3, (net, x) -> net.linear(net.linear(x, "first", 2), "second", 3)))
                .isEmpty();
        assertThat(staying(3, (net, x) -> net.layers.softmax(net.linear(x, "first", 4), 1)))
                .containsExactly("Lie group of dimension 4");
        assertThat(staying(
                        3,
                        (net, x) -> net.linear(
                                net.layers.rmsNorm(net.linear(x, "first", 72), 1, net.parameter("scale", 72), 0.1),
                                "second",
                                2)))
                .contains("O(72)");
    }

    /** The factors of a product of two matrices have the same singular values, along the same axes. */
    @Test
    void basesAreBalanced() {
        Model chosen = canonical(model(
                4,
                (net, x) -> net.layers.linear(
                        net.layers.linear(x, net.parameter("first", 2, 4), null),
                        net.parameter("second", 3, 2),
                        null)));
        double[] first = chosen.numbers("first");
        double[] second = chosen.numbers("second");
        double[] sizes = new double[4];
        double[] inner = new double[2];
        for (int j = 0; j < 4; j++) {
            sizes[0] += first[j] * first[j];
            sizes[1] += first[4 + j] * first[4 + j];
            inner[0] += first[j] * first[4 + j];
        }
        for (int i = 0; i < 3; i++) {
            sizes[2] += second[2 * i] * second[2 * i];
            sizes[3] += second[2 * i + 1] * second[2 * i + 1];
            inner[1] += second[2 * i] * second[2 * i + 1];
        }
        assertThat(sizes[0]).isCloseTo(sizes[2], within(1e-12)).isGreaterThan(sizes[1]);
        assertThat(sizes[1]).isCloseTo(sizes[3], within(1e-12));
        assertThat(inner).containsExactly(new double[2], within(1e-12));
    }

    /** Incoming row and bias of a unit of ReLU are as long as its outgoing weights, and the units stand in order. */
    @Test
    void scalesAreBalancedAndUnitsInOrder() {
        Model chosen = canonical(model(3, (net, x) -> net.hidden(x, Clamp.RELU)));
        double[] rows = chosen.numbers("first.weight");
        double[] biases = chosen.numbers("first.bias");
        double[] columns = chosen.numbers("second.weight");
        double above = Double.POSITIVE_INFINITY;
        for (int unit = 0; unit < 4; unit++) {
            double row = 0;
            for (int i = 0; i < 3; i++) {
                row += rows[3 * unit + i] * rows[3 * unit + i];
            }
            double out = columns[unit] * columns[unit] + columns[4 + unit] * columns[4 + unit];
            assertThat(row + biases[unit] * biases[unit]).isCloseTo(out, within(1e-12));
            assertThat(row).isLessThan(above);
            above = row;
        }
    }

    /** The largest weight that goes into a unit of tanh is positive. */
    @Test
    void signsAreFixed() {
        double[] rows =
                canonical(model(3, (net, x) -> net.hidden(x, Activation.TANH))).numbers("first.weight");
        for (int unit = 0; unit < 4; unit++) {
            double[] row = Arrays.copyOfRange(rows, 3 * unit, 3 * unit + 3);
            double largest = Arrays.stream(row).map(Math::abs).max().orElseThrow();
            assertThat(row).contains(largest);
        }
    }

    /** One weight differs, and the representatives differ as much. */
    @Test
    void anotherFunctionHasAnother() {
        Model model = model(3, (net, x) -> net.hidden(x, Clamp.RELU));
        SymmetryGroup group = group(model);
        SequencedMap<String, double[]> tensors = group.tensors(group.random(_ -> true, 3));
        Objects.requireNonNull(tensors.get("second.weight"))[3] *= 1.01;
        assertThat(distance(canonical(model), canonical(model.with(tensors)), group))
                .isGreaterThan(1e-4 * norm(model, group));
    }

    /** Two units with the same weights, and one that nothing reads. */
    @Test
    void whatCannotBeDecidedIsSaid() {
        Model model = model(3, (net, x) -> net.hidden(x, Clamp.RELU));
        double[] rows = model.numbers("first.weight").clone();
        double[] biases = model.numbers("first.bias").clone();
        double[] columns = model.numbers("second.weight").clone();
        System.arraycopy(rows, 0, rows, 3, 3);
        biases[1] = biases[0];
        columns[1] = columns[0];
        columns[5] = columns[4];
        Model twins = model.with(Map.of("first.weight", rows, "first.bias", biases, "second.weight", columns));
        assertThat(Canonical.of(group(twins)).near()).singleElement().asString().contains("some have equal weights");
        columns[3] = 0;
        columns[7] = 0;
        assertThat(Canonical.of(group(model.with(Map.of("second.weight", columns))))
                        .near())
                .isEqualTo(List.of(
                        "1 scales have nothing on one side but zeros or shifted numbers, so no least norm: they stay"));
    }
}
