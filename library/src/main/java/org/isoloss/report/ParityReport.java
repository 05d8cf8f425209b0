package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.isoloss.evaluation.Parity;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Says how far a forward pass is from the numbers of another program: a verdict, a table and a picture over the layers.
 *
 * @param model what was run, as the reader knows it
 * @param golden where the numbers come from
 * @param parity what was measured
 */
public record ParityReport(String model, String golden, Parity parity) {
    /** {@return one sentence, that all agree, or where the pass first departs} */
    public String verdict() {
        return parity.firstDeparture()
                .map(place -> "departs first at %s of case '%s': float64 by %.1e, float32 by %.1e"
                        .formatted(where(place), place.caseName(), place.float64(), place.float32()))
                .orElseGet(() -> "agrees at all %d places: float64 within %s, float32 within %s of the largest number"
                        .formatted(
                                parity.places().size(),
                                JsonText.power(Parity.FLOAT64_TOLERANCE),
                                JsonText.power(Parity.FLOAT32_TOLERANCE)));
    }

    private static String where(Parity.Place place) {
        return place.kind() == Parity.Kind.OUTPUT
                ? "the output"
                : "layer %d, %s".formatted(place.layer(), place.kind().label());
    }

    /** {@return every comparison: one row a place, case by case in the order of computation} */
    public Table table() {
        return Table.<Parity.Place>of(
                        "Largest differences, relative to the largest golden number of the tensor", parity.places())
                .add(Column.text("case", "Case"), Parity.Place::caseName)
                .add(
                        Column.text("layer", "Layer"),
                        place -> place.kind() == Parity.Kind.OUTPUT ? "" : String.valueOf(place.layer()))
                .add(Column.text("tensor", "Tensor"), place -> place.kind().label())
                .add(Column.scientific("float64", "float64", 1), Parity.Place::float64)
                .add(Column.scientific("float32", "float32", 1), Parity.Place::float32)
                .add(Column.flag("agrees", "Agrees"), place -> !place.departs())
                .table();
    }

    /** {@return the picture, the worst differences of all cases over the layers, the output last, with the tolerances} */
    public Figure figure() {
        double last =
                parity.places().stream().mapToInt(Parity.Place::layer).max().orElse(0);
        List<Series> series = new ArrayList<>(Series.present(
                List.of(line("float32", Parity.Place::float32), line("float64", Parity.Place::float64))));
        for (double tolerance : List.of(Parity.FLOAT32_TOLERANCE, Parity.FLOAT64_TOLERANCE)) {
            series.add(Series.of(
                    "tolerance " + JsonText.power(tolerance),
                    Series.Style.REFERENCE,
                    new double[] {0, last},
                    new double[] {tolerance, tolerance}));
        }
        return new Figure(
                "parity",
                "Differences from the golden numbers over the layers",
                "Largest differences relative to the largest golden number, over all cases: what enters a feed-forward"
                        + " block at the number of its layer, what leaves it half a step later, and the output at the"
                        + " right end; with the tolerance of each arithmetic. " + verdict() + ".",
                new LineChart(Axis.linear("layer", ""), Axis.log("relative difference", ""), series));
    }

    /** The worst case of one arithmetic at each place. */
    private Optional<Series> line(String name, ToDoubleFunction<Parity.Place> difference) {
        var worst = new TreeMap<Double, Double>();
        for (Parity.Place place : parity.places()) {
            double at = place.layer() + (place.kind() == Parity.Kind.FEED_FORWARD_OUTPUT ? 0.5 : 0);
            if (Double.isFinite(difference.applyAsDouble(place))) {
                worst.merge(at, difference.applyAsDouble(place), Math::max);
            }
        }
        return Series.over(name, List.copyOf(worst.entrySet()), Map.Entry::getKey, Map.Entry::getValue);
    }

    /** {@return the report for a terminal, table and verdict, lines ending in a newline} */
    public String text() {
        return table().toText() + "\n" + verdict() + "\n";
    }

    /** {@return the report for a program, one JSON object} */
    public String json() {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("model", model);
        json.put("golden", golden);
        json.put("agrees", parity.firstDeparture().isEmpty());
        json.put("float64_tolerance", Parity.FLOAT64_TOLERANCE);
        json.put("float32_tolerance", Parity.FLOAT32_TOLERANCE);
        json.put(
                "first_departure",
                parity.firstDeparture().map(ParityReport::departure).orElse(null));
        json.put("places", parity.places().stream().map(ParityReport::departure).toList());
        return JsonMapper.shared().writeValueAsString(json);
    }

    private static Map<String, Object> departure(Parity.Place place) {
        var json = new LinkedHashMap<String, Object>();
        json.put("case", place.caseName());
        json.put("tensor", place.kind().label());
        if (place.kind() != Parity.Kind.OUTPUT) {
            json.put("layer", place.layer());
        }
        json.put("float64", number(place.float64()));
        json.put("float32", number(place.float32()));
        json.put("agrees", !place.departs());
        return json;
    }

    /** JSON has no infinity. */
    private static Object number(double value) {
        return Double.isFinite(value) ? value : String.valueOf(value);
    }

    /**
     * Writes {@code report.html}, and figure and table as files.
     *
     * @param folder made where it is missing
     * @param provenance of the run
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage.of("Forward pass of " + model, "Compared with %s: it %s.".formatted(golden, verdict()))
                .figure(figure())
                .table("parity", table())
                .save(folder, provenance);
    }
}
