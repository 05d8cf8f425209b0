package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.isoloss.flow.FlowState.RankChange;
import org.isoloss.task.ModelMove;
import org.isoloss.task.MoveRow;

/**
 * A move along the flow of a projected field as table, picture and page.
 *
 * @param moved where it ended
 * @param written the largest relative change of the outputs on a protected input, of the file as written
 * @param file that was written
 */
public record MoveReport(ModelMove.Moved moved, double written, String file) {
    private static final int LINES = 12;

    /** Rounding to nothing has no place on a logarithmic axis. */
    private static final double LEAST = 1e-17;

    /** {@return the way in some lines, its beginning and its end among them} */
    public Table table() {
        return table(moved.rows().size() <= LINES ? moved.rows() : some());
    }

    private List<MoveRow> some() {
        List<MoveRow> some = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            some.add(moved.rows().get(Math.round(i * (moved.rows().size() - 1) / (LINES - 1f))));
        }
        return some;
    }

    private Table table(List<MoveRow> rows) {
        return Table.<MoveRow>of(
                        "Objective: %s".formatted(moved.move().direction().shown()), rows)
                .add(Column.percent("distance", "Distance", 2), MoveRow::distance)
                .add(Column.percent("unseen", "Unseen", 2), MoveRow::blind)
                .add(Column.scientific("objective", "Objective", 4), MoveRow::objective)
                .add(Column.scientific("protected", "Protected", 1), MoveRow::protectedChange)
                .add(Column.scientific("others", "Others", 2), MoveRow::otherChange)
                .table();
    }

    /** {@return in words what moved, what was kept and why the move ended} */
    public List<String> words() {
        ModelMove move = moved.move();
        List<String> words = new ArrayList<>();
        words.add(
                "%d numbers move, of which the protected inputs see %d directions with %.1f %% of the norm; %d components are kept%s, %d of them independent"
                        .formatted(
                                move.moving().count(),
                                move.seenDimension(),
                                100 * move.seenShare(),
                                move.components(),
                                move.before()
                                        .map(" at %s, before the outputs"::formatted)
                                        .orElse(""),
                                move.rank()));
        for (RankChange change : moved.state().rankChanges()) {
            words.add("at distance %.6f %% the rank changed from %d to %d"
                    .formatted(100 * change.distance(), change.before(), change.there()));
        }
        words.add("ended after %d steps: %s"
                .formatted(moved.state().steps(), moved.end().words()));
        words.add("protected outputs as written, largest: %.2e".formatted(written));
        return words;
    }

    /**
     * Draws the changes over the distance.
     *
     * @return a line chart
     */
    public Figure changes() {
        return new Figure(
                "changes",
                "Change of the outputs along the move",
                "Relative change of the outputs against the distance of the part of the weights that the protected inputs see: the largest of the protected inputs, in float64, and the median of others. The point is the file as written, rounded to its types.",
                LineChart.of(
                        Axis.linear("distance, of the seen norm", "%"),
                        Axis.log("relative change of the outputs", ""),
                        Series.of(
                                "protected inputs", Series.Style.LINE, distances(), visible(MoveRow::protectedChange)),
                        Series.of("other inputs", Series.Style.LINE, distances(), visible(MoveRow::otherChange)),
                        Series.of(
                                "protected, as written",
                                Series.Style.POINTS,
                                new double[] {100 * moved.rows().getLast().distance()},
                                new double[] {Math.max(LEAST, written)})));
    }

    /**
     * Draws the objective over the distance.
     *
     * @return a line chart
     */
    public Figure objective() {
        return new Figure(
                "objective",
                "The objective along the move",
                "Objective: %s, against the distance of the part of the weights that the protected inputs see."
                        .formatted(moved.move().direction().shown()),
                LineChart.of(
                        Axis.linear("distance, of the seen norm", "%"),
                        Axis.linear(moved.move().direction().shown(), ""),
                        Series.of("objective", Series.Style.LINE, distances(), numbers(MoveRow::objective))));
    }

    private double[] distances() {
        return numbers(row -> 100 * row.distance());
    }

    private double[] numbers(ToDoubleFunction<MoveRow> number) {
        return moved.rows().stream().mapToDouble(number).toArray();
    }

    private double[] visible(ToDoubleFunction<MoveRow> number) {
        return moved.rows().stream()
                .mapToDouble(row -> Math.max(LEAST, number.applyAsDouble(row)))
                .toArray();
    }

    /** {@return all of it for a program} */
    public Map<String, Object> json() {
        ModelMove move = moved.move();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", file);
        json.put("moving", move.moving().count());
        json.put("seen_directions", move.seenDimension());
        json.put("seen_share", move.seenShare());
        json.put("kept_components", move.components());
        json.put("rank", move.rank());
        move.before().ifPresent(before -> json.put("kept_at", before));
        json.put("objective", move.direction().shown());
        json.put("end", moved.end().name().toLowerCase(Locale.ROOT));
        json.put("steps", moved.state().steps());
        json.put("rank_changes", moved.state().rankChanges());
        json.put("distance", moved.rows().getLast().distance());
        json.put(
                "protected_max_relative",
                moved.rows().stream()
                        .mapToDouble(MoveRow::protectedChange)
                        .max()
                        .orElse(0));
        json.put("protected_max_relative_written", written);
        json.put("way", moved.rows());
        return json;
    }

    /**
     * Writes {@code report.html}, {@code provenance.json}, figures and tables.
     *
     * @param folder made where it is missing
     * @param provenance where the result came from
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage page = HtmlPage.of("Move that keeps the protected outputs", String.join(". ", words()) + ".");
        page.section("The way")
                .table("way", table(moved.rows()))
                .figure(changes())
                .figure(objective());
        page.save(folder, provenance);
        provenance.write(folder.resolve("provenance.json"));
    }
}
