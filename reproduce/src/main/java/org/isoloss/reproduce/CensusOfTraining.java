package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.report.Axis;
import org.isoloss.report.CensusReport;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.task.DataSource;
import org.isoloss.task.DenseTraining;
import org.isoloss.task.InputTable;

/** The dimension of what keeps the outputs on the batch that is trained on, and its spectrum, from the initial weights to the end. */
final class CensusOfTraining {
    private static final List<Activation> ACTIVATIONS =
            List.of(Activation.TANH, Activation.RELU, Activation.GELU, Activation.IDENTITY);
    private static final int STEPS = 3000;
    private static final int CHECKPOINTS = 30;
    /** Steps in which the weights move fast. */
    private static final int EARLY = 100;

    private static final int INPUTS = 100;
    private static final int BATCH = 8;
    private static final double RATE = 1e-2;
    private static final int CLASSES = 10;
    /** Singular values of inputs below this share of the largest are taken for zeros. */
    private static final double SPANNED = 1e-9;

    /** The brightest pixel. */
    private static final double BRIGHT = 16;

    private CensusOfTraining() {}

    /** What is trained on. */
    private enum Data {
        TEACHER,
        DIGITS;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Inputs and what is wanted for them. */
    private record Examples(Matrix inputs, Matrix wanted) {}

    static Made make(Path examples, Path folder, Protocol protocol, Work work)
            throws IOException, InterruptedException {
        InputTable digits = InputTable.read(
                DataSource.table("digits/digits.csv.gz", null, null).taking(List.of(0, INPUTS), BRIGHT, true),
                examples);
        List<Cell> cells = new ArrayList<>();
        for (Data data : Data.values()) {
            for (Activation activation : ACTIVATIONS) {
                for (long seed : protocol.seeds()) {
                    cells.add(Cell.of(
                            "training %s %s".formatted(data.label(), name(activation)),
                            seed,
                            () -> rows(activation, data, digits, seed)));
                }
            }
        }
        List<Map<String, Object>> rows = StudyCells.rows("training", folder, cells, work);
        List<Figure> figures = Stream.of(Data.values())
                .flatMap(data -> Stream.of(
                        figure(
                                "census-training",
                                "What keeps the outputs during training",
                                "dimension",
                                Axis.linear("dimension", ""),
                                data,
                                rows),
                        figure(
                                "census-spectrum",
                                "Least singular value that counts",
                                "least",
                                Axis.log("share of the largest", ""),
                                data,
                                rows),
                        figure("census-loss", "Loss", "loss", Axis.log("loss", ""), data, rows)))
                .toList();
        return new Made(List.of(table(protocol, rows)), figures);
    }

    private static String name(Activation activation) {
        return activation == Activation.IDENTITY ? "linear" : activation.name().toLowerCase(Locale.ROOT);
    }

    /** The initial weights, then equal ratios of steps as far as steps are whole. */
    static List<Integer> checkpoints() {
        List<Integer> steps = new ArrayList<>(List.of(0));
        for (int i = 0; i < CHECKPOINTS - 1; i++) {
            int step = (int) Math.round(Math.pow(STEPS, i / (CHECKPOINTS - 2.0)));
            steps.add(Math.max(steps.getLast() + 1, step));
        }
        return steps;
    }

