package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Dataflow;
import org.isoloss.network.Factorization;
import org.isoloss.network.Leak;
import org.isoloss.network.Separation;
import org.isoloss.network.Subnetwork;

/** What must be kept so that given parameters may move: the boundaries, the verdict on the parameters alone, the drawing. */
public final class SubnetworkReport implements BoundaryReport {
    private static final int MOST_NAMES = 4;

    private final String name;
    private final Subnetwork subnetwork;
    private final double[] parameters;
    private final Matrix batch;
    private final Separation alone;
    private final Factorization near;
    private final Factorization far;

    /**
     * Decides.
     *
     * @param name of the task
     * @param subnetwork whose parameters move
     * @param parameters of the network, length p; copied
     * @param batch the protected inputs, one a row; copied
     */
    public SubnetworkReport(String name, Subnetwork subnetwork, double[] parameters, Matrix batch) {
        this.name = name;
        this.subnetwork = subnetwork;
        this.parameters = parameters.clone();
        this.batch = batch.copy();
        this.alone = subnetwork.alone();
        this.near = subnetwork.smallest(Subnetwork.Depth.NEXT_WEIGHT);
        this.far = subnetwork.smallest(Subnetwork.Depth.OUTPUT);
    }

    @Override
    public boolean isAlone() {
        return alone instanceof Factorization;
    }

    @Override
    public Table table() {
        return Table.of(
                        "%s: to move %d of %d parameters, keep"
                                .formatted(name, subnetwork.moving().size(), parameters.length),
                        Column.text("boundary", "Boundary"),
                        Column.count("pre_activations", "Pre-activations"),
                        Column.text("nodes", "Nodes"),
                        Column.count("features", "Features in"),
                        Column.count("constants", "Fixed inside"),
                        Column.scientific("defect", "j(f(h)) - L", 1))
                .row(row("smallest before a fixed weight", near))
                .row(row("smallest of all", far));
    }

    private Object[] row(String which, Factorization factorization) {
        return new Object[] {
            which,
            factorization.boundary().size(),
            names(factorization.boundary()),
            factorization.features().size() + factorization.fixedSums().size(),
            factorization.constants().size(),
            factorization.defect(parameters, batch)
        };
    }

    /** Names of nodes; neighbours of one layer as a range. */
    private String names(List<Integer> nodes) {
        Dataflow graph = subnetwork.graph();
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < nodes.size(); i++) {
            boolean last = i + 1 == nodes.size()
                    || nodes.get(i + 1) != nodes.get(i) + 1
                    || !layer(graph.name(nodes.get(i + 1))).equals(layer(graph.name(nodes.get(from))));
            if (last) {
                String first = graph.name(nodes.get(from));
                String end = graph.name(nodes.get(i));
                parts.add(
                        from == i
                                ? first
                                : first + ".." + end.substring(layer(end).length()));
                from = i + 1;
            }
        }
        String some = parts.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
        return parts.size() > MOST_NAMES ? "%s, and %d more".formatted(some, parts.size() - MOST_NAMES) : some;
    }

    private static String layer(String node) {
        return node.replaceFirst("\\d+$", "");
    }

    @Override
    public String verdict() {
        return switch (alone) {
            case Factorization factorization ->
                "a subnetwork: the rest sees the moving parameters through %d pre-activations alone (%s)"
                        .formatted(factorization.boundary().size(), names(factorization.boundary()));
            case Leak leak ->
                "no subnetwork by themselves: the rest sees %s otherwise, by %s; so %s must be kept too"
                        .formatted(
                                subnetwork.graph().parameterName(leak.parameter()),
                                leak.route(),
                                subnetwork.graph().name(leak.seam()));
        };
    }

    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("task", name);
        json.put("moving", subnetwork.moving().size());
        json.put("parameters", parameters.length);
        json.put("inputs", batch.rows());
        json.put("subnetwork", isAlone());
        json.put("verdict", verdict());
        json.put("near", json(near));
        json.put("smallest", json(far));
        return json;
    }

    private Map<String, Object> json(Factorization factorization) {
        Dataflow graph = subnetwork.graph();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("boundary", factorization.boundary().stream().map(graph::name).toList());
        json.put("features", factorization.features().stream().map(graph::name).toList());
        json.put(
                "constants",
                factorization.constants().stream().map(graph::parameterName).toList());
        json.put("defect", factorization.defect(parameters, batch));
        return json;
    }

    @Override
    public Figure figure() {
        List<String> words = new ArrayList<>();
        words.add("%d of %d parameters move".formatted(subnetwork.moving().size(), parameters.length));
        words.add(verdict());
        return new Figure(
                "subnetwork",
                "%s: %s".formatted(name, isAlone() ? "a subnetwork" : "seen by the rest of the network"),
                String.join("; ", words) + ".",
                new NetworkGraph(alone));
    }
}
