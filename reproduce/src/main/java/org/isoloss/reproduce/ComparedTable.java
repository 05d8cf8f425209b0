package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.report.Column;
import org.isoloss.report.Table;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A table of measured numbers, each beside the paper's ({@code key_paper}) and the ratio of the two ({@code key_ratio}); a
 * count has no ratio, and a table without any of the paper's rows has none of these columns. Instances do not change; {@link #row} returns a longer table.
 */
public final class ComparedTable {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private static final String PAPER = "_paper";
    private static final String RATIO = "_ratio";

    private final String name;
    private final Protocol protocol;
    private final List<Column> measures;
    private final Table table;

    private ComparedTable(String name, Protocol protocol, List<Column> measures, Table table) {
        this.name = name;
        this.protocol = protocol;
        this.measures = measures;
        this.table = table;
    }

    /** A table without rows: columns that tell rows apart, columns of numbers, and columns that stand alone. */
    static ComparedTable of(
            String name,
            String caption,
            Protocol protocol,
            List<Column> keys,
            List<Column> measures,
            List<Column> alone) {
        List<Column> columns = new ArrayList<>(keys);
        for (Column measure : measures) {
            columns.add(measure);
            columns.add(new Column(measure.key() + PAPER, "paper", measure.kind(), measure.digits()));
            if (measure.kind() != Column.Kind.COUNT) {
                columns.add(Column.ratio(measure.key() + RATIO, "ratio", 2));
            }
        }
        columns.addAll(alone);
        String whole = "%s (%s)".formatted(caption, protocol.words());
        return new ComparedTable(name, protocol, measures, Table.of(whole, columns.toArray(Column[]::new)));
    }

    /** Adds a row; the paper's numbers are found by the keys of the measures, where it has such a row. */
    ComparedTable row(
            List<?> keys, List<? extends Number> values, @Nullable CSVRecord paper, @Nullable Object... alone) {
        List<@Nullable Object> row = new ArrayList<>(keys);
        for (int i = 0; i < measures.size(); i++) {
            Column measure = measures.get(i);
            Number value = values.get(i);
            String printed = paper != null && paper.isMapped(measure.key()) ? paper.get(measure.key()) : null;
            row.add(value);
            if (measure.kind() == Column.Kind.COUNT) {
                row.add(printed == null ? null : Integer.valueOf(printed));
            } else {
                Double theirs = printed == null ? null : Double.valueOf(printed);
                row.add(theirs);
                row.add(theirs == null ? null : value.doubleValue() / theirs);
            }
        }
        row.addAll(Arrays.asList(alone));
        return new ComparedTable(name, protocol, measures, table.row(row.toArray()));
    }

    /** {@return the file name without its ending, such as {@code table1}} */
    public String name() {
        return name;
    }

    /** {@return the table itself, with all rows} */
    public Table table() {
        Set<String> empty = new HashSet<>();
        if (table.toJsonRows().stream()
                .allMatch(row -> measures.stream().allMatch(measure -> row.get(measure.key() + PAPER) == null))) {
            measures.forEach(measure -> empty.addAll(List.of(measure.key() + PAPER, measure.key() + RATIO)));
        }
        return table.without(empty);
    }

    /** {@return the table for a program, JSON: what it is, whether quick, seeds, changes of the tasks and {@code rows}} */
    public String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("table", name);
        Table shown = table();
        json.put("caption", shown.caption());
        json.put("quick", protocol.quick());
        json.put("seeds", protocol.seeds());
        json.put("changes", protocol.changes());
        json.put("rows", shown.toJsonRows());
        return JSON.writeValueAsString(json) + "\n";
    }

    /** Writes {@code .txt}, {@code .csv}, {@code .json} and {@code .tex}, each at once or not at all. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Table shown = table();
        shown.write(folder, name);
        AtomicFile.writeText(folder.resolve(name + ".txt"), shown.toText());
        AtomicFile.writeText(folder.resolve(name + ".json"), json());
    }

    /** The columns before the numbers of a row about fits. */
    static List<Column> fitKeys() {
        return List.of(
                Column.text("setting", "Setting"),
                Column.text("objective", "Objective"),
                Column.text("recipe", "Recipe"),
                Column.text("action", "Action"));
    }

    /** The keys of one row about fits. */
    static List<Object> fitKeys(SettingFits fits) {
        return List.of(
                fits.setting(),
                SettingFits.label(fits.objective()),
                fits.variant().recipe(),
                fits.variant().action());
    }

    /** All columns of a list, then more. */
    static List<Column> with(List<Column> columns, Column... more) {
        return Stream.concat(columns.stream(), Arrays.stream(more)).toList();
    }
}
