package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.installation.ModelCheck;
import org.isoloss.installation.OutputDrift;

/**
 * Whether two transformers compute the same function of a text, for a reader and for a program.
 *
 * @param first name of the model that differences are relative to
 * @param second name of the other
 * @param check the comparison
 */
public record ModelCheckReport(String first, String second, ModelCheck check) {
    /** {@return how far outputs are apart: one row an arithmetic, and the noise of float32} */
    public Table outputs() {
        Table table = Table.of(
                "Outputs of %s and %s on the same tokens".formatted(first, second),
                Column.text("in", "In"),
                Column.scientific("relative", "Relative", 2),
                Column.scientific("rms", "RMS", 2),
                Column.count("flips", "Other largest entry"),
                Column.count("positions", "of tokens"));
        return row(
                row(row(table, "float64", check.float64()), "float32", check.float32()),
                "float32 noise of one model",
                check.noise());
    }

    private static Table row(Table table, String name, OutputDrift drift) {
        return table.row(name, drift.relative(), drift.rms(), drift.flips(), drift.positions());
    }

    /** {@return the tensors that are not equal: one row a tensor} */
    public Table tensors() {
        List<TensorDifference> different =
                check.tensors().stream().filter(tensor -> !tensor.isSame()).toList();
        Table table = Table.of(
                "Tensors that differ: %d of %d"
                        .formatted(different.size(), check.tensors().size()),
                Column.text("tensor", "Tensor"),
                Column.text("first", "First"),
                Column.text("second", "Second"),
                Column.count("changed", "Changed"),
                Column.scientific("largest", "Largest difference", 2),
                Column.count("median_ulps", "Median ulps"),
                Column.count("max_ulps", "Largest ulps"));
        for (TensorDifference tensor : different) {
            TensorDifference.Numbers numbers = tensor.numbers();
            table = table.row(
                    tensor.name(),
                    tensor.first() == null ? "missing" : tensor.first(),
                    tensor.second() == null ? "missing" : tensor.second(),
                    numbers == null ? null : numbers.changed(),
                    numbers == null ? null : numbers.largest(),
                    numbers == null ? null : numbers.medianUlps(),
                    numbers == null ? null : numbers.maxUlps());
        }
        return table;
    }

    /** {@return the report for a reader, several lines} */
    public String text() {
        return "%s%n%s%n%s%n".formatted(outputs().toText(), tensors().toText(), check.verdict());
    }

    /** {@return the report for a program, by key} */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("same", check.same());
        json.put("tolerance", check.tolerance());
        json.put("verdict", check.verdict());
        json.put("outputs", outputs().toJsonRows());
        json.put("tensors", tensors().toJsonRows());
        return json;
    }

    /**
     * Writes the tables.
     *
     * @param folder made where it is missing
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder) throws IOException {
        EarlierFiles.remove(
                folder,
                "{report.html,check.json}",
                "figures/difference.{svg,csv}",
                "tables/{summary,outputs-*}.{csv,tex}"); // of two dense networks
        outputs().write(folder.resolve("tables"), "outputs");
        tensors().write(folder.resolve("tables"), "tensors");
    }
}
