package org.isoloss.basis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.checkpoint.Tying;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Value;
import org.isoloss.source.HuggingFaceFolder;
import org.junit.jupiter.api.Test;

class MatrixLimitsTest {
    private static BasisGroup between(BiFunction<Network, Value, Value> read) {
        Network net = new Network();
        Value inner = net.linear(net.builder.input("x", 4, 3), "first", 5);
        net.builder.output("y", net.linear(read.apply(net, inner), "second", 2));
        return new BasisGroup(net.builder.build());
    }

    private static Change first(BasisGroup group, AxisClass.Kind kind) {
        return group.parts().stream()
                .filter(Change.class::isInstance)
                .map(Change.class::cast)
                .filter(change ->
                        change.kind() == Kind.BASIS && change.channels().kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    private static Matrix identities(AxisClass channels) {
        Matrix all = Matrix.zeros(channels.count() * channels.size(), channels.size());
        for (int i = 0; i < all.rows(); i++) {
            all.set(i, i % channels.size(), 1);
        }
        return all;
    }

    /** The identity is taken, and what is drawn; with one entry more it is not. */
    private static void refused(BasisGroup group, Change change, int row, int column, double added, String message) {
        String name = group.drawn(List.of(change), 1).arrays().firstEntry().getKey();
        Matrix matrices = identities(change.channels());
        group.element(new LinkedHashMap<>(Map.of(name, matrices)));
        group.element(group.drawn(List.of(change), 7).arrays());
        matrices.set(row, column, matrices.get(row, column) + added);
        int n = change.channels().size();
        int index = row / n;
        assertThatThrownBy(() -> group.element(new LinkedHashMap<>(Map.of(name, matrices))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the array '%s' of the element has rows %d to %d, a matrix which %s"
                        .formatted(name, index * n, (index + 1) * n - 1, message));
    }

    @Test
    void rotationsAreOrthogonal() {
        BasisGroup group = between((net, value) -> net.layers.rmsNorm(value, 1, null, 0.1));
        Change change = first(group, AxisClass.Kind.ORTHOGONAL);
        assertThat(change.channels().fixesOnes() || change.channels().fixesOnesDual())
                .isFalse();
        refused(group, change, 0, 3, 1e-8, "is not orthogonal");
        refused(group, change, 0, 0, -2 + 1e-8, "is not orthogonal");
    }

    /** A reflection of one channel is orthogonal, but the mean that a layer norm takes away is not kept. */
    @Test
    void rotationsBehindLayerNormsKeepOnes() {
        BasisGroup group = between((net, value) -> net.layers.layerNorm(value, 1, null, null, 0.1));
        Change change = first(group, AxisClass.Kind.ORTHOGONAL);
        assertThat(change.channels().fixesOnes() || change.channels().fixesOnesDual())
                .isTrue();
        String kept = change.channels().fixesOnes()
                ? "does not keep the vector of ones"
                : "has a transpose that does not keep the vector of ones";
        refused(group, change, 2, 2, -2, kept);
        refused(group, change, 0, 3, 1e-8, "is not orthogonal");
    }

    @Test
    void centredChannelsKeepOnes() {
        BasisGroup group = between((net, value) ->
                net.builder.minus(value, net.builder.restored(net.builder.meanOver(value, List.of(1)), List.of(1))));
        Change change = first(group, AxisClass.Kind.LINEAR);
        boolean ones = change.channels().fixesOnes();
        assertThat(ones || change.channels().fixesOnesDual()).isTrue();
        refused(
                group,
                change,
                1,
                2,
                0.5,
                ones ? "does not keep the vector of ones" : "has a transpose that does not keep the vector of ones");
    }

    @Test
    void matricesAreInvertible() {
        BasisGroup group = between((net, value) -> value);
        Change change = first(group, AxisClass.Kind.LINEAR);
        refused(group, change, 3, 3, -1, "is singular");
        refused(group, change, 3, 3, -1 + 1e-11, "is singular");
        String name = group.drawn(List.of(change), 1).arrays().firstEntry().getKey();
        Matrix sheared = identities(change.channels());
        sheared.set(0, 4, 100);
        assertThat(group.element(new LinkedHashMap<>(Map.of(name, sheared))).arrays())
                .containsKey(name);
    }

    /** Of a head with rotary positions on some pairs: no pair mixes with another, and each has one scale and one angle. */
    @Test
    void rotaryPairsCommute() throws IOException {
        Path folder = Path.of("src", "test", "resources", "org", "isoloss", "source", "gptj");
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(folder, Tying.UNTIED)) {
            BasisGroup group = new BasisGroup(opened.model(1, 6));
            Change change = first(group, AxisClass.Kind.COMMUTING);
            AxisClass channels = change.channels();
            int[] pair = channels.blocks().stream()
                    .filter(block -> block.length == 2)
                    .findFirst()
                    .orElseThrow();
            int[] still = channels.blocks().stream()
                    .filter(block -> block.length == 1)
                    .mapToInt(block -> block[0])
                    .toArray();
            String wrong = "does not commute with the rotations of pairs of channels";
            int second = channels.size(); // the rows of the second head
            refused(group, change, pair[0], pair[1], 0.1, wrong);
            refused(group, change, pair[0], pair[0], 0.1, wrong);
            refused(group, change, second + pair[0], still[0], 0.1, wrong);
            refused(group, change, still[0], pair[1], 0.1, wrong);
            Matrix mixed = identities(channels);
            mixed.set(still[0], still[1], 3);
            String name = group.drawn(List.of(change), 1).arrays().firstEntry().getKey();
            assertThat(group.element(new LinkedHashMap<>(Map.of(name, mixed)))
                            .arrays()
                            .get(name))
                    .satisfies(array -> assertThat(array.entries()).isEqualTo(mixed.entries()));
            assertThat(Arrays.stream(still).distinct().count()).isEqualTo(2);
        }
    }
}
