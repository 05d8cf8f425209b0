package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;
import org.jspecify.annotations.Nullable;

/**
 * A network from top to bottom with what acts on each of its parts.
 *
 * @param map of the network
 */
record SymmetryGraph(SymmetryMap map) implements Chart {
    @Override
    public Table data(String caption) {
        Table table = Table.of(
                caption,
                Column.count("part", "Part"),
                Column.text("channels", "Channels"),
                Column.text("reads", "Reads"),
                Column.text("through", "Through"),
                Column.text("inside", "Inside"),
                Column.text("outputs", "Outputs"),
                Column.text("family", "Family"),
                Column.text("group", "Group"),
                Column.text("discrete", "Discrete"),
                Column.flag("jointly", "With other parts"),
                Column.text("tensors", "Acts on"));
        for (int i = 0; i < map.parts().size(); i++) {
            Part part = map.parts().get(i);
            for (Acting acting : part.families()) {
                table = row(table, i, acting.family(), acting.jointly());
            }
            if (part.families().isEmpty()) {
                table = row(table, i, null, false);
            }
        }
        for (SymmetryFamily family : map.unseen()) {
            table = table.row(
                    null,
                    "",
                    "",
                    "",
                    "",
                    "",
                    family.name(),
                    family.group(),
                    family.permutations(),
                    false,
                    String.join(" ", family.tensors()));
        }
        return table;
    }

    private Table row(Table table, int number, @Nullable SymmetryFamily family, boolean jointly) {
        Part part = map.parts().get(number);
        List<String> reads = new ArrayList<>();
        List<String> through = new ArrayList<>();
        for (Way way : map.ways()) {
            if (way.to() == number) {
                reads.add(way.from() == SymmetryMap.INPUT ? "input" : Integer.toString(way.from() + 1));
                through.addAll(way.parameters());
            }
        }
        return table.row(
                number + 1,
                part.channels().stream().map(String::valueOf).collect(Collectors.joining(" ")),
                String.join(" ", reads),
                String.join(" ", through),
                String.join(" ", part.inside()),
                String.join(" ", part.outputs()),
                family == null ? "" : family.name(),
                family == null ? "" : family.group(),
                family == null ? "" : family.permutations(),
                jointly,
                family == null ? "" : String.join(" ", family.tensors()));
    }
}
