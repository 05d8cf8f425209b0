package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.DoubleStream;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AlignmentTest {
    private static SymmetryGroup group(int width, BiFunction<Network, Value, Value> made) {
        return SymmetryGroup.of(new Network().target(width, made).moving().model(), 5, _ -> {});
    }

    private static Alignment aligned(SymmetryGroup group, Model other) {
        return Alignment.of(group, other, group.manyInputs(), _ -> {});
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void plantedElementsAreFound(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        SymmetryGroup group = group(width, made);
        SymmetryElement planted = group.random(_ -> true, 9);
        Alignment found = aligned(group, group.model().with(group.tensors(planted)));
        assertThat(found.after()).as(name).isLessThanOrEqualTo(1e-9);
        assertThat(found.change()).as(name).isLessThanOrEqualTo(1e-9);
        if (!planted.maps().isEmpty()) {
            assertThat(found.before()).as(name).isGreaterThan(0.01);
        }
    }

    /** One weight differs, and no symmetry makes up for it. */
    @Test
    void anotherFunctionStaysAnother() {
        SymmetryGroup group = group(3, (net, x) -> net.hidden(x, Clamp.RELU));
        Map<String, double[]> tensors = group.tensors(group.random(_ -> true, 9));
        Objects.requireNonNull(tensors.get("second.weight"))[3] += 0.01;
        Alignment found = aligned(group, group.model().with(tensors));
        assertThat(found.after()).isBetween(1e-4, 0.01);
        assertThat(found.change()).isLessThanOrEqualTo(1e-12);
    }

    /** Of unrelated networks one is still moved by a symmetry alone, and never farther away. */
    @Test
    void unrelatedNetworksComeNearer() {
        SymmetryGroup group = group(3, (net, x) -> net.hidden(x, Clamp.RELU));
        var random = new SplittableRandom(4);
        Map<String, double[]> tensors = group.tensors(group.random(_ -> false, 1));
        tensors.replaceAll((_, numbers) ->
                DoubleStream.of(numbers).map(_ -> random.nextGaussian()).toArray());
        Alignment found = aligned(group, group.model().with(tensors));
        assertThat(found.after()).isLessThan(found.before());
        assertThat(found.change()).isLessThanOrEqualTo(1e-10);
        assertThat(found.between(0, true).parameters()).isNotEmpty();
    }

    @Test
    void otherArchitecturesAreRefusedByTheFirstThatDiffers() {
        SymmetryGroup group = group(3, (net, x) -> net.hidden(x, Clamp.RELU));
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
