package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.isoloss.model.Boundary;
import org.isoloss.model.Reception;
import org.isoloss.model.SeenPath;
import org.isoloss.model.Subnetwork;
import org.isoloss.model.Value;
import org.isoloss.model.Wiring;

/** What must be kept so that given parameters may move: the boundaries, the verdict on the parameters alone, the drawing. */
public final class SubnetworkReport {
    private final String name;
    private final Subnetwork subnetwork;
    private final Optional<SeenPath> leak;

    /**
     * Decides.
     *
     * @param name of the task
     * @param subnetwork whose parameters move
     */
    public SubnetworkReport(String name, Subnetwork subnetwork) {
        this.name = name;
        this.subnetwork = subnetwork;
        this.leak = subnetwork.leak();
    }

    /**
     * {@return whether the moving parameters are a subnetwork by themselves: false where the rest of the network sees them
     * otherwise than through their ends}
     */
    public boolean isAlone() {
        return leak.isEmpty();
    }

    private long parameters() {
        return subnetwork.moving().model().parameterCount();
    }

    private String moves() {
        return "%d of %d parameters".formatted(subnetwork.moving().count(), parameters());
    }

    /** {@return the boundaries: the smallest before any weight that stays, and the smallest of all} */
    public Table table() {
        Table table = Table.of(
                "%s: to move %s, keep".formatted(name, moves()),
                Column.text("boundary", "Boundary"),
                Column.count("entries", "Entries"),
                Column.text("where", "Where"),
                Column.text("operation", "Operation"),
                Column.text("shape", "Shape"),
                Column.text("which", "Which"),
                Column.count("features", "Features in"),
                Column.count("constants", "Fixed inside"),
                Column.scientific("change", "Outputs change", 1));
        table = rows(table, "smallest before a fixed weight", subnetwork.near());
        table = rows(table, "smallest of all", subnetwork.smallest());
        for (Value output : subnetwork.moving().model().outputs().values()) {
            table = table.row(
                    "(all outputs)",
                    output.shape().count(),
                    output.where(),
                    operation(output),
                    output.shape().toString(),
                    "",
                    null,
                    null,
                    null);
        }
        return table;
    }

    /** What is said of a boundary as a whole stands in its first row. */
    private Table rows(Table table, String which, Boundary boundary) {
        Reception reception = subnetwork.reception(boundary);
        Table rows = table;
        boolean first = true;
        for (Boundary.Part part : boundary.parts()) {
            Value value = part.value();
            rows = rows.row(
                    which,
                    part.entries().size(),
                    value.where(),
                    operation(value),
                    value.shape().toString(),
                    part.selection(),
                    first ? features(reception) : null,
                    first ? reception.constants().size() : null,
                    first ? subnetwork.change(boundary) : null);
            first = false;
        }
        return rows;
    }

    private static int features(Reception reception) {
        return reception.features().size() + reception.sums().size();
    }

    private static String operation(Value value) {
        return value.operation().name().replaceFirst(" .*", "");
    }

    private static String words(Boundary boundary) {
        return boundary.parts().stream()
                .map(part -> part.value().where() + part.selection())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** {@return one line that says whether symmetries of the moving parameters alone lift, or the path that forbids it} */
    public String verdict() {
        String verdict = leak.map(
                        path -> "no subnetwork by themselves: the rest sees %s otherwise, by %s; so %s must be kept too"
                                .formatted(
                                        path.parameter().where(),
                                        path.route(),
                                        path.seen().where()))
                .orElseGet(() -> "a subnetwork: the rest sees the moving parameters through %d entries alone (%s)"
                        .formatted(subnetwork.ends().size(), words(subnetwork.ends())));
        return subnetwork.isWhole()
                ? verdict + "; judged by whole values, whose entries are too many, so that less may suffice"
                : verdict;
    }

    /** {@return everything for a JSON writer} */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("task", name);
        json.put("moving", subnetwork.moving().count());
        json.put("parameters", parameters());
        json.put(
                "outputs",
                subnetwork.moving().model().outputs().values().stream()
                        .mapToInt(output -> output.shape().count())
                        .sum());
        json.put("whole_values", subnetwork.isWhole());
        json.put("subnetwork", isAlone());
        json.put("verdict", verdict());
        leak.ifPresent(path ->
                json.put("path", path.steps().stream().map(SeenPath.Step::where).toList()));
        json.put("near", json(subnetwork.near()));
        json.put("smallest", json(subnetwork.smallest()));
        return json;
    }

    private Map<String, Object> json(Boundary boundary) {
        Reception reception = subnetwork.reception(boundary);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("size", boundary.size());
        json.put("boundary", parts(boundary));
        json.put("features", parts(reception.features()));
        json.put("sums", parts(reception.sums()));
        json.put("constants", parts(reception.constants()));
        json.put("change", subnetwork.change(boundary));
        return json;
    }

    private static List<Map<String, Object>> parts(Boundary boundary) {
        List<Map<String, Object>> parts = new ArrayList<>();
        for (Boundary.Part part : boundary.parts()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("where", part.value().where());
            json.put("operation", part.value().operation().name());
            json.put("shape", part.value().shape().sizes());
            json.put("entries", part.entries());
            parts.add(json);
        }
        return parts;
    }

    /** {@return the drawing, number by number where the network is small enough, with what it shows as data} */
    public Figure figure() {
        return new Figure(
                "subnetwork",
                "%s: %s".formatted(name, isAlone() ? "a subnetwork" : "seen by the rest of the network"),
                "%s move; %s.".formatted(moves(), verdict()),
                Wiring.of(subnetwork.moving().model())
                        .<Chart>map(wiring -> new NetworkGraph(subnetwork, wiring))
                        .orElseGet(() -> new ModelGraph(subnetwork)));
    }
}
