package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;
import org.junit.jupiter.api.Test;

class SymmetryGraphTest {
    private static SymmetryFamily family(String name, String group, int rank, String... tensors) {
        return new SymmetryFamily(name, "", group, rank, rank, "", List.of(tensors), 0, null);
    }

    private static Part part(int channels, SymmetryFamily family, boolean jointly) {
        return new Part(List.of(channels), List.of(new Acting(family, jointly)), List.of(), List.of());
    }

    /** A stream, and for each layer an attention and a feed-forward part, of which one may have another group. */
    private static SymmetryMap transformer(int layers, int odd) {
        List<Part> parts = new ArrayList<>();
        List<Way> ways = new ArrayList<>(List.of(new Way(SymmetryMap.INPUT, 0, List.of("embed.weight"))));
        List<String> norms = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            String name = "layers." + layer;
            norms.add(name + ".norm.weight");
            int attention = 2 * layer + 1;
            ways.add(new Way(0, attention, List.of(name + ".attn.q.weight", name + ".attn.k.weight")));
            ways.add(new Way(attention, 0, List.of(name + ".attn.o.weight")));
            ways.add(new Way(0, attention + 1, List.of(name + ".mlp.up.weight")));
            ways.add(new Way(attention + 1, 0, List.of(name + ".mlp.down.weight")));
            parts.add(part(16, family("basis", "GL(4)^4", 64, name + ".attn.q.weight"), false));
            parts.add(part(
                    32, family("permutations", layer == odd ? "S_31" : "S_32", 0, name + ".mlp.up.weight"), false));
        }
        ways.add(new Way(0, 2 * layers + 1, List.of("head.weight")));
        parts.addFirst(new Part(
                List.of(8), List.of(new Acting(family("size", "R>0", 1, "embed.weight"), true)), norms, List.of()));
        parts.add(new Part(List.of(11), List.of(), List.of(), List.of("logits")));
        return new SymmetryMap(
                List.of("tokens"), parts, ways, List.of(family("unread", "R^3", 3, "layers.0.attn.k.bias")));
    }

    @Test
    void equalLayersAreOne() {
        RepeatedParts repeated = RepeatedParts.of(transformer(6, -1));
        assertThat(repeated.runs()).containsExactly(new RepeatedParts.Run(1, 2, 6));
        assertThat(repeated.map().parts()).hasSize(4);
        assertThat(repeated.map().ways())
                .containsExactly(
                        new Way(SymmetryMap.INPUT, 0, List.of("embed.weight")),
                        new Way(0, 1, List.of("layers.0..5.attn.q.weight", "layers.0..5.attn.k.weight")),
                        new Way(1, 0, List.of("layers.0..5.attn.o.weight")),
                        new Way(0, 2, List.of("layers.0..5.mlp.up.weight")),
                        new Way(2, 0, List.of("layers.0..5.mlp.down.weight")),
                        new Way(0, 3, List.of("head.weight")));
        assertThat(repeated.map().parts().get(1).families().getFirst().family().tensors())
                .containsExactly("layers.0..5.attn.q.weight");
    }

    /** A layer with another group stays, and those before and after it are drawn once each. */
    @Test
    void layersThatDifferAreNotOne() {
        RepeatedParts repeated = RepeatedParts.of(transformer(5, 2));
        assertThat(repeated.runs()).containsExactly(new RepeatedParts.Run(1, 2, 2), new RepeatedParts.Run(5, 2, 2));
        assertThat(repeated.map().parts()).hasSize(8);
        assertThat(RepeatedParts.of(transformer(1, -1)).runs()).isEmpty();
    }

    @Test
    void equalLayersOfAChainAreOne() {
        List<Part> parts = new ArrayList<>();
        List<Way> ways = new ArrayList<>();
        for (int layer = 0; layer < 5; layer++) {
            String weight = layer + ".weight";
            ways.add(new Way(layer - 1, layer, List.of(weight)));
            parts.add(
                    layer == 4
                            ? new Part(List.of(3), List.of(), List.of(), List.of("y"))
                            : part(7, family("scales", "(R>0)^7", 7, weight, (layer + 1) + ".weight"), false));
        }
        RepeatedParts repeated = RepeatedParts.of(new SymmetryMap(List.of("x"), parts, ways, List.of()));
        assertThat(repeated.runs()).containsExactly(new RepeatedParts.Run(0, 1, 4));
        assertThat(repeated.map().ways())
                .containsExactly(
                        new Way(SymmetryMap.INPUT, 0, List.of("0.weight")), new Way(0, 1, List.of("4.weight")));
        assertThat(repeated.map()
                        .parts()
                        .getFirst()
                        .families()
                        .getFirst()
                        .family()
                        .tensors())
                .containsExactly("0..3.weight", "1..4.weight");
    }

    @Test
    void namesBecomeRangesWhereNumbersDiffer() {
        assertThat(RepeatedParts.range("h.0.ln_1", "h.11.ln_1")).isEqualTo("h.0..11.ln_1");
        assertThat(RepeatedParts.range("h.0.ln", "h.1.bias")).isEqualTo("h.0.ln");
        assertThat(RepeatedParts.joined(List.of("h.0.ln", "0.weight", "h.1.ln", "2.weight")))
                .containsExactly("h.0..1.ln", "0.weight", "2.weight");
    }

    /** Boxes of one lane do not overlap, and every arrow lies at the boxes that it joins. */
    @Test
    void layoutKeepsBoxesApart() {
        SymmetryMap map = transformer(3, 1);
        int[] heights = new int[map.parts().size()];
        Arrays.fill(heights, 60);
        var layout = new SymmetryLayout(map, heights, _ -> 2);
        assertThat(layout.lanes()).isEqualTo(2);
        assertThat(layout.lane(0)).isZero();
        assertThat(layout.bottom(0)).isGreaterThan(layout.top(6));
        for (int one = 0; one < heights.length; one++) {
            assertThat(layout.bottom(one) - layout.top(one)).isGreaterThanOrEqualTo(60);
            for (int other = 0; other < one; other++) {
                if (layout.lane(one) == layout.lane(other)) {
                    assertThat(layout.top(one)).isGreaterThan(layout.bottom(other));
                }
            }
        }
        assertThat(layout.arrows()).hasSameSizeAs(map.ways());
        for (SymmetryLayout.Arrow arrow : layout.arrows()) {
            if (arrow.kind() == SymmetryLayout.Kind.ACROSS) {
                for (int end : new int[] {arrow.way().from(), arrow.way().to()}) {
                    assertThat(arrow.y()).isBetween(layout.top(end), layout.bottom(end));
                }
            }
        }
    }

    @Test
    void pictureSaysWhatActsWhere() {
        Figure figure = new Figure("network", "A stack", "Six layers.", new SymmetryGraph(transformer(6, -1)));
        String svg = figure.svg();
        assertThat(svg)
                .contains(
                        "stream, 8 channels",
                        "size R&gt;0, with other parts",
                        "layers.0..5.attn, 16 channels",
                        "basis GL(4)^4",
                        "permutations S_32",
                        "inside layers.0..5.norm.weight",
                        "times 6",
                        "output logits",
                        "Moves no value that an output sees",
                        "unread R^3: layers.0.attn.k.bias");
        assertThat(Pattern.compile("<text").matcher(svg).results().count()).isLessThan(40);
        assertThat(figure.svg()).isEqualTo(svg);
        assertThat(figure.data().toCsv().lines().count()).isEqualTo(1 + 14 + 1); // every layer
    }
}
