package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AlignmentTest {
    private static GraphSymmetries symmetries(int width, BiFunction<Network, Value, Value> made) {
        return GraphSymmetries.of(new Network().target(width, made).moving().model(), 5, _ -> {});
    }

    private static Alignment aligned(GraphSymmetries symmetries, Model other) {
        return Alignment.of(symmetries, other, 1e-9, true, _ -> {}).getFirst();
    }

    private static Model unlike(Model model, long seed) {
        var random = new SplittableRandom(seed);
        Map<String, Numbers> numbers = new LinkedHashMap<>();
        model.parameters()
                .forEach((name, value) -> numbers.put(
                        name,
                        Numbers.of(DoubleStream.generate(random::nextGaussian)
                                .limit(value.shape().count())
                                .toArray())));
        return model.reading(numbers);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void plantedElementsAreFound(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        GraphSymmetries symmetries = symmetries(width, made);
        Map<String, Numbers> planted = symmetries.tensors(symmetries.random(_ -> true, 9));
        Alignment found = aligned(symmetries, symmetries.model().reading(planted));
        assertThat(found.after()).as(name).isLessThanOrEqualTo(1e-9);
        assertThat(found.change()).as(name).isLessThanOrEqualTo(1e-9);
        if (!planted.isEmpty()) {
            assertThat(found.before()).as(name).isGreaterThan(0.01);
        }
    }

    /** One weight differs, and no symmetry makes up for it. */
    @Test
    void anotherFunctionStaysAnother() {
        GraphSymmetries symmetries = symmetries(3, (net, x) -> net.hidden(x, Clamp.RELU));
        Model copy = symmetries.model().reading(symmetries.tensors(symmetries.random(_ -> true, 9)));
        double[] changed = copy.numbers("second.weight").clone();
        changed[3] += 0.01;
        Alignment found = aligned(symmetries, copy.reading(Map.of("second.weight", Numbers.of(changed))));
        assertThat(found.after()).isBetween(1e-4, 0.01);
        assertThat(found.change()).isLessThanOrEqualTo(1e-12);
    }

    /** Of unrelated networks one is still moved by a symmetry alone, and never farther away. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void unrelatedNetworksComeNearer(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        GraphSymmetries symmetries = symmetries(width, made);
        List<Alignment> all = Alignment.of(symmetries, unlike(symmetries.model(), 4), 1e-9, true, _ -> {});
        Alignment found = all.getFirst();
        assertThat(found.after()).as(name).isLessThanOrEqualTo(found.before());
        assertThat(all).extracting(Alignment::after).as(name).isSorted();
        assertThat(found.change()).as(name).isLessThanOrEqualTo(1e-9);
        assertThat(found.between(0, true).parameters()).isNotEmpty();
    }

    /** All 24 orders of four units, for each the best scale of each unit among many: none comes nearer than what is found. */
    @Test
    void noOrderAndScalesComeNearer() {
        GraphSymmetries symmetries = symmetries(3, (net, x) -> net.hidden(x, Clamp.RELU));
        for (long seed = 1; seed <= 5; seed++) {
            Model other = unlike(symmetries.model(), seed);
            double least = Double.POSITIVE_INFINITY;
            for (int[] order : orders(4)) {
                double sum = 0;
                for (int unit = 0; unit < 4; unit++) {
                    sum += leastSquare(symmetries.model(), other, order[unit], unit);
                }
                least = Math.min(least, sum);
            }
            double[] bias = symmetries.model().numbers("second.bias");
            double[] goal = other.numbers("second.bias");
            for (int i = 0; i < bias.length; i++) {
                least += (bias[i] - goal[i]) * (bias[i] - goal[i]);
            }
            double norm = other.parameters().keySet().stream()
                    .flatMapToDouble(name -> DoubleStream.of(other.numbers(name)))
                    .map(x -> x * x)
                    .sum();
            assertThat(aligned(symmetries, other).after())
                    .as("seed %d", seed)
                    .isCloseTo(Math.sqrt(least / norm), within(1e-6));
        }
    }

    /** How near one unit comes to another at the best scale, by trying 20,001 from 1/400 to 400. */
    private static double leastSquare(Model ours, Model theirs, int from, int to) {
        double[] in = unit(ours, from, true);
        double[] out = unit(ours, from, false);
        double[] goalIn = unit(theirs, to, true);
        double[] goalOut = unit(theirs, to, false);
        double least = Double.POSITIVE_INFINITY;
        for (int i = -10_000; i <= 10_000; i++) {
            double scale = Math.exp(6e-4 * i);
            least = Math.min(least, square(in, scale, goalIn) + square(out, 1 / scale, goalOut));
        }
        return least;
    }

    /** What a unit reads, with its bias, or writes. */
    private static double[] unit(Model model, int unit, boolean reads) {
        if (reads) {
            double[] row = Arrays.copyOfRange(model.numbers("first.weight"), 3 * unit, 3 * unit + 4);
            row[3] = model.numbers("first.bias")[unit];
            return row;
        }
        double[] all = model.numbers("second.weight");
        return IntStream.range(0, all.length / 4)
                .mapToDouble(i -> all[4 * i + unit])
                .toArray();
    }

    private static double square(double[] own, double scale, double[] goal) {
        return IntStream.range(0, own.length)
                .mapToDouble(i -> (scale * own[i] - goal[i]) * (scale * own[i] - goal[i]))
                .sum();
    }

    private static List<int[]> orders(int n) {
        if (n == 0) {
            return List.of(new int[0]);
        }
        List<int[]> orders = new ArrayList<>();
        for (int[] shorter : orders(n - 1)) {
            for (int place = 0; place < n; place++) {
                int[] order = new int[n];
                System.arraycopy(shorter, 0, order, 0, place);
                order[place] = n - 1;
                System.arraycopy(shorter, place, order, place + 1, n - 1 - place);
                orders.add(order);
            }
        }
        return orders;
    }

    @Test
    void otherArchitecturesAreRefusedByTheFirstThatDiffers() {
        GraphSymmetries group = symmetries(3, (net, x) -> net.hidden(x, Clamp.RELU));
        Model wider = new Network()
                .target(3, (net, x) -> net.linear(net.linear(x, "first", 5), "second", 2))
                .moving()
                .model();
        assertThatThrownBy(() -> aligned(group, wider))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'first.weight' has shape (4, 3) in the first network and (5, 3)");
        Model renamed = new Network()
                .target(3, (net, x) -> net.linear(net.linear(x, "first", 4), "third", 2))
                .moving()
                .model();
        assertThatThrownBy(() -> aligned(group, renamed)).hasMessageContaining("no parameter 'second.weight'");
    }
}
