package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;

class NearFamiliesTest {
    private static Symmetries of(BiFunction<Network, Value, Value> made) {
        return Symmetries.of(new Network().target(3, made).moving().model(), List.of(), 5);
    }

    private static List<NearFamily> near(Symmetries found) {
        return found.near(_ -> {});
    }

    private static List<Double> changes(NearFamily family) {
        return family.reaches().stream().map(NearFamily.Reach::change).toList();
    }

    /** A stream of four that a block writes to, and a norm that reads it. */
    private static Value stream(Network net, Value x, double epsilon) {
        Value stream = net.linear(x, "embedding", 4);
        Value inner = net.builder.apply(Clamp.RELU, net.linear(net.layers.rmsNorm(stream, 1, null, epsilon), "up", 5));
        Value sum = net.builder.plus(stream, net.linear(inner, "down", 4));
        return net.linear(net.layers.rmsNorm(sum, 1, null, epsilon), "head", 5);
    }

    /**
     * Without epsilon every size of the stream is the same; with it a stream that is smaller by a factor s, of mean square m, is read
     * otherwise by a share of (s^2 - 1) epsilon / 2 m to first order.
     */
    @Test
    void theSizeOfAStreamBeforeNormsIsNearExact() {
        Symmetries found = of((net, x) -> stream(net, x, 1e-6));
        assertThat(found.families()).extracting(SymmetryFamily::name).doesNotContain("size");
        assertThat(found.unexplained()).isZero();
        int rank = found.rank();
        assertThat(near(found)).singleElement().satisfies(near -> {
            assertThat(near.family().name()).isEqualTo("size");
            assertThat(near.family().group()).isEqualTo("R>0");
            assertThat(near.family().rank()).isEqualTo(1);
            assertThat(near.family().tensors())
                    .containsExactlyInAnyOrder("embedding.weight", "embedding.bias", "down.weight", "down.bias");
            assertThat(changes(near).getFirst()).isBetween(1e-8, 1e-5);
            near.reaches()
                    .forEach(reach -> assertThat(reach.change() / (reach.factor() * reach.factor() - 1))
                            .isCloseTo(changes(near).getFirst() / 0.21, withinPercentage(0.1)));
            assertThat(near.reaches()).extracting(NearFamily.Reach::factor).containsExactly(1.1, 1.5, 2.0, 4.0);
            // all of the weights that move are multiplied by one number, here the one that makes the stream smaller
            near.reaches()
                    .forEach(reach -> assertThat(reach.distance()).isCloseTo(1 - 1 / reach.factor(), within(1e-9)));
        });
        assertThat(found.rank()).isEqualTo(rank);
        assertThat(of((net, x) -> stream(net, x, 0)).rank()).isEqualTo(rank + 1);
    }

    /** The same symmetry, of which a large epsilon leaves little: the change is a million times larger. */
    @Test
    void aLargeEpsilonChangesMuch() {
        List<Double> small = changes(near(of((net, x) -> stream(net, x, 1e-6))).getFirst());
        assertThat(near(of((net, x) -> stream(net, x, 0.5)))).singleElement().satisfies(near -> {
            assertThat(near.family().group()).isEqualTo("R>0");
            assertThat(changes(near)).allSatisfy(change -> assertThat(change).isGreaterThan(1e-3));
            assertThat(Collections.max(changes(near))).isGreaterThan(0.05);
            for (int i = 0; i < small.size(); i++) {
                assertThat(changes(near).get(i) / small.get(i)).isGreaterThan(1e3);
            }
        });
    }

    @Test
    void whereNoNormHasAnEpsilonNothingIsNear() {
        assertThat(near(of((net, x) -> net.hidden(x, Clamp.RELU)))).isEmpty();
        assertThat(near(of((net, x) -> stream(net, x, 0)))).isEmpty();
    }

    /** A norm of inputs alone: its epsilon is in the way of nothing that parameters do. */
    @Test
    void anEpsilonThatHidesNothingHasNone() {
        assertThat(near(of((net, x) -> net.hidden(net.layers.rmsNorm(x, 1, null, 1e-6), Clamp.RELU))))
                .isEmpty();
    }

    @Test
    void aNormOfZerosIsRefused() {
        Model model = new Network()
                .target(3, (net, x) -> net.linear(net.layers.rmsNorm(net.linear(x, "in", 4), 1, null, 0.1), "out", 2))
                .moving()
                .model();
        Map<String, double[]> zeros =
                Map.of("in.bias", new double[4], "in.weight", new double[12], "out.bias", new double[2]);
        Symmetries found = Symmetries.of(model.with(zeros), List.of(), 5);
        assertThatThrownBy(() -> near(found)).hasMessageContaining("as where a norm reads zeros");
    }
}
