package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.symmetry.SymmetryFamily;
import org.jspecify.annotations.Nullable;

/** Whether the listed families are all symmetries: their rank against the nullity of the Jacobian, and both against counting. */
final class Completeness {
    private static final int BATCH = 8;

    private Completeness() {}

    static Made make(Path folder, Protocol protocol, Work work) throws IOException, InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (CountedNetworks kind : CountedNetworks.all()) {
            for (long seed : protocol.seeds()) {
                cells.add(Cell.of("completeness " + kind.name(), seed, () -> rows(kind, seed)));
            }
        }
        List<Map<String, Object>> rows = StudyCells.rows("completeness", folder, cells, work);
        return new Made(List.of(table(protocol, rows)), List.of(figure(rows)));
    }

    /** All networks of a kind with weights of one seed. */
    static List<Map<String, Object>> rows(CountedNetworks kind, long seed) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (CountedNetworks.Counted counted : kind.members()) {
            Symmetries found = Symmetries.of(counted.network().model(BATCH, seed), List.of(), seed);
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("kind", kind.name());
            row.put("network", counted.network().name());
            row.put("seed", seed);
            row.put("parameters", found.parameters());
            row.put("counted", counted.dimension());
            row.put("nullity", found.nullity());
            row.put("decided", found.isDecided());
            row.put("rank", found.rank());
            row.put(
                    "verified",
                    found.families().stream()
                            .mapToDouble(SymmetryFamily::verified)
                            .max()
                            .orElse(0));
            row.put("gap", found.gap());
            rows.add(row);
        }
        return rows;
    }

    private static ComparedTable table(Protocol protocol, List<Map<String, Object>> rows) {
        ComparedTable table = ComparedTable.of(
                "completeness",
                "The rank of the listed families, the nullity of the Jacobian, and counting",
                protocol,
                List.of(Column.text("kind", "Networks")),
                List.of(),
                List.of(
                        Column.count("networks", "Networks"),
                        Column.count("parameters_least", "Parameters, least"),
                        Column.count("parameters_largest", "Parameters, largest"),
                        Column.count("dimension_least", "Dimension, least"),
                        Column.count("dimension_largest", "Dimension, largest"),
                        Column.count("as_counted", "Nullity as counted"),
                        Column.count("complete", "List as nullity"),
                        Column.count("more", "List above nullity"),
                        Column.count("undecided", "Undecided"),
                        Column.scientific("verified", "Outputs change", 1),
                        Column.scientific("gap", "Least gap", 1)));
        for (CountedNetworks kind : CountedNetworks.all()) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> kind.name().equals(row.get("kind")))
                    .toList();
            IntSummaryStatistics parameters = statistics(own, "parameters");
            IntSummaryStatistics nullity = statistics(own, "nullity");
            table = table.row(
                    List.of(kind.name()),
                    List.of(),
                    null,
                    own.size(),
                    parameters.getMin(),
                    parameters.getMax(),
                    nullity.getMin(),
                    nullity.getMax(),
                    count(own, row -> Objects.equals(row.get("nullity"), row.get("counted"))),
                    count(own, row -> Objects.equals(row.get("rank"), row.get("nullity"))),
                    count(own, row -> CensusRow.count(row, "rank") > CensusRow.count(row, "nullity")),
                    count(own, row -> Boolean.FALSE.equals(row.get("decided"))),
                    own.stream()
                            .mapToDouble(
                                    row -> CensusRow.number(row, "verified").doubleValue())
                            .max()
                            .orElseThrow(),
                    gap(own));
        }
        return table;
    }

    /** The least of those that have one: where every direction is seen there is none. */
    private static @Nullable Double gap(List<Map<String, Object>> rows) {
        double least = rows.stream()
                .filter(row -> row.get("gap") instanceof Number)
                .mapToDouble(row -> CensusRow.number(row, "gap").doubleValue())
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        return Double.isInfinite(least) ? null : least;
    }

    private static IntSummaryStatistics statistics(List<Map<String, Object>> rows, String key) {
        return rows.stream().mapToInt(row -> CensusRow.count(row, key)).summaryStatistics();
    }

    private static int count(List<Map<String, Object>> rows, Predicate<Map<String, Object>> which) {
        return (int) rows.stream().filter(which).count();
    }

    /** Every network of every seed: where the points lie on the line, nothing is missing and nothing is too much. */
    private static Figure figure(List<Map<String, Object>> rows) {
        double[] counted = numbers(rows, "counted");
        double[] ends = {0, Arrays.stream(counted).max().orElseThrow()};
        return new Figure(
                "completeness-networks",
                "Listed symmetries and nullities against counting",
                "One point a network: on the line where as much is listed, or kept by the Jacobian, as counting says.",
                new LineChart(
                        Axis.linear("dimension by counting", ""),
                        Axis.linear("dimension", ""),
                        List.of(
                                Series.of("as counted", Series.Style.REFERENCE, ends, ends),
                                Series.of("nullity", Series.Style.POINTS, counted, numbers(rows, "nullity")),
                                Series.of("rank of the list", Series.Style.POINTS, counted, numbers(rows, "rank")))));
    }

    private static double[] numbers(List<Map<String, Object>> rows, String key) {
        return rows.stream().mapToDouble(row -> CensusRow.count(row, key)).toArray();
    }
}
