package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.evaluation.FunctionCheck;
import org.isoloss.evaluation.FunctionCheck.Part;
import org.isoloss.evaluation.OutputComparison.OutputDifference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The comparison of two checkpoints as tables, a figure, JSON and a page.
 *
 * @param first the name of the first checkpoint
 * @param second the name of the second checkpoint
 * @param check how their outputs differ
 * @param tensors how their tensors differ
 * @param notes what else a reader should know, one line each, such as that activations differ
 */
public record CheckReport(
        String first, String second, FunctionCheck check, List<TensorDifference> tensors, List<String> notes) {
    /** Outputs and tensors listed for a reader; the CSV has all. */
    private static final int LISTED = 20;
    /** Outputs listed for a program, and drawn. */
    private static final int MOST = 1000;

    /** Copies the lists. */
    public CheckReport {
        tensors = List.copyOf(tensors);
        notes = List.copyOf(notes);
    }

    /** {@return the result for a reader, tables and the verdict, lines that end in {@code \n}} */
    public String text() {
        StringBuilder text = new StringBuilder();
        notes.forEach(note -> text.append(note).append('\n'));
        text.append(summary().toText()).append('\n');
        for (String label : labels()) {
            text.append(outputs(label, LISTED).toText()).append('\n');
        }
        text.append(tensorTable(tensors.size() <= LISTED).toText()).append('\n');
        text.append("float32 alone moves the outputs of %s by %.1e of the largest magnitude%n"
                .formatted(first, check.rounding())
                .replace("\r\n", "\n"));
        return text.append(check.verdict()).append('\n').toString();
    }

    /** {@return the result for programs, one JSON object on one line} */
    public String json() {
        Map<String, @Nullable Object> root = new LinkedHashMap<>();
        root.put("first", first);
        root.put("second", second);
        root.put("same", check.same());
        root.put("verdict", check.verdict());
        root.put("tolerance", check.tolerance());
        root.put("float32_rounding", check.rounding());
        root.put("notes", notes);
        root.put("summary", summary().toJsonRows());
        Map<String, Object> outputs = new LinkedHashMap<>();
        for (String label : labels()) {
            outputs.put(label, outputs(label, MOST).toJsonRows());
        }
        root.put("outputs", outputs);
        root.put("tensors", tensorTable(true).toJsonRows());
        return JsonMapper.shared().writeValueAsString(root);
    }

    private List<String> labels() {
        return check.parts().stream().map(Part::label).distinct().toList();
    }

    private Part part(String label, Precision precision) {
        return check.parts().stream()
                .filter(part -> part.label().equals(label) && part.precision() == precision)
                .findFirst()
                .orElseThrow();
    }

    private Table summary() {
        Columns<Part> table = Table.<Part>of(
                        "Difference of the outputs: %s against %s".formatted(second, first), check.parts())
                .add(Column.text("inputs", "Inputs"), Part::label)
                .add(Column.text("precision", "Precision"), part -> name(part.precision()))
                .add(Column.count("count", "Count"), part -> part.outputs().inputs())
                .add(Column.scientific("max", "Max", 2), part -> part.outputs().max())
                .add(Column.scientific("p95", "p95", 2), part -> part.outputs().p95())
                .add(
                        Column.scientific("relative", "Relative", 2),
                        part -> part.outputs().worst().relative());
        return table.add(
                        Column.count("flips", "Argmax flips"),
                        part -> part.outputs().flips())
                .table();
    }

    private Table outputs(String label, int most) {
        List<OutputDifference> exact = part(label, Precision.FLOAT64).outputs().outputs();
        List<OutputDifference> narrow = part(label, Precision.FLOAT32).outputs().outputs();
        List<OutputDifference> listed = most(exact, most);
        String caption = listed.size() == exact.size()
                ? "Output by output: %s".formatted(label)
                : "The %d of %d outputs that differ most: %s".formatted(most, exact.size(), label);
        return Table.<OutputDifference>of(caption, listed)
                .add(Column.count("output", "Output"), OutputDifference::output)
                .add(Column.scientific("max", "Max", 2), OutputDifference::max)
                .add(Column.scientific("p95", "p95", 2), OutputDifference::p95)
                .add(Column.scientific("relative", "Relative", 2), OutputDifference::relative)
                .add(Column.count("flips", "Flips"), OutputDifference::flips)
                .add(
                        Column.scientific("max_float32", "Max f32", 2),
                        output -> narrow.get(output.output()).max())
                .add(
                        Column.scientific("p95_float32", "p95 f32", 2),
                        output -> narrow.get(output.output()).p95())
                .add(
                        Column.scientific("relative_float32", "Relative f32", 2),
                        output -> narrow.get(output.output()).relative())
                .add(
                        Column.count("flips_float32", "Flips f32"),
                        output -> narrow.get(output.output()).flips())
                .table();
    }

    private static List<OutputDifference> most(List<OutputDifference> outputs, int most) {
        return outputs.size() <= most
                ? outputs
                : outputs.stream()
                        .sorted(Comparator.comparingDouble(OutputDifference::relative)
                                .reversed())
                        .limit(most)
                        .toList();
    }

    private static String name(Precision precision) {
        return precision == Precision.FLOAT64 ? "float64" : "float32";
    }

    /** All tensors, or those that are not equal. */
    private Table tensorTable(boolean all) {
        List<TensorDifference> listed =
                tensors.stream().filter(tensor -> all || !tensor.isSame()).toList();
        String caption = all ? "Tensors" : "Tensors that differ: %d of %d".formatted(listed.size(), tensors.size());
        return Table.<TensorDifference>of(caption, listed)
                .add(Column.text("tensor", "Tensor"), TensorDifference::name)
                .add(Column.text("stored", "Stored as"), this::stored)
                .add(Column.count("weights", "Weights"), number(TensorDifference.Numbers::weights))
                .add(Column.count("changed", "Different"), number(TensorDifference.Numbers::changed))
                .add(Column.scientific("largest", "Largest", 2), number(TensorDifference.Numbers::largest))
                .add(Column.scientific("relative", "Relative", 2), number(TensorDifference.Numbers::relative))
                .add(Column.count("median_ulps", "Median ulps"), number(TensorDifference.Numbers::medianUlps))
                .add(Column.count("max_ulps", "Largest ulps"), number(TensorDifference.Numbers::maxUlps))
                .table();
    }

    /** A tensor that is in one file alone has no numbers. */
    private static Function<TensorDifference, @Nullable Object> number(
            Function<TensorDifference.Numbers, ? extends @Nullable Object> of) {
        return tensor -> tensor.numbers() == null ? null : of.apply(tensor.numbers());
    }

    private String stored(TensorDifference tensor) {
        String left = tensor.first();
        String right = tensor.second();
        if (left == null || right == null) {
            return "%s, only in %s".formatted(left == null ? right : left, left == null ? second : first);
        }
        return left.equals(right) ? left : left + " / " + right;
    }

    /**
     * Draws how far each output is apart.
     *
     * @return a chart over the outputs, one row of points for each set of inputs and precision; exact agreement is left
     *     out of the drawing
     */
    public Figure figure() {
        List<Series> series = new ArrayList<>();
        double last = 0;
        for (Part part : check.parts()) {
            List<OutputDifference> drawn = highest(part.outputs().outputs());
            double[] index =
                    drawn.stream().mapToDouble(OutputDifference::output).toArray();
            double[] relative =
                    drawn.stream().mapToDouble(OutputDifference::relative).toArray();
            last = Math.max(last, index[index.length - 1]);
            String precision = name(part.precision());
            series.add(Series.of(part.label() + ", " + precision, Series.Style.LINE, index, relative));
        }
        if (check.tolerance() > 0) {
            double[] ends = last == 0 ? new double[] {-0.5, 0.5} : new double[] {0, last};
            double[] level = new double[2];
            Arrays.fill(level, check.tolerance());
            series.add(Series.of("tolerance", Series.Style.REFERENCE, ends, level));
        }
        return new Figure(
                "difference",
                "Difference of each output",
                "Largest difference of each output over the inputs, relative to the largest magnitude of that output, in float64 and in float32; the dashed line is the tolerance of the verdict. Outputs that agree in every bit have no point.",
                new LineChart(Axis.linear("output", ""), Axis.log("relative difference", ""), series));
    }

    /** The highest of neighbours where there are too many outputs for a picture. */
    private static List<OutputDifference> highest(List<OutputDifference> outputs) {
        int neighbours = (outputs.size() + MOST - 1) / MOST;
        List<OutputDifference> highest = new ArrayList<>();
        for (int from = 0; from < outputs.size(); from += neighbours) {
            highest.addAll(most(outputs.subList(from, Math.min(outputs.size(), from + neighbours)), 1));
        }
        return highest;
    }

    /**
     * Writes {@code check.json}, {@code report.html}, {@code provenance.json}, the figure and the tables.
     *
     * @param folder made where it is missing
     * @param provenance where the result came from
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage page = HtmlPage.of(
                check.same() ? "The same function" : "Different functions",
                "%s and %s: %s.".formatted(first, second, check.verdict()));
        List<HtmlPage.KeyFigure> cards = new ArrayList<>();
        for (String label : labels()) {
            Part part = part(label, Precision.FLOAT64);
            cards.add(new HtmlPage.KeyFigure(
                    "%.1e".formatted(part.outputs().worst().relative()), "relative difference, " + label));
            cards.add(new HtmlPage.KeyFigure(Long.toString(part.outputs().flips()), "argmax flips, " + label));
        }
        page.keyFigures(cards);
        page.section("Outputs");
        notes.forEach(page::paragraph);
        page.table("summary", summary()).figure(figure());
        labels().forEach(label -> page.table(outputs(label, LISTED)));
        page.section("Tensors").table(tensorTable(tensors.size() <= LISTED));
        EarlierFiles.remove(folder, "tables/outputs*.{csv,tex}");
        page.save(folder, provenance);
        tensorTable(true).write(folder.resolve("tables"), "tensors");
        for (String label : labels()) {
            outputs(label, Integer.MAX_VALUE)
                    .write(folder.resolve("tables"), "outputs-" + label.replaceAll("[^A-Za-z0-9._-]+", "-"));
        }
        AtomicFile.writeText(folder.resolve("check.json"), json() + "\n");
        provenance.write(folder.resolve("provenance.json"));
    }
}