    private static List<Map<String, Object>> rows(Activation activation, Data data, InputTable digits, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] widths = data == Data.TEACHER ? new int[] {4, 6, 3} : new int[] {16, 6, CLASSES};
        DenseNetwork start = CensusNetwork.untrained(activation, random.split(), widths);
        Examples examples = data == Data.TEACHER
                ? taught(CensusNetwork.untrained(activation, random.split(), widths), random.split())
                : labelled(digits);
        DenseTraining training = new DenseTraining(start, examples.inputs(), examples.wanted());
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int step : checkpoints()) {
            training.runTo(step, RATE);
            DenseNetwork network = training.network();
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("activation", name(activation));
            row.put("data", data.label());
            row.put("seed", seed);
            row.put("step", step);
            row.put("loss", training.loss());
            row.putAll(CensusRow.of(CensusRow.point(
                    Symmetries.of(network.model(BATCH), List.of(), seed), network.model(INPUTS), examples.inputs())));
            if (activation == Activation.RELU) {
                row.put("unbent", unbent(network, examples.inputs()));
            }
            rows.add(row);
        }
        return rows;
    }

    /**
     * What a batch leaves free because units of the one hidden layer do not bend on it. Of a unit's incoming weights that is what the inputs that make it active do not span; where
     * none does, its outgoing weights too, but for its scale, which no batch sees. Units that are active on all inputs, a of them, are a linear network: their basis and the shifts
     * of their biases are free, a squared dimensions beside their scales.
     */
    static int unbent(DenseNetwork network, Matrix inputs) {
        Matrix sums = network.forward(network.parameters(), inputs).preActivations(0);
        int read = inputs.columns() + 1;
        int free = 0;
        int always = 0;
        for (int unit = 0; unit < sums.columns(); unit++) {
            Matrix active = Matrix.zeros(inputs.rows(), read);
            int count = 0;
            for (int row = 0; row < inputs.rows(); row++) {
                if (sums.get(row, unit) > 0) {
                    System.arraycopy(inputs.row(row), 0, active.entries(), row * read, read - 1);
                    active.set(row, read - 1, 1);
                    count++;
                }
            }
            always += count == inputs.rows() ? 1 : 0;
            free += read
                    - Svd.of(active).rank(SPANNED)
                    + (count == 0 ? network.widths().getLast() - 1 : 0);
        }
        return free + always * always;
    }

    private static Examples taught(DenseNetwork teacher, SplittableRandom random) {
        Matrix inputs = Matrix.gaussian(INPUTS, teacher.layers().getFirst().in(), random);
        return new Examples(inputs, teacher.outputs(teacher.parameters(), inputs));
    }

    /** Images of 8 x 8 pixels as 4 x 4 means, and 1 for their class. */
    private static Examples labelled(InputTable digits) {
        Matrix inputs = Matrix.zeros(INPUTS, 16);
        Matrix wanted = Matrix.zeros(INPUTS, CLASSES);
        List<Integer> labels = digits.labels().orElseThrow();
        for (int row = 0; row < INPUTS; row++) {
            for (int pixel = 0; pixel < 64; pixel++) {
                int place = pixel / 16 * 4 + pixel % 8 / 2;
                inputs.set(row, place, inputs.get(row, place) + digits.inputs().get(row, pixel) / 4);
            }
            wanted.set(row, labels.get(row), 1);
        }
        return new Examples(inputs, wanted);
    }

    private static List<Map<String, Object>> of(Data data, Activation activation, List<Map<String, Object>> rows) {
        return rows.stream()
                .filter(row ->
                        data.label().equals(row.get("data")) && name(activation).equals(row.get("activation")))
                .toList();
    }

    private static ComparedTable table(Protocol protocol, List<Map<String, Object>> rows) {
        List<Column> columns = new ArrayList<>(List.of(
                Column.count("parameters", "Parameters"),
                Column.count("seeds", "Seeds"),
                Column.count("first", "First dimension"),
                Column.count("last", "Last dimension"),
                Column.count("least", "Least"),
                Column.count("largest", "Largest"),
                Column.count("symmetries_least", "Symmetries, least"),
                Column.count("symmetries_largest", "Symmetries, largest"),
                Column.count("unexplained", "Unexplained, largest"),
                Column.count("changes", "Changes"),
                Column.count("early", "Up to step 100"),
                Column.count("steady", "Seeds without a change"),
                Column.count("undecided", "Undecided"),
                Column.count("points", "Points"),
                Column.count("unbent", "As units that do not bend"),
                Column.scientific("first_kept", "Least kept, first", 1),
                Column.scientific("last_kept", "Least kept, last", 1)));
        for (double tolerance : CensusReport.TOLERANCES) {
            String key = CensusRow.key(tolerance);
            columns.add(Column.count(key + "_first", "Above %.0e, first".formatted(tolerance)));
            columns.add(Column.count(key + "_last", "last"));
        }
        columns.add(Column.scientific("first_loss", "Loss, first", 1));
        columns.add(Column.scientific("last_loss", "last", 1));
        ComparedTable table = ComparedTable.of(
                "census-training",
                "What keeps the outputs on the batch during training: medians over seeds, 30 checkpoints each",
                protocol,
                List.of(Column.text("data", "Data"), Column.text("activation", "Network")),
                List.of(),
                columns);
        for (Data data : Data.values()) {
            for (Activation activation : ACTIVATIONS) {
                table = table.row(
                        List.of(data.label(), name(activation)),
                        List.of(),
                        null,
                        cells(protocol, of(data, activation, rows)));
            }
        }
        return table;
    }

    private static Object[] cells(Protocol protocol, List<Map<String, Object>> rows) {
        List<List<Map<String, Object>>> seeds = protocol.seeds().stream()
                .map(seed -> rows.stream()
                        .filter(row -> CensusRow.number(row, "seed").longValue() == seed)
                        .toList())
                .toList();
        List<Object> cells = new ArrayList<>();
        cells.add(CensusRow.count(rows.getFirst(), "parameters"));
        cells.add(seeds.size());
        cells.add((int) ends(seeds, "dimension", true));
        cells.add((int) ends(seeds, "dimension", false));
        cells.add(extreme(rows, "dimension", false));
        cells.add(extreme(rows, "dimension", true));
        cells.add(extreme(rows, "symmetries", false));
        cells.add(extreme(rows, "symmetries", true));
        cells.add(extreme(rows, "unexplained", true));
        List<Integer> changes = seeds.stream().map(CensusOfTraining::changes).toList();
        cells.add(changes.stream().mapToInt(Integer::intValue).sum());
        cells.add(seeds.stream()
                .map(own -> own.stream()
                        .filter(row -> CensusRow.count(row, "step") <= EARLY)
                        .toList())
                .mapToInt(CensusOfTraining::changes)
                .sum());
        cells.add((int) changes.stream().filter(count -> count == 0).count());
        cells.add(
                (int) rows.stream().filter(row -> !row.containsKey("dimension")).count());
        cells.add(rows.size());
        cells.add((int) rows.stream()
                .filter(row -> row.containsKey("batch")
                        && CensusRow.count(row, "batch")
                                == (row.containsKey("unbent") ? CensusRow.count(row, "unbent") : 0))
                .count());
        cells.add(ends(seeds, "least", true));
        cells.add(ends(seeds, "least", false));
        for (double tolerance : CensusReport.TOLERANCES) {
            cells.add((int) ends(seeds, CensusRow.key(tolerance), true));
            cells.add((int) ends(seeds, CensusRow.key(tolerance), false));
        }
        cells.add(ends(seeds, "loss", true));
        cells.add(ends(seeds, "loss", false));
        return cells.toArray();
    }

    /** How often the dimension differs from that of the checkpoint before, among those where it is decided. */
    static int changes(List<Map<String, Object>> rows) {
        List<Integer> decided = rows.stream()
                .filter(row -> row.containsKey("dimension"))
                .map(row -> CensusRow.count(row, "dimension"))
                .toList();
        int changes = 0;
        for (int i = 1; i < decided.size(); i++) {
            changes += decided.get(i).equals(decided.get(i - 1)) ? 0 : 1;
        }
        return changes;
    }

    /** The median over seeds of the first or last decided number. */
    private static double ends(List<List<Map<String, Object>>> seeds, String key, boolean first) {
        double[] numbers = seeds.stream()
                .map(rows -> first ? rows : rows.reversed())
                .map(rows -> rows.stream().filter(row -> row.containsKey(key)).findFirst())
                .flatMap(Optional::stream)
                .mapToDouble(row -> CensusRow.number(row, key).doubleValue())
                .sorted()
                .toArray();
        return numbers.length == 0 ? Double.NaN : numbers[(numbers.length - 1) / 2];
    }

    private static int extreme(List<Map<String, Object>> rows, String key, boolean largest) {
        int[] numbers = rows.stream()
                .filter(row -> row.containsKey(key))
                .mapToInt(row -> CensusRow.count(row, key))
                .sorted()
                .toArray();
        return numbers.length == 0 ? 0 : numbers[largest ? numbers.length - 1 : 0];
    }

    private static List<Map<String, Object>> shown(Data data, Activation activation, List<Map<String, Object>> rows) {
        List<Map<String, Object>> own = of(data, activation, rows);
        return own.stream()
                .filter(row -> Objects.equals(row.get("seed"), own.getFirst().get("seed")))
                .toList();
    }

    /** A line for each network, at the checkpoints of the first seed. */
    private static Figure figure(
            String name, String title, String key, Axis axis, Data data, List<Map<String, Object>> rows) {
        List<Series> lines = new ArrayList<>();
        for (Activation activation : ACTIVATIONS) {
            Series.over(
                            name(activation),
                            shown(data, activation, rows),
                            row -> CensusRow.count(row, "step") + 1,
                            row -> row.containsKey(key)
                                    ? CensusRow.number(row, key).doubleValue()
                                    : Double.NaN)
                    .ifPresent(lines::add);
        }
        return new Figure(
                "%s-%s".formatted(name, data.label()),
                "%s: %s".formatted(title, data.label()),
                "At 30 checkpoints of the first seed; what is undecided is left out.",
                new LineChart(Axis.log("step + 1", ""), axis, lines));
    }
}
