package org.isoloss.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.evaluation.Median;
import org.isoloss.report.Column;
import org.isoloss.report.Columns;
import org.isoloss.report.ErrorMeasure;
import org.isoloss.report.Table;
import org.isoloss.sweep.SweepRow.Outcome;
import tools.jackson.databind.json.JsonMapper;

/** The tables of a sweep: every fit that was evaluated, every combination over its seeds, and the failures apart. */
public final class SweepTable {
    private final Sweep sweep;
    private final List<SweepRow> rows;
    private final List<ErrorMeasure> measures;

    /**
     * Takes what was made.
     *
     * @param sweep what was asked for
     * @param rows of its fits, in order; some may be missing
     * @throws IllegalArgumentException when a file was another one for some fits than for others
     */
    public SweepTable(Sweep sweep, List<SweepRow> rows) {
        requireSameInputs(rows);
        this.sweep = sweep;
        this.rows = List.copyOf(rows);
        measures = Stream.concat(ErrorMeasure.ALWAYS.stream(), ErrorMeasure.AT_SITES.stream())
                .filter(measure -> rows.stream()
                        .anyMatch(row -> row.error(measure.column().key()).isPresent()))
                .toList();
    }

    private static void requireSameInputs(List<SweepRow> rows) {
        Map<String, SweepRow> first = new HashMap<>();
        for (SweepRow row : rows) {
            row.inputs().forEach((file, digest) -> {
                SweepRow before = first.computeIfAbsent(file, _ -> row);
                if (!digest.equals(before.inputs().get(file))) {
                    throw new IllegalArgumentException(
                            "%s has changed: fit %d read other contents than fit %d; give another --out, or remove the folders of the fits that read the earlier ones and go on with --resume"
                                    .formatted(file, row.fit(), before.fit()));
                }
            });
        }
    }

    /** {@return the rows of fits that came to an end, and of those that were left out on purpose} */
    public List<SweepRow> made() {
        return rows.stream().filter(row -> !row.outcome().isFailure()).toList();
    }

    /** {@return the rows of fits without a result} */
    public List<SweepRow> failed() {
        return rows.stream().filter(row -> row.outcome().isFailure()).toList();
    }

    /** {@return how many fits meet every tolerance} */
    public long fitting() {
        return rows.stream().filter(row -> row.outcome() == Outcome.FITS).count();
    }

    /** {@return one made fit a row, every number} */
    public Table fits() {
        Columns<SweepRow> table = varying(Table.of(
                        "%s: 95th percentiles at radius 0.5, one factor; motion is the median".formatted(sweep.name()),
                        made()))
                .add(Column.text("outcome", "Outcome"), row -> row.outcome().describe())
                .add(Column.count("steps", "Steps"), SweepRow::steps);
        for (ErrorMeasure measure : measures) {
            table.add(measure.column(), row -> row.error(measure.column().key()).orElse(null));
        }
        return table.add(Column.text("missed", "Missed"), row -> String.join(" ", row.missed()))
                .table();
    }

    /** {@return one failure a row, with its reason} */
    public Table failures() {
        return varying(Table.of("%s: fits without a result".formatted(sweep.name()), failed()))
                .add(Column.text("outcome", "Outcome"), row -> row.outcome().describe())
                .add(Column.text("reason", "Reason"), SweepRow::reason)
                .table();
    }

    private Columns<SweepRow> varying(Columns<SweepRow> table) {
        table.add(Column.count("fit", "Fit"), SweepRow::fit);
        List<Variation> variations = sweep.variations();
        for (int i = 0; i < variations.size(); i++) {
            int place = i;
            table.add(column(variations.get(i)), row -> row.labels().get(place));
        }
        return table;
    }

    private static Column column(Variation variation) {
        String key = variation.key();
        return Column.text(key, key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1));
    }

    /**
     * Lists the combinations: medians over the seeds of each.
     *
     * @param most combinations to list, the first of them
     * @return one combination a row
     */
    public Table combinations(int most) {
        List<SweepGroup> groups =
                SweepGroup.of(sweep, rows).stream().limit(most).toList();
        Columns<SweepGroup> table = Table.of(
                "%s: medians over the seeds of 95th percentiles at radius 0.5, one factor".formatted(sweep.name()),
                groups);
        List<Variation> variations = sweep.variations();
        for (int i = 0; i < variations.size() - 1; i++) {
            int place = i;
            if (variations.get(i).choices().size() > 1) {
                table.add(column(variations.get(i)), group -> group.labels().get(place));
            }
        }
        for (ErrorMeasure measure : measures) {
            table.add(
                    measure.column(),
                    group -> median(group.errors(measure.column().key())));
        }
        return table.add(Column.count("fits", "Fits"), SweepGroup::fitting)
                .add(Column.count("of", "Of"), SweepGroup::size)
                .add(Column.count("failures", "Failures"), SweepGroup::failures)
                .table();
    }

    private static Double median(double[] errors) {
        return errors.length == 0 ? Double.NaN : Median.of(errors).p50();
    }

    /**
     * Writes {@code sweep} and {@code failures}, each as CSV, LaTeX and JSON.
     *
     * @param folder of the tables, made where it is missing
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        write(folder, "sweep", fits());
        write(folder, "failures", failures());
    }

    private static void write(Path folder, String name, Table table) throws IOException {
        table.write(folder, name);
        List<String> lines = new ArrayList<>();
        table.toJsonRows().forEach(row -> lines.add(JsonMapper.shared().writeValueAsString(row)));
        AtomicFile.writeText(folder.resolve(name + ".json"), "[\n" + String.join(",\n", lines) + "\n]\n");
    }
}
