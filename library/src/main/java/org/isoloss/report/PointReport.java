package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.affine.PointFamily;
import org.isoloss.affine.PointSymmetries;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.linalg.Matrix;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The null space at one parameter point and one batch; every line says that it is about these alone.
 *
 * @param checkpoint the file of the weights
 * @param data the file of the batch
 * @param point the null space there
 * @param seconds wall-clock time that it took
 * @param notes what else a reader should know, such as which tensors of the file were left aside
 */
public record PointReport(String checkpoint, String data, PointSymmetries point, double seconds, List<String> notes) {
    private static final String HERE = "at this point and batch: ";

    /** Copies the notes. */
    public PointReport {
        notes = List.copyOf(notes);
    }

    /** {@return the result for a reader, lines that end in {@code \n}, each beginning with what it is about} */
    public String text() {
        StringBuilder text = new StringBuilder();
        line(text, "weights %s, inputs %s".formatted(checkpoint, data));
        notes.forEach(note -> line(text, note));
        line(text, "%d parameters, %d output components".formatted(point.parameterCount(), point.outputCount()));
        line(
                text,
                point.doubt()
                        .map(doubt -> "undecided: " + doubt)
                        .orElse("the null space of the Jacobian has dimension %d".formatted(point.nullity(1e-8))));
        point.nullities()
                .forEach((threshold, nullity) ->
                        line(text, "dimension %d at threshold %.0e".formatted(nullity, threshold)));
        if (point.nullities().isEmpty()) {
            return text.toString();
        }
        line(text, "gap at threshold 1e-08: a factor %.1e".formatted(point.gap()));
        for (PointFamily family : point.families()) {
            line(text, "%d direction%s: %s".formatted(family.size(), family.size() == 1 ? "" : "s", family.words()));
        }
        line(
                text,
                "these span %d dimensions together; %d of the null space are unexplained"
                        .formatted(point.explained(), point.unexplained()));
        line(text, "nothing is said about other weights or other inputs");
        return text.toString();
    }

    private static void line(StringBuilder text, String words) {
        text.append(HERE).append(words).append("\n");
    }

    /** {@return the result for programs: one JSON object, indented; ends in {@code \n}} */
    public String json() {
        ObjectNode root = JsonText.object();
        root.put("scope", "this point and batch only")
                .put("checkpoint", checkpoint)
                .put("data", data);
        if (!notes.isEmpty()) {
            notes.forEach(root.putArray("notes")::add);
        }
        boolean decided = point.doubt().isEmpty();
        root.put("parameters", point.parameterCount())
                .put("outputs", point.outputCount())
                .put("decided", decided)
                .put("dimension", decided ? point.nullity(1e-8) : null)
                .put("reason", point.doubt().orElse(null));
        ObjectNode nullity = root.putObject("nullity");
        point.nullities().forEach((threshold, count) -> nullity.put(JsonText.power(threshold), count));
        root.put("gap", point.gap()).put("explained", point.explained()).put("unexplained", point.unexplained());
        ArrayNode families = root.putArray("families");
        point.families()
                .forEach(family ->
                        families.addObject().put("kind", family.words()).put("directions", family.size()));
        root.put("seconds", seconds);
        return JsonText.indented(root);
    }

    /**
     * {@return the singular values, as many as there are output components or parameters, from largest to smallest, zeros left
     * out of the drawing}
     */
    public Figure spectrum() {
        double[] all = point.relativeValues();
        double[] values = Arrays.copyOf(all, Math.min(all.length, point.outputCount()));
        double[] order =
                IntStream.rangeClosed(1, values.length).asDoubleStream().toArray();
        return new Figure(
                "spectrum",
                "Singular values of the Jacobian at this point and batch",
                "All %d singular values over the largest, from largest to smallest; directions below the line change no output to first order."
                        .formatted(values.length),
                LineChart.of(
                        Axis.linear("order", ""),
                        Axis.log("singular value over the largest", ""),
                        Series.of("this point and batch", Series.Style.LINE, order, values),
                        Series.of(
                                "threshold 1e-8",
                                Series.Style.REFERENCE,
                                new double[] {1, values.length},
                                new double[] {1e-8, 1e-8})));
    }

    /**
     * Writes {@code recovery.json}, {@code null-space.npz} (array {@code basis}, shape (p, dimension)) and, unless numbers
     * overflow, the figure.
     *
     * @param folder made where it is missing
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        EarlierFiles.remove(folder, RecoveryReport.OPTIONAL);
        AtomicFile.writeText(folder.resolve("recovery.json"), json());
        AtomicFile.writeText(folder.resolve("recovery.txt"), text());
        Matrix basis = point.basis();
        new NpzWriter().add("basis", basis).saveTo(folder.resolve("null-space.npz"));
        if (!point.nullities().isEmpty()) {
            spectrum().write(folder.resolve("figures"));
        }
    }
}
