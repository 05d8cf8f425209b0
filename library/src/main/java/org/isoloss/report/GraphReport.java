package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.symmetry.GraphSymmetries;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;

/** The symmetries of a model that follow from its graph, as table, picture and JSON. */
public final class GraphReport implements SymmetryListing {
    private final String name;
    private final GraphSymmetries symmetries;

    /**
     * Takes a result.
     *
     * @param name of the model
     * @param symmetries that it has
     */
    public GraphReport(String name, GraphSymmetries symmetries) {
        this.name = name;
        this.symmetries = symmetries;
    }

    @Override
    public Table table() {
        return SymmetryReport.table(
                "%s: symmetries of %d parameters"
                        .formatted(name, symmetries.model().parameterCount()),
                RepeatedFamilies.joined(symmetries.listed()),
                List.of());
    }

    @Override
    public String verdict() {
        String left = symmetries.refuted().isEmpty()
                ? ""
                : "; %d families that the graph lets through change outputs and are left out"
                        .formatted(symmetries.refuted().size());
        return "rank %d, added up from the families; the nullity of the Jacobian of so many parameters is not computed%s"
                .formatted(symmetries.rank(), left);
    }

    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("model", name);
        json.put("parameters", symmetries.model().parameterCount());
        json.put("rank", symmetries.rank());
        json.put("nullity", null);
        json.put("unexplained", null);
        List<Map<String, Object>> families = new ArrayList<>();
        for (SymmetryFamily family : symmetries.listed()) {
            families.add(SymmetryReport.json(family));
        }
        json.put("families", families);
        json.put(
                "refuted",
                symmetries.refuted().stream().map(SymmetryReport::json).toList());
        return json;
    }

    @Override
    public Figure figure() {
        return SymmetryReport.figure(name, SymmetryReport.heights(symmetries.listed()), verdict());
    }

    @Override
    public Figure network() {
        SymmetryMap map = symmetries.map();
        return SymmetryReport.network(
                name,
                new SymmetryMap(map.inputs(), map.parts(), map.ways(), RepeatedFamilies.joined(map.unseen())),
                verdict());
    }
}
