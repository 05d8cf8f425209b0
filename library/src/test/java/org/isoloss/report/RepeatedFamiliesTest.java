package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.isoloss.symmetry.SymmetryFamily;
import org.junit.jupiter.api.Test;

class RepeatedFamiliesTest {
    private static SymmetryFamily family(String name, String layer, int adds, double verified, String... tensors) {
        return new SymmetryFamily(name, layer, "GL(4)", 16, adds, "", List.of(tensors), verified, "A B'");
    }

    @Test
    void layersBecomeARange() {
        List<SymmetryFamily> joined = RepeatedFamilies.joined(List.of(
                family("basis", "h.0.attn", 16, 1e-13, "h.0.attn.v", "h.0.attn.o"),
                family("basis", "h.1.attn", 16, 3e-13, "h.1.attn.v", "h.1.attn.o"),
                family("basis", "h.11.attn", 16, 2e-13, "h.11.attn.v", "h.11.attn.o")));
        assertThat(joined)
                .containsExactly(new SymmetryFamily(
                        "basis",
                        "h.0..11.attn",
                        "GL(4), 3 times",
                        48,
                        48,
                        "",
                        List.of("h.0..11.attn.v", "h.0..11.attn.o"),
                        3e-13,
                        "A B'"));
    }

    @Test
    void orderIsThatOfTheFirst() {
        List<SymmetryFamily> joined = RepeatedFamilies.joined(List.of(
                family("basis", "embedding", 16, 0, "embedding"),
                family("basis", "h.0", 16, 0, "h.0.a"),
                family("scales", "h.0", 16, 0, "h.0.a"),
                family("basis", "h.1", 16, 0, "h.1.a"),
                family("scales", "h.1", 16, 0, "h.1.a"),
                family("basis", "head", 16, 0, "head")));
        assertThat(joined).extracting(SymmetryFamily::layer).containsExactly("embedding", "h.0..1", "h.0..1", "head");
        assertThat(joined).extracting(SymmetryFamily::name).containsExactly("basis", "basis", "scales", "basis");
        assertThat(joined.stream().mapToInt(SymmetryFamily::rank).sum()).isEqualTo(6 * 16);
    }

    /** What differs in more than the number of the layer is listed apart: another name, size, or tensor. */
    @Test
    void othersStayApart() {
        SymmetryFamily one = family("basis", "h.0", 16, 0, "h.0.a");
        for (SymmetryFamily other : List.of(
                family("scales", "h.1", 16, 0, "h.1.a"),
                family("basis", "h.1", 15, 0, "h.1.a"),
                family("basis", "h.1", 16, 0, "h.1.b"),
                family("basis", "h.1", 16, 0, "h.1.a", "h.1.b"),
                family("basis", "g.1", 16, 0, "h.1.a"))) {
            assertThat(RepeatedFamilies.joined(List.of(one, other))).containsExactly(one, other);
        }
        assertThat(RepeatedFamilies.joined(List.of())).isEmpty();
    }
}
