package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.Map;
import org.isoloss.model.Clamp;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.symmetry.GraphSymmetries;
import org.junit.jupiter.api.Test;

class GraphReportTest {
    private static GraphReport report() {
        Network net = new Network();
        net.builder.output("y", net.hidden(net.builder.input("x", 8, 3), Clamp.RELU));
        return new GraphReport("relu", GraphSymmetries.of(net.builder.build(), 1, _ -> {}));
    }

    @Test
    void everythingIsSaid() {
        GraphReport report = report();
        assertThat(report.verdict())
                .isEqualTo(
                        "rank 4, added up from the families; the nullity of the Jacobian of so many parameters is not"
                                + " computed");
        assertThat(report.json())
                .contains(
                        entry("model", "relu"),
                        entry("parameters", 26L),
                        entry("rank", 4),
                        entry("nullity", null),
                        entry("unexplained", null),
                        entry("refuted", List.of()));
        assertThat((List<?>) report.json().get("families"))
                .hasSize(2)
                .allSatisfy(family -> assertThat(((Map<?, ?>) family).keySet().toString())
                        .contains("name", "layer", "group", "rank", "adds", "verified", "conserved"));
        assertThat(report.table().toText()).contains("relu: symmetries of 26 parameters", "(R>0)^4", "S_4", "4!");
        assertThat(report.figure().svg()).contains("role=\"img\"", "is not computed");
        assertThat(report.network().svg()).contains("4 channels", "permutations S_4");
    }
}
