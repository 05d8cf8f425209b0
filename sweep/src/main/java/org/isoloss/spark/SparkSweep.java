package org.isoloss.spark;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.report.Provenance;
import org.isoloss.sweep.Sweep;
import org.isoloss.sweep.SweepFolder;
import org.isoloss.sweep.SweepPage;
import org.isoloss.sweep.SweepRow;
import org.isoloss.sweep.SweepRun;
import org.isoloss.sweep.SweepTable;

/** {@code isoloss sweep} on a cluster: the fits are Spark's tasks, one each; the driver writes the table and the page. */
public final class SparkSweep {
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

    private final SweepOptions options;
    private final PrintWriter out;
    private final PrintWriter err;

    private SparkSweep(SweepOptions options, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.out = out;
        this.err = err;
    }

    /**
     * Makes the sweep and exits: 0 done, 1 failed with one line that says why, 3 some fits have no result.
     *
     * @param arguments {@code SWEEP.yaml --out DIR [--resume] [--empty]}; not modified
     */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.ROOT);
        PrintWriter out = utf8(FileDescriptor.out);
        PrintWriter err = utf8(FileDescriptor.err);
        int code;
        try {
            code = new SparkSweep(SweepOptions.of(arguments), out, err).run();
        } catch (Exception e) {
            err.println("isoloss: error: " + describe(e));
            code = 1;
        }
        System.exit(code);
    }

    private static PrintWriter utf8(FileDescriptor descriptor) {
        return new PrintWriter(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** What Spark says of a task that failed too often holds the stack of the worker; its first line says what failed. */
    static String describe(Exception failure) {
        String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        String first = message.lines().findFirst().orElse(message);
        int cause = first.lastIndexOf("Exception: ");
        return failure instanceof SparkException && cause >= 0
                ? first.substring(cause + "Exception: ".length())
                : first;
    }

    private int run() throws Exception {
        Sweep sweep = Sweep.read(options.file());
        sweep.steps(); // before any folder: a refused sweep leaves nothing behind
        SparkConf conf = new SparkConf();
        Cluster.requireThere(conf.get("spark.master", "local[*]"));
        boolean begun = SweepFolder.isBegun(options.out());
        SweepRun run = new SweepTask(options).run();
        try (AutoCloseable _ = run.folder().claimWhole()) {
            return run(conf, sweep, run, run.toMake(begun, options.resume()));
        }
    }

    private int run(SparkConf conf, Sweep sweep, SweepRun run, List<Integer> missing) throws IOException {
        SparkSession.Builder builder = SparkSession.builder().appName("isoloss sweep " + sweep.name());
        if (!conf.contains("spark.executor.extraJavaOptions")) {
            builder.config("spark.executor.extraJavaOptions", NATIVE);
        }
        if (!conf.contains("spark.master")) {
            builder.master("local[*]");
        }
        try (SparkSession spark = builder.getOrCreate()) {
            SweepTable table = new SweepTable(sweep, rows(spark, sweep, run, missing));
            SweepPage.write(sweep, table, provenance(sweep, conf), options.out());
            Path tables = options.out().resolve("tables");
            ParquetTable.write(spark, table.fits(), tables.resolve("sweep.parquet"));
            ParquetTable.write(spark, table.failures(), tables.resolve("failures.parquet"));
            out.printf("%s: %s, in %s%n", sweep.name(), SweepPage.words(sweep, table), options.out());
            return table.failed().isEmpty() ? 0 : 3;
        }
    }

    /** The rows that were there, and those that come from the workers. */
    private List<SweepRow> rows(SparkSession spark, Sweep sweep, SweepRun run, List<Integer> missing)
            throws IOException {
        if (missing.isEmpty()) {
            return run.rows();
        }
        spark.sparkContext().addSparkListener(new FitCounter(sweep.name(), missing.size(), err));
        List<String> made = JavaSparkContext.fromSparkContext(spark.sparkContext())
                .parallelize(missing, missing.size())
                .map(new SweepTask(options))
                .collect();
        if (made.size() < sweep.size()) {
            return run.rows();
        }
        List<SweepRow> rows = new ArrayList<>();
        made.forEach(text -> rows.add(SweepRow.fromJson(text, "a worker's row")));
        return rows;
    }

    private Provenance provenance(Sweep sweep, SparkConf conf) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("spark-submit", "isoloss-sweep.jar", options.file().toString(), "--out"));
        command.add(options.out().toString());
        Map<String, String> settings = Map.of("master", conf.get("spark.master", "local[*]"));
        return Provenance.here(
                command,
                settings,
                sweep.seedValues(),
                sweep.files(),
                GemmKernel.chosen().name());
    }
}
