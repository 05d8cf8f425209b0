package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.isoloss.symmetry.NearFamily;
import org.isoloss.symmetry.NearFamily.Reach;

/** The families that a model has but for the epsilons of its norms: how much its outputs change, and how far away. */
public final class NearReport {
    /** A family that changes an output by more than this share at its smallest elements is far from exact. */
    private static final double LARGE = 1e-2;

    private final String name;
    private final List<NearFamily> families;

    /**
     * Takes a result.
     *
     * @param name of the model
     * @param families that it has
     */
    public NearReport(String name, List<NearFamily> families) {
        this.name = name;
        this.families = List.copyOf(families);
    }

    /** {@return a row for each family and size of elements} */
    public Table table() {
        Table table = Table.of(
                "%s: families that would be exact with the epsilons of its norms at 0".formatted(name),
                Column.text("name", "Family"),
                Column.text("layer", "Layer"),
                Column.text("group", "Group"),
                Column.count("rank", "Rank"),
                Column.fixed("factor", "Factor", 1),
                Column.scientific("distance", "Distance", 1),
                Column.scientific("change", "Outputs change", 1),
                Column.text("tensors", "Acts on"));
        for (NearFamily near : families) {
            for (Reach reach : near.reaches()) {
                table = table.row(
                        near.family().name(),
                        near.family().layer(),
                        near.family().group(),
                        near.family().rank(),
                        reach.factor(),
                        reach.distance(),
                        reach.change(),
                        SymmetryReport.acts(near.family()));
            }
        }
        return table;
    }

    /** {@return one line: how many there are, which do not count, and which of them are far from exact} */
    public String verdict() {
        if (families.isEmpty()) {
            return "no epsilon of a norm is in the way of a family";
        }
        String large = families.stream()
                .filter(near -> near.reaches().getFirst().change() > LARGE)
                .map(near -> "%s (%s) by %.1e"
                        .formatted(
                                near.family().name(),
                                near.family().layer(),
                                near.reaches().getFirst().change()))
                .collect(Collectors.joining(", "));
        int count = families.stream().mapToInt(near -> near.family().adds()).sum();
        return "%s but for the epsilons of norms, not counted above%s"
                .formatted(
                        count == 1 ? "one dimension" : count + " dimensions",
                        large.isEmpty()
                                ? ""
                                : "; far from exact, at a factor of %.1f already: %s"
                                        .formatted(
                                                families.getFirst()
                                                        .reaches()
                                                        .getFirst()
                                                        .factor(),
                                                large));
    }

    private String words() {
        return families.stream()
                .map(near ->
                        "%s (%s)".formatted(near.family().name(), near.family().layer()))
                .collect(Collectors.joining(", "));
    }

    /** {@return everything for a JSON writer} */
    public List<Map<String, Object>> json() {
        return families.stream().map(NearReport::json).toList();
    }

    private static Map<String, Object> json(NearFamily near) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", near.family().name());
        json.put("layer", near.family().layer());
        json.put("group", near.family().group());
        json.put("rank", near.family().rank());
        json.put("adds", near.family().adds());
        json.put("tensors", near.family().tensors());
        List<Map<String, Object>> changes = new ArrayList<>();
        for (Reach reach : near.reaches()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("factor", reach.factor());
            one.put("distance", reach.distance());
            one.put("change", Double.isInfinite(reach.change()) ? "infinite" : reach.change());
            changes.add(one);
        }
        json.put("changes", changes);
        return json;
    }

    /** {@return the change of the outputs against the distance, a line for each family; empty where there is none} */
    public Optional<Figure> figure() {
        List<Optional<Series>> lines = new ArrayList<>();
        for (NearFamily near : families) {
            lines.add(Series.over(
                    "%s, %s".formatted(near.family().name(), near.family().layer()),
                    near.reaches(),
                    Reach::distance,
                    Reach::change));
        }
        List<Series> present = Series.present(lines);
        return present.isEmpty()
                ? Optional.empty()
                : Optional.of(new Figure(
                        "near-dimensions",
                        name + ": near families",
                        "%s. %s.".formatted(words(), verdict()),
                        new LineChart(
                                Axis.log("norm of the change over norm of the weights that change", ""),
                                Axis.log("change of the outputs", ""),
                                present)));
    }
}
