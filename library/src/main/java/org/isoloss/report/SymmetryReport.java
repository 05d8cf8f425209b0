package org.isoloss.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.symmetry.Symmetries;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;

/** The symmetries of a model: a table of families, what is left unexplained, and a picture of what each adds. */
public final class SymmetryReport implements SymmetryListing {
    private static final int SHOWN = 3;

    private final String name;
    private final Symmetries symmetries;

    /**
     * Takes a result.
     *
     * @param name of the model
     * @param symmetries that it has
     */
    public SymmetryReport(String name, Symmetries symmetries) {
        this.name = name;
        this.symmetries = symmetries;
    }

    @Override
    public Table table() {
        Table table = table(
                "%s: symmetries of %d parameters".formatted(name, symmetries.parameters()),
                symmetries.families(),
                symmetries.approximate());
        return symmetries.unexplained() == 0
                ? table
                : table.row(left(), "", "", symmetries.unexplained(), null, "", null, where(SHOWN));
    }

    static Table table(String title, List<SymmetryFamily> exact, List<SymmetryFamily> approximate) {
        Table table = Table.of(
                title,
                Column.text("name", "Family"),
                Column.text("layer", "Layer"),
                Column.text("group", "Group"),
                Column.count("rank", "Rank"),
                Column.count("adds", "Adds"),
                Column.text("permutations", "Discrete"),
                Column.scientific("verified", "Outputs change", 1),
                Column.text("tensors", "Acts on"));
        for (SymmetryFamily family : exact) {
            table = row(table, family, "");
        }
        for (SymmetryFamily family : approximate) {
            table = row(table, family, "near the identity alone: ");
        }
        return table;
    }

    private static Table row(Table table, SymmetryFamily family, String prefix) {
        return table.row(
                prefix + family.name(),
                family.layer(),
                family.group(),
                family.rank(),
                family.adds(),
                family.permutations(),
                family.verified(),
                acts(family));
    }

    /** The tensors of a family, the first where they are many. */
    static String acts(SymmetryFamily family) {
        List<String> tensors = family.tensors();
        return tensors.size() <= SHOWN
                ? String.join(", ", tensors)
                : "%d tensors, %s first".formatted(tensors.size(), tensors.getFirst());
    }

    /** What the nullity has and the families have not. */
    private String left() {
        return symmetries.isDecided() ? "unexplained" : "undecided";
    }

    @Override
    public String verdict() {
        String gap = Double.isInfinite(symmetries.gap()) ? "" : ", gap %.1e".formatted(symmetries.gap());
        String left = symmetries.unexplained() == 0
                ? "nothing is unexplained"
                : "%d %s, %s".formatted(symmetries.unexplained(), left(), where(Integer.MAX_VALUE) + nearIdentity());
        String held = symmetries.heldParts() == 0
                ? ""
                : "; %d of the parts have too many maps for a linear system, and what moves a value of theirs is not found"
                        .formatted(symmetries.heldParts());
        return "rank %d of the families together, nullity %d of the Jacobian%s%s: %s%s"
                .formatted(
                        symmetries.rank(),
                        symmetries.nullity(),
                        symmetries.isDecided() ? "" : " at most, undecided as its singular values fall without a step",
                        gap,
                        left,
                        held);
    }

    /** The tensors with most of what is unexplained, each with its share. */
    private String where(int most) {
        Map<String, Double> shares = new LinkedHashMap<>(symmetries.unexplainedByTensor());
        shares.values().removeIf(share -> share < 0.01);
        List<String> parts = shares.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .map(entry -> "%s %.0f %%".formatted(entry.getKey(), 100 * entry.getValue()))
                .toList();
        return parts.size() <= most
                ? String.join(", ", parts)
                : "%s and %d more".formatted(String.join(", ", parts.subList(0, most)), parts.size() - most);
    }

    private String nearIdentity() {
        int near = symmetries.unexplainedNearIdentity();
        return near == 0 ? "" : "; %d of them in families that hold near the identity alone".formatted(near);
    }

    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("model", name);
        json.put("parameters", symmetries.parameters());
        json.put("rank", symmetries.rank());
        json.put("nullity", symmetries.nullity());
        json.put("unexplained", symmetries.unexplained());
        json.put("decided", symmetries.isDecided());
        json.put("held_parts", symmetries.heldParts());
        json.put("gap", Double.isInfinite(symmetries.gap()) ? "infinite" : symmetries.gap());
        json.put(
                "families",
                symmetries.families().stream().map(SymmetryReport::json).toList());
        json.put(
                "approximate",
                symmetries.approximate().stream().map(SymmetryReport::json).toList());
        json.put("unexplained_by_tensor", symmetries.unexplainedByTensor());
        return json;
    }

    static Map<String, Object> json(SymmetryFamily family) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", family.name());
        json.put("layer", family.layer());
        json.put("group", family.group());
        json.put("rank", family.rank());
        json.put("adds", family.adds());
        json.put("permutations", family.permutations());
        json.put("verified", family.verified());
        json.put("conserved", family.conserved());
        json.put("tensors", family.tensors());
        return json;
    }

    @Override
    public Figure figure() {
        Map<String, Double> heights = heights(symmetries.families());
        heights.put(left(), (double) symmetries.unexplained());
        return figure(name, heights, verdict());
    }

    @Override
    public Figure network() {
        return network(name, symmetries.map(), verdict());
    }

    static Figure network(String name, SymmetryMap map, String verdict) {
        return new Figure(
                "symmetry-network",
                name + ": where its symmetries act",
                "%d parts between parameters; %s.".formatted(map.parts().size(), verdict),
                new SymmetryGraph(map));
    }

    static Map<String, Double> heights(List<SymmetryFamily> families) {
        Map<String, Double> heights = new LinkedHashMap<>();
        for (SymmetryFamily family : families) {
            if (family.adds() > 0) {
                heights.merge(family.name(), (double) family.adds(), Double::sum);
            }
        }
        return heights;
    }

    static Figure figure(String name, Map<String, Double> heights, String verdict) {
        return new Figure(
                "symmetry-dimensions",
                name + ": dimensions of the symmetries",
                verdict + ".",
                BarChart.of("family", Axis.linear("dimensions added", ""), heights));
    }
}
