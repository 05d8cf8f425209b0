package org.isoloss.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.isoloss.report.Column;
import org.isoloss.report.Table;
import org.jspecify.annotations.Nullable;

/** Writes tables as Parquet, with the types of their columns. */
final class ParquetTable {
    private ParquetTable() {}

    /** Writes one file, in place of an earlier one. */
    static void write(SparkSession spark, Table table, Path file) throws IOException {
        List<StructField> fields = new ArrayList<>();
        for (Column column : table.columns()) {
            fields.add(DataTypes.createStructField(column.key(), type(column.kind()), true));
        }
        List<Row> rows = new ArrayList<>();
        for (Map<String, @Nullable Object> row : table.toJsonRows()) {
            rows.add(RowFactory.create(
                    row.values().stream().map(ParquetTable::widened).toArray()));
        }
        Path parts = Path.of(file + ".parts");
        spark.createDataFrame(rows, new StructType(fields.toArray(StructField[]::new)))
                .coalesce(1)
                .write()
                .mode("overwrite")
                .parquet(parts.toUri().toString());
        try (Stream<Path> written = Files.list(parts)) {
            Path part = written.filter(path -> path.toString().endsWith(".parquet"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("Spark wrote no Parquet in " + parts));
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        try (Stream<Path> rest = Files.walk(parts)) {
            for (Path path : rest.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    private static @Nullable Object widened(@Nullable Object value) {
        return value instanceof Integer count ? Long.valueOf(count) : value;
    }

    private static DataType type(Column.Kind kind) {
        return switch (kind) {
            case TEXT -> DataTypes.StringType;
            case COUNT -> DataTypes.LongType;
            case FLAG -> DataTypes.BooleanType;
            case NUMBER, SCIENTIFIC, FIXED, PERCENT, RATIO -> DataTypes.DoubleType;
        };
    }
}
