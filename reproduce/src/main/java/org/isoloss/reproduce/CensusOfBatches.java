package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.network.Activation;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.symmetry.CensusPoint;
import org.isoloss.symmetry.Symmetries;

/** The dimension of what keeps the outputs, as the batch grows: against counting, and where it stops. */
final class CensusOfBatches {
    private static final List<Integer> SIZES = List.of(1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64);
    private static final int BATCH = 8;
    /** Lines of one figure that can be told apart. */
    private static final int STYLES = 5;

    private static final List<CensusNetwork> NETWORKS = List.of(
            CensusNetwork.dense("tanh 6-6-3", Activation.TANH, true, 6, 6, 3),
            CensusNetwork.dense("ReLU 6-6-3", Clamp.RELU, true, 6, 6, 3),
            CensusNetwork.dense("GELU 6-6-3", Activation.GELU, true, 6, 6, 3),
            CensusNetwork.dense("linear 6-2-4", Activation.IDENTITY, false, 6, 2, 4),
            CensusNetwork.dense("tanh 6-12-3", Activation.TANH, true, 6, 12, 3),
            CensusNetwork.dense("tanh 6-5-5-3", Activation.TANH, true, 6, 5, 5, 3),
            CensusNetwork.dense("tanh 4-3-8", Activation.TANH, true, 4, 3, 8),
            CensusNetwork.convolutional("convolution, tanh", Activation.TANH),
            CensusNetwork.convolutional("convolution, ReLU", Clamp.RELU),
            CensusNetwork.attention("attention"));

    private CensusOfBatches() {}

    static Made make(Path folder, Protocol protocol, Work work) throws IOException, InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (CensusNetwork network : NETWORKS) {
            for (long seed : protocol.seeds()) {
                cells.add(Cell.of("batch " + network.name(), seed, () -> rows(network, seed)));
            }
        }
        List<Map<String, Object>> rows = StudyCells.rows("size of the batch", folder, cells, work);
        return new Made(
                List.of(table(protocol, rows)),
                List.of(
                        figure("census-batch-dense", NETWORKS.subList(0, STYLES), rows),
                        figure("census-batch-others", NETWORKS.subList(STYLES, NETWORKS.size()), rows)));
    }

    /** One network on nested batches. */
    static List<Map<String, Object>> rows(CensusNetwork network, long seed) {
        Symmetries symmetries = Symmetries.of(network.model(BATCH, seed), List.of(), seed);
        Matrix inputs = Matrix.gaussian(SIZES.getLast(), network.inputs(), new SplittableRandom(seed).split());
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int size : SIZES) {
            CensusPoint point = CensusRow.point(symmetries, network.model(size, seed), inputs.rows(0, size));
            int most = symmetries.parameters() - symmetries.nullity();
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("network", network.name());
            row.put("seed", seed);
            row.put("inputs", size);
            row.putAll(CensusRow.of(point));
            row.put("product", symmetries.parameters() - Math.min(most, network.outputs() * size));
            row.put("counted", symmetries.parameters() - network.seen(size, most));
            rows.add(row);
        }
        return rows;
    }

    private static ComparedTable table(Protocol protocol, List<Map<String, Object>> rows) {
        ComparedTable table = ComparedTable.of(
                "census-batch",
                "Where the dimension of what keeps the outputs stops as the batch grows",
                protocol,
                List.of(Column.text("network", "Network")),
                List.of(),
                List.of(
                        Column.count("parameters", "Parameters"),
                        Column.count("symmetries", "Symmetries"),
                        Column.count("left_least", "Left, least"),
                        Column.count("left_largest", "Left, largest"),
                        Column.count("predicted_stop", "Stops at, counted"),
                        Column.count("least_stop", "Stops, least"),
                        Column.count("largest_stop", "Stops, largest"),
                        Column.count("points", "Points"),
                        Column.count("as_product", "As k m"),
                        Column.count("as_counted", "As counted"),
                        Column.count("undecided", "Undecided"),
                        Column.scientific("gap", "Least gap", 1)));
        for (CensusNetwork network : NETWORKS) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> network.name().equals(row.get("network")))
                    .toList();
            List<Integer> stops = protocol.seeds().stream()
                    .map(seed -> stop(
                            own.stream()
                                    .filter(row -> CensusRow.number(row, "seed").longValue() == seed)
                                    .toList(),
                            "dimension"))
                    .toList();
            Map<String, Object> last = own.getLast();
            int[] left = own.stream()
                    .filter(row -> SIZES.getLast().equals(row.get("inputs")) && row.containsKey("dimension"))
                    .mapToInt(row -> CensusRow.count(row, "dimension"))
                    .sorted()
                    .toArray();
            table = table.row(
                    List.of(network.name()),
                    List.of(),
                    null,
                    last.get("parameters"),
                    last.get("symmetries"),
                    left.length == 0 ? null : left[0],
                    left.length == 0 ? null : left[left.length - 1],
                    stop(own, "counted"),
                    stops.stream().mapToInt(Integer::intValue).min().orElseThrow(),
                    stops.stream().mapToInt(Integer::intValue).max().orElseThrow(),
                    own.size(),
                    agreeing(own, "product"),
                    agreeing(own, "counted"),
                    (int) own.stream()
                            .filter(row -> !row.containsKey("dimension"))
                            .count(),
                    own.stream()
                            .mapToDouble(row -> CensusRow.number(row, "gap").doubleValue())
                            .min()
                            .orElseThrow());
        }
        return table;
    }

    private static int agreeing(List<Map<String, Object>> rows, String prediction) {
        return (int) rows.stream()
                .filter(row -> row.containsKey("dimension")
                        && CensusRow.count(row, "dimension") == CensusRow.count(row, prediction))
                .count();
    }

    /** The smallest batch from which on a number is what it is on the largest. */
    private static int stop(List<Map<String, Object>> rows, String key) {
        Object last = rows.getLast().get(key);
        int stop = SIZES.getLast();
        for (Map<String, Object> row : rows.reversed()) {
            if (last == null || !last.equals(row.get(key))) {
                break;
            }
            stop = CensusRow.count(row, "inputs");
        }
        return stop;
    }

    private static Figure figure(String name, List<CensusNetwork> networks, List<Map<String, Object>> rows) {
        Object seed = rows.getFirst().get("seed");
        List<Series> lines = new ArrayList<>();
        for (CensusNetwork network : networks) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> network.name().equals(row.get("network")) && Objects.equals(row.get("seed"), seed))
                    .toList();
            Series.over(
                            network.name(),
                            own,
                            row -> CensusRow.count(row, "inputs"),
                            row -> row.containsKey("dimension") ? CensusRow.count(row, "dimension") : Double.NaN)
                    .ifPresent(lines::add);
        }
        return new Figure(
                name,
                "What keeps the outputs, as the batch grows",
                "The dimension falls with the number of inputs and stops at the symmetries of the function; seed %s."
                        .formatted(seed),
                new LineChart(Axis.log("inputs", ""), Axis.linear("dimension", ""), lines));
    }
}
