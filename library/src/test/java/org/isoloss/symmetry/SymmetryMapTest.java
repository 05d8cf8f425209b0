package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.BiFunction;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;
import org.junit.jupiter.api.Test;

class SymmetryMapTest {
    private static Model model(BiFunction<Network, Value, Value> made) {
        return new Network().target(3, made).moving().model();
    }

    private static List<String> groups(Part part) {
        return part.families().stream().map(acting -> acting.family().group()).toList();
    }

    @Test
    void layersFollowOneAnother() {
        Model model = model((net, x) -> net.hidden(x, Clamp.RELU));
        SymmetryMap map = Symmetries.of(model, List.of(), 5).map();
        assertThat(map.inputs()).containsExactly("x");
        assertThat(map.ways())
                .containsExactly(
                        new Way(SymmetryMap.INPUT, 0, List.of("first.weight", "first.bias")),
                        new Way(0, 1, List.of("second.weight", "second.bias")));
        assertThat(map.parts()).hasSize(2);
        assertThat(map.parts().getFirst().channels()).containsExactly(4);
        assertThat(groups(map.parts().getFirst())).containsExactly("(R>0)^4", "S_4");
        assertThat(map.parts().getFirst().families())
                .extracting(Acting::jointly)
                .containsOnly(false);
        assertThat(map.parts().getLast()).isEqualTo(new Part(List.of(2), List.of(), List.of(), List.of("y")));
        assertThat(map.unseen()).isEmpty();
    }

    /** What a stream is read into is written back to it, and a norm on the way is inside. */
    @Test
    void aBlockIsReadFromAStreamAndWrittenBack() {
        SymmetryMap map = Symmetries.of(
                        model((net, x) -> {
                            Value stream = net.linear(x, "embedding", 4);
                            Value normed = net.layers.rmsNorm(stream, 1, net.parameter("scale", 4), 0.5);
                            Value inner = net.builder.apply(Clamp.RELU, net.linear(normed, "up", 5));
                            return net.linear(net.builder.plus(stream, net.linear(inner, "down", 4)), "head", 5);
                        }),
                        List.of(),
                        5)
                .map();
        assertThat(map.ways())
                .containsExactly(
                        new Way(SymmetryMap.INPUT, 0, List.of("embedding.weight", "embedding.bias")),
                        new Way(0, 1, List.of("up.weight", "up.bias")),
                        new Way(1, 0, List.of("down.weight", "down.bias")),
                        new Way(0, 2, List.of("head.weight", "head.bias")));
        assertThat(map.parts().get(0).inside()).containsExactly("scale");
        assertThat(map.parts().get(1).channels()).containsExactly(5);
        assertThat(groups(map.parts().get(1))).contains("(R>0)^5", "S_5");
        assertThat(map.parts().get(2).outputs()).containsExactly("y");
    }

    /** Softmax does not see what lies along ones, which moves no value that an output sees. */
    @Test
    void whatMovesNothingIsApart() {
        SymmetryMap map = Symmetries.of(
                        model((net, x) -> net.layers.softmax(net.linear(x, "first", 4), 1)), List.of(), 5)
                .map();
        assertThat(map.unseen()).isNotEmpty();
        assertThat(map.unseen().stream().mapToInt(SymmetryFamily::rank).sum()).isEqualTo(3 + 1);
        assertThat(map.unseen())
                .allSatisfy(family -> assertThat(family.tensors()).isSubsetOf("first.weight", "first.bias"));
        assertThat(map.parts())
                .allSatisfy(part -> assertThat(part.families())
                        .allSatisfy(acting -> assertThat(acting.family().rank()).isZero()));
    }
}
