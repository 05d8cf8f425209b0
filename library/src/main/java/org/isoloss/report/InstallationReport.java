package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.installation.Installation.Measures;
import org.isoloss.installation.OutputDrift;

/**
 * All that must be known of one edit of a transformer, for a reader and for a program.
 *
 * @param name of the model or task
 * @param coefficient t
 * @param measures of the edit
 * @param logits whether the outputs are logits, whose largest entry is a choice; otherwise they are hidden states
 */
public record InstallationReport(String name, double coefficient, Measures measures, boolean logits) {
    private static final String PREFIX = "protected prefix";
    private static final String UNEDITED = PREFIX + ", no edit, other order of sums";

    /** A text with what happened to its outputs. */
    private record Line(String text, String bar, String arithmetic, OutputDrift drift) {}

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>(List.of(
                new Line(PREFIX, "prefix, float32", "float32", measures.float32()),
                new Line(PREFIX, "prefix, float64", "float64", measures.float64()),
                new Line(PREFIX + ", weights not rounded", "prefix, unrounded", "float64", measures.unrounded()),
                new Line(UNEDITED, "unedited", "float32", measures.noise())));
        measures.continuation()
                .ifPresent(drift -> lines.add(new Line("continuation", "next tokens", "float32", drift)));
        for (int i = 0; i < measures.fresh().size(); i++) {
            lines.add(new Line(
                    "other text %d".formatted(i + 1),
                    "other text %d".formatted(i + 1),
                    "float32",
                    measures.fresh().get(i)));
        }
        return lines;
    }

    /**
     * {@return what the edit does to the outputs of the complete model: one row a text and arithmetic, the noise of float32
     * among them}
     */
    public Table outputs() {
        Table table = Table.of(
                "%s at t = %s: change of the %s".formatted(name, coefficient, logits ? "logits" : "last hidden states"),
                Column.text("text", "On"),
                Column.text("arithmetic", "In"),
                Column.scientific("relative", "Relative", 2),
                Column.scientific("rms", "RMS", 2),
                Column.count("flips", "Other choice"),
                Column.count("positions", "of tokens"));
        for (Line line : lines()) {
            table = table.row(
                    line.text,
                    line.arithmetic,
                    line.drift.relative(),
                    line.drift.rms(),
                    logits ? line.drift.flips() : null,
                    line.drift.positions());
        }
        return table;
    }

    /**
     * Says in one line whether the change on the prefix can be told from rounding.
     *
     * @return a sentence
     */
    public String verdict() {
        Optional<String> undone = measures.weights().undone();
        if (undone.isPresent()) {
            return "not the edit that was meant: " + undone.get();
        }
        double ratio = measures.float32().relative() / measures.noise().relative();
        return "on the prefix the outputs move by %.1f times the float32 noise of the unedited model%s; the action itself, without any rounding, moves them by %.1e"
                .formatted(
                        ratio,
                        ratio <= 2 ? ", which is no more than rounding" : ", which is more than rounding",
                        measures.unrounded().relative());
    }

    /**
     * {@return the picture: how far above the float32 noise each text's outputs moved, in powers of ten; what did not move at
     * all is left out}
     */
    public Figure figure() {
        double noise = measures.noise().relative();
        double floor = noise > 0 ? noise : Math.ulp(1f);
        Map<String, Double> decades = new LinkedHashMap<>();
        for (Line line : lines()) {
            double change = line.drift.relative();
            if (!line.text.equals(UNEDITED) && change > 0 && Double.isFinite(change)) {
                decades.put(line.bar, Math.log10(change / floor));
            }
        }
        if (decades.isEmpty()) {
            decades.put(lines().getFirst().bar, 0.0);
        }
        return new Figure(
                "installed",
                "What the edit does to the outputs",
                "Relative change of the outputs on each text over the float32 noise of the unedited model (%.2e), in powers of ten: a bar below 0 is less than that noise. The weights as the action moves them, before rounding, are also shown; the next tokens continue the prefix and are not protected."
                        .formatted(floor),
                BarChart.of("text", Axis.linear("powers of ten above the float32 noise", ""), decades));
    }

    /**
     * Writes {@code report.html}, and figure and tables as files.
     *
     * @param folder made where it is missing
     * @param provenance of the edit
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage.of(
                        "%s, edited at t = %s".formatted(name, coefficient),
                        "One edit of a transformer, installed and run: %s.".formatted(verdict()))
                .figure(figure())
                .table("outputs", outputs())
                .table("weights", EditTable.of(measures.weights()))
                .save(folder, provenance);
        provenance.write(folder.resolve("provenance.json"));
    }

    /** {@return the report for a reader, several lines} */
    public String text() {
        return "%s%nselected weights: %.4f %% of their norm; cancellation %.2e%n%n%s%n%s%n"
                .formatted(
                        EditTable.of(measures.weights()).toText(),
                        measures.motionPercent(),
                        measures.cancellation(),
                        outputs().toText(),
                        verdict());
    }

    /** {@return the report for a program, by key} */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("t", coefficient);
        json.put("weights", EditTable.of(measures.weights()).toJsonRows());
        json.put("weights_meant", measures.weights().requested());
        json.put("weights_changed", measures.weights().changed());
        json.put("rounded_away", measures.weights().roundedAway());
        json.put("motion_percent", measures.motionPercent());
        json.put("cancellation", measures.cancellation());
        json.put("outputs", outputs().toJsonRows());
        json.put("verdict", verdict());
        return json;
    }
}
