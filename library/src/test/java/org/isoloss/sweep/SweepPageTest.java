package org.isoloss.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.report.Provenance;
import org.isoloss.sweep.SweepRow.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepPageTest {
    private static final String SWEEP = """
            name: planted
            task: small.yaml
            vary:
              points.deviation: [0.1, 0.2, 0.3]
              network.activation: [tanh, relu]
              recipe.width: [8, 16]
            seeds: 1..3
            """;

    @TempDir
    Path folder;

    /** Errors deviation times seed; the last fit of all diverged, and the second one fails its tolerance. */
    private SweepTable table(Sweep sweep) {
        List<SweepRow> rows = new ArrayList<>();
        for (int number = 1; number <= sweep.size(); number++) {
            List<String> labels = sweep.labels(number);
            double error = Double.parseDouble(labels.get(0)) * Double.parseDouble(labels.get(3));
            rows.add(
                    number == sweep.size()
                            ? new SweepRow(
                                    number, labels, Outcome.DIVERGED, 4, Map.of(), List.of(), "NaN at step 4", Map.of())
                            : new SweepRow(
                                    number,
                                    labels,
                                    number == 2 ? Outcome.MISSES : Outcome.FITS,
                                    20,
                                    Map.of("output", error, "motion_percent", 1.5),
                                    number == 2 ? List.of("output") : List.of(),
                                    "",
                                    Map.of("a.npz", "0f")));
        }
        return new SweepTable(sweep, rows);
    }

    private Sweep sweep() throws IOException {
        Files.writeString(folder.resolve("small.yaml"), SweepTest.TASK);
        return Sweep.read(Files.writeString(folder.resolve("sweep.yaml"), SWEEP));
    }

    /** A table never mixes fits of a file before it was replaced with fits of the one after. */
    @Test
    void aFileThatChangedBetweenFitsIsRefused() throws IOException {
        Sweep sweep = sweep();
        List<SweepRow> rows = new ArrayList<>(table(sweep).made());
        SweepRow third = rows.get(2);
        rows.set(
                2,
                new SweepRow(
                        third.fit(),
                        third.labels(),
                        third.outcome(),
                        third.steps(),
                        third.errors(),
                        third.missed(),
                        third.reason(),
                        Map.of("a.npz", "1f")));
        assertThatThrownBy(() -> new SweepTable(sweep, rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.npz has changed: fit 3 read other contents than fit 1");
    }

    @Test
    void failuresAreListedApartAndCountInNoMedian() throws IOException {
        Sweep sweep = sweep();
        SweepTable table = table(sweep);

        assertThat(table.fits().toJsonRows()).hasSize(35);
        assertThat(table.failures().toJsonRows())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("reason", "NaN at step 4"));
        List<Map<String, Object>> combinations =
                new ArrayList<>(table.combinations(100).toJsonRows());
        assertThat(combinations).hasSize(12);
        assertThat(combinations.getFirst())
                .containsEntry("output", 0.2)
                .containsEntry("fits", 2)
                .containsEntry("of", 3);
        assertThat(combinations.getLast())
                .as("the median of 0.3 and 0.6")
                .satisfies(row -> assertThat((Double) row.get("output")).isBetween(0.44, 0.46))
                .containsEntry("failures", 1);
        assertThat(SweepPage.words(sweep, table)).isEqualTo("35 of 36 fits made, 34 meet every tolerance, 1 failure");
    }

    @Test
    void thePageHasAPictureAFacet() throws IOException {
        Sweep sweep = sweep();
        Provenance provenance =
                Provenance.here(List.of("isoloss", "sweep"), Map.of(), List.of(), sweep.files(), "none");

        SweepPage.write(sweep, table(sweep), provenance, folder.resolve("out"));

        Path figures = folder.resolve("out/figures");
        assertThat(figures.resolve("output-1.csv")).content().contains("recipe.width 8", "recipe.width 16");
        assertThat(figures.resolve("output-2.svg")).exists();
        assertThat(figures.resolve("output-3.svg"))
                .as("activation has two values")
                .doesNotExist();
        assertThat(figures.resolve("inverse-1.svg"))
                .as("which was not measured")
                .doesNotExist();
        assertThat(figures.resolve("fits-1.csv")).content().contains("0.6666");
        assertThat(folder.resolve("out/tables/sweep.csv")).content().hasLineCount(36);
        assertThat(folder.resolve("out/tables/sweep.tex")).content().contains("\\toprule");
        assertThat(folder.resolve("out/tables/sweep.json"))
                .content()
                .hasLineCount(37)
                .startsWith("[\n{\"fit\":1,");
        assertThat(folder.resolve("out/tables/failures.csv")).content().contains("NaN at step 4");
        assertThat(folder.resolve("out/report.html")).content().contains("network.activation relu", "NaN at step 4");
    }
}
