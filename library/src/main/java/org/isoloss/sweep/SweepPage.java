package org.isoloss.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.isoloss.report.EarlierFiles;
import org.isoloss.report.Figure;
import org.isoloss.report.HtmlPage;
import org.isoloss.report.HtmlPage.KeyFigure;
import org.isoloss.report.Provenance;

/** The page of a sweep: how many fits meet every tolerance, what the errors follow, and the failures apart. */
public final class SweepPage {
    /** Combinations and failures on the page; the tables in {@code tables/} have all. */
    private static final int MOST_LINES = 200;

    private SweepPage() {}

    /**
     * Writes {@code report.html}, {@code figures/} and {@code tables/}.
     *
     * @param sweep what was asked for
     * @param table what was made of it
     * @param provenance where it came from
     * @param folder of the sweep
     * @throws IOException when a file cannot be written
     */
    public static void write(Sweep sweep, SweepTable table, Provenance provenance, Path folder) throws IOException {
        EarlierFiles.remove(
                folder, "figures/{output,composition,inverse,fits}-*.{svg,csv}", "tables/combinations.{csv,tex}");
        int made = table.made().size();
        int failed = table.failed().size();
        HtmlPage page = HtmlPage.of("A sweep: %s".formatted(sweep.name()), words(sweep, table));
        page.keyFigures(List.of(
                new KeyFigure("%d of %d".formatted(made, sweep.size()), "fits made"),
                new KeyFigure(Long.toString(table.fitting()), "meet every tolerance"),
                new KeyFigure(Integer.toString(failed), "failures"),
                new KeyFigure(Integer.toString(sweep.seeds()), "seeds of each combination")));
        var figures = new SweepFigures(sweep, table.made());
        if (figures.facets() > 0) {
            page.section("Which of them fit?");
            if (table.fitting() == 0 || table.fitting() == sweep.size()) {
                page.paragraph(table.fitting() == 0 ? "None meets every tolerance." : "All meet every tolerance.");
            } else {
                add(page, figures.facets(), figures::shares);
            }
            page.section("How exact are they?");
            add(page, figures.facets(), () -> figures.errors("output", "Output error"));
            add(page, figures.facets(), () -> figures.errors("composition", "Composition error"));
            add(page, figures.facets(), () -> figures.errors("inverse", "Inverse error"));
        }
        int combinations = sweep.size() / sweep.seeds();
        page.section("Every combination");
        if (combinations > MOST_LINES) {
            page.paragraph("The first %d of %d combinations; tables/sweep.csv has every fit."
                    .formatted(MOST_LINES, combinations));
        }
        page.table("combinations", table.combinations(MOST_LINES));
        page.section("Failures");
        if (failed == 0) {
            page.paragraph("None.");
        } else {
            page.paragraph(
                    "Fits without a result; they count in no median. --resume tries those again that could not be made.");
            page.table(new SweepTable(
                            sweep, table.failed().stream().limit(MOST_LINES).toList())
                    .failures());
        }
        table.write(folder.resolve("tables"));
        page.save(folder, provenance);
    }

    private static void add(HtmlPage page, int facets, Supplier<List<Figure>> figures) {
        figures.get().forEach(page::figure);
        if (facets > SweepFigures.MOST_FACETS) {
            page.paragraph("The first %d of %d pictures; tables/sweep.csv has the numbers of all."
                    .formatted(SweepFigures.MOST_FACETS, facets));
        }
    }

    /**
     * Says what came of a sweep.
     *
     * @param sweep what was asked for
     * @param table what was made of it
     * @return one sentence
     */
    public static String words(Sweep sweep, SweepTable table) {
        int failed = table.failed().size();
        return "%d of %d fits made, %d meet every tolerance, %s"
                .formatted(
                        table.made().size(),
                        sweep.size(),
                        table.fitting(),
                        failed == 0 ? "no failures" : failed == 1 ? "1 failure" : failed + " failures");
    }
}
