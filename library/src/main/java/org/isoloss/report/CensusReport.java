package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.isoloss.symmetry.CensusPoint;
import org.isoloss.symmetry.JacobianRank;
import org.jspecify.annotations.Nullable;

/** How many changes of the parameters keep the outputs on the data, over a sequence of checkpoints or of batches: a table, pictures, and all numbers. */
public final class CensusReport {
    /** Shares of the largest singular value, above which others are counted. */
    public static final List<Double> TOLERANCES = List.of(1e-2, 1e-4, 1e-6, 1e-8);

    private final String caption;
    private final String quantity;
    private final List<Entry> entries;

    /**
     * A member of the sequence.
     *
     * @param model the checkpoint
     * @param inputs how many inputs the batch has
     * @param at its place on the axis of the pictures
     * @param outputs how many numbers the network gives on the batch
     * @param point what keeps them
     */
    public record Entry(String model, int inputs, double at, long outputs, CensusPoint point) {}

    /**
     * Takes a sequence.
     *
     * @param caption what the table shows, a sentence without its full stop
     * @param quantity what changes along the sequence, such as {@code inputs}
     * @param entries at least one
     */
    public CensusReport(String caption, String quantity, List<Entry> entries) {
        this.caption = caption;
        this.quantity = quantity;
        this.entries = List.copyOf(entries);
    }

    /** {@return one row a member; an undecided number is missing} */
    public Table table() {
        return Table.of(caption, entries)
                .add(Column.text("model", "Model"), Entry::model)
                .add(Column.count("inputs", "Inputs"), Entry::inputs)
                .add(Column.count("outputs", "Outputs"), Entry::outputs)
                .add(
                        Column.count("parameters", "Parameters"),
                        entry -> entry.point().data().parameters())
                .add(Column.count("dimension", "Dimension"), of(CensusPoint::dimension))
                .add(
                        Column.count("symmetries", "Symmetries"),
                        entry -> entry.point().families())
                .add(Column.count("batch", "Of the batch"), of(CensusPoint::ofBatch))
                .add(Column.count("unexplained", "Unexplained"), of(CensusPoint::unexplained))
                .add(
                        Column.scientific("gap", "Gap", 1),
                        entry -> entry.point().data().gap())
                .add(
                        Column.scientific("least", "Least kept", 1),
                        entry -> entry.point().data().leastKept())
                .table();
    }

    private static Function<Entry, @Nullable Object> of(Function<CensusPoint, OptionalInt> part) {
        return entry -> {
            OptionalInt number = part.apply(entry.point());
            return number.isPresent() ? number.getAsInt() : null;
        };
    }

    /** {@return one line: from where to where the dimension goes, and how often it is undecided} */
    public String verdict() {
        List<Integer> decided = entries.stream()
                .map(entry -> entry.point().dimension())
                .filter(OptionalInt::isPresent)
                .map(OptionalInt::getAsInt)
                .toList();
        int open = entries.size() - decided.size();
        String undecided = open == 0
                ? ""
                : "undecided, without a step between singular values, at %d of %d".formatted(open, entries.size());
        if (decided.isEmpty()) {
            return "the dimension is " + undecided;
        }
        int least = decided.stream().mapToInt(Integer::intValue).min().getAsInt();
        int most = decided.stream().mapToInt(Integer::intValue).max().getAsInt();
        String range = least == most ? "%d throughout".formatted(least) : "from %d to %d".formatted(least, most);
        return "the dimension of what keeps the outputs on the data is %s%s"
                .formatted(range, open == 0 ? "" : "; it is " + undecided);
    }

    /** {@return everything for a JSON writer; {@code spectrum} has the singular values over the largest} */
    public Map<String, Object> json() {
        List<Map<String, @Nullable Object>> rows = table().toJsonRows();
        for (int i = 0; i < rows.size(); i++) {
            Map<String, @Nullable Object> row = rows.get(i);
            JacobianRank data = entries.get(i).point().data();
            if (Double.isInfinite(data.gap())) {
                row.put("gap", "infinite");
            }
            row.put("at", entries.get(i).at());
            row.put("function_gap", entries.get(i).point().function().gap());
            for (double tolerance : TOLERANCES) {
                row.put("rank_at_%.0e".formatted(tolerance), data.effective(tolerance));
            }
            row.put("spectrum", data.spectrum());
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("caption", caption);
        json.put("along", quantity);
        json.put("rows", rows);
        return json;
    }

    /** {@return the dimension and its parts along the sequence; empty where nothing is decided} */
    public Optional<Figure> dimensions() {
        List<Series> lines = new ArrayList<>();
        line("all that keeps the outputs", CensusPoint::dimension).ifPresent(lines::add);
        line("of the batch", CensusPoint::ofBatch).ifPresent(lines::add);
        line("unexplained", CensusPoint::unexplained).ifPresent(lines::add);
        line("symmetries of the function", point -> OptionalInt.of(point.families()))
                .ifPresent(lines::add);
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(new Figure(
                        "census",
                        "Dimension of what keeps the outputs",
                        verdict() + ".",
                        new LineChart(axis(), Axis.linear("dimension", ""), lines)));
    }

    private Optional<Series> line(String name, Function<CensusPoint, OptionalInt> part) {
        return Series.over(name, entries, Entry::at, entry -> {
            OptionalInt number = part.apply(entry.point());
            return number.isPresent() ? number.getAsInt() : Double.NaN;
        });
    }

    /** {@return how many singular values are above tolerances, along the sequence} */
    public Figure spectra() {
        List<Series> lines = new ArrayList<>();
        for (double tolerance : TOLERANCES) {
            Series.over(
                            "above %.0e".formatted(tolerance),
                            entries,
                            Entry::at,
                            entry -> entry.point().data().effective(tolerance))
                    .ifPresent(lines::add);
        }
        return new Figure(
                "census-spectrum",
                "Singular values of the Jacobian on the data",
                "How many are above a share of the largest; %s.".formatted(verdict()),
                new LineChart(axis(), Axis.linear("singular values", ""), lines));
    }

    private Axis axis() {
        return entries.stream().allMatch(entry -> entry.at() > 0) && !quantity.equals("checkpoint")
                ? Axis.log(quantity, "")
                : Axis.linear(quantity, "");
    }
}
