package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.isoloss.report.Provenance;
import org.isoloss.sweep.FitAndEvaluation;
import org.isoloss.sweep.Sweep;
import org.isoloss.sweep.SweepFolder;
import org.isoloss.sweep.SweepPage;
import org.isoloss.sweep.SweepRow;
import org.isoloss.sweep.SweepRun;
import org.isoloss.sweep.SweepTable;
import org.isoloss.sweep.SweepWork;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Makes one fit for every combination of what a file lists. */
@Command(
        name = "sweep",
        description =
                "Fits and evaluates every combination of models, layers, prefixes, protected inputs, recipes and seeds that a file lists;"
                        + " one table and one page.",
        mixinStandardHelpOptions = true)
final class SweepCommand implements Callable<Integer> {
    private static final int MOST_LINES = 40;
    private static final int MOST_FAILURES = 5;

    @Spec
    private CommandSpec spec;

    @Mixin
    private final PrintOptions print = new PrintOptions();

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Parameters(paramLabel = "SWEEP.yaml", description = "A task and lists of what varies.")
    private Path file = Path.of("sweep.yaml");

    @Option(names = "--out", paramLabel = "DIR", description = "Where everything goes; runs/NAME where left out.")
    private @Nullable Path out;

    @Mixin
    private final ThreadsOption threads = new ThreadsOption();

    @Option(names = "--resume", description = "Go on in a folder that has fits of this sweep: what is done stays.")
    private boolean resume;

    @Option(
            names = "--empty",
            description = "Make no fit, to measure what all else costs on a disk or a cluster; in a folder of its own.")
    private boolean empty;

    @ArgGroup
    private final Part part = new Part();

    /** What to do instead of everything. */
    private static final class Part {
        @Option(names = "--list", description = "Print one line a fit, with its number, and do nothing.")
        private boolean list;

        @Option(
                names = "--index",
                paramLabel = "N",
                converter = FitNumbers.Converter.class,
                description =
                        "Make only fit N, or N..M as far as there are fits, as one of many processes that share the folder.")
        private @Nullable FitNumbers index;

        @Option(names = "--table", description = "Make no fit: write the table and the page of those that are there.")
        private boolean table;
    }

    @Override
    public Integer call() throws Exception {
        requireUsed();
        Sweep sweep = Sweep.read(file);
        if (part.list) {
            return list(sweep);
        }
        Path folder = out == null ? Path.of("runs", sweep.name()) : out;
        return part.index == null ? whole(sweep, folder) : some(sweep, folder, part.index);
    }

    private void requireUsed() {
        if (part.list) {
            Notices.requireUnused(spec, "--list makes no fit and", "--out", "--threads", "--resume", "--empty");
            requireNoFigures("--list");
        } else if (part.table) {
            Notices.requireUnused(spec, "--table makes no fit and", "--threads", "--resume", "--empty");
        } else if (part.index != null) {
            Notices.requireUnused(spec, "--index goes on where a fit was begun and", "--resume");
            requireNoFigures("--index");
        }
    }

    private void requireNoFigures(String option) {
        Notices.requireUnused(
                spec, option + " draws nothing and", "--figure-width", "--figure-formats", "--figure-titles");
    }

    private int list(Sweep sweep) {
        PrintWriter lines = spec.commandLine().getOut();
        for (int number = 1; number <= sweep.size(); number++) {
            if (print.isJson()) {
                Map<String, Object> fit = new LinkedHashMap<>();
                fit.put("fit", number);
                for (int i = 0; i < sweep.variations().size(); i++) {
                    fit.put(
                            sweep.variations().get(i).key(),
                            sweep.labels(number).get(i));
                }
                lines.println(JsonMapper.shared().writeValueAsString(fit));
            } else {
                lines.printf("%d  %s%n", number, sweep.describe(number));
            }
        }
        return ExitCode.DONE;
    }

    private int some(Sweep sweep, Path folder, FitNumbers index) throws Exception {
        if (index.first() > sweep.size()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--index: there is no fit %d, the sweep has %d".formatted(index.first(), sweep.size()));
        }
        List<Integer> numbers = IntStream.rangeClosed(index.first(), Math.min(index.last(), sweep.size()))
                .boxed()
                .toList();
        long steps = 0;
        for (int number : numbers) {
            steps += sweep.steps(number);
        }
        SweepFolder joined = SweepFolder.join(folder, sweep);
        List<SweepRow> rows = make(new SweepRun(sweep, joined, work()), numbers, steps);
        PrintWriter lines = spec.commandLine().getOut();
        rows.forEach(row -> lines.println(
                print.isJson()
                        ? row.toJson()
                        : "fit %d (%s): %s"
                                .formatted(
                                        row.fit(),
                                        sweep.describe(row.fit()),
                                        row.reason().isEmpty()
                                                ? row.outcome().describe()
                                                : row.outcome().describe() + ": " + row.reason())));
        return rows.stream().anyMatch(row -> row.outcome().isFailure()) ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private int whole(Sweep sweep, Path folder) throws Exception {
        if (part.table && !SweepFolder.isBegun(folder)) {
            throw new IllegalArgumentException("%s has no sweep; make it first, without --table".formatted(folder));
        }
        int[] steps =
                part.table ? new int[0] : sweep.steps(); // before any folder: a refused sweep leaves nothing behind
        boolean begun = SweepFolder.isBegun(folder);
        SweepFolder joined = SweepFolder.join(folder, sweep);
        var run = new SweepRun(sweep, joined, work());
        try (AutoCloseable _ = joined.claimWhole()) {
            if (!part.table) {
                make(sweep, run, steps, begun);
            }
            List<SweepRow> rows = run.rows();
            var table = new SweepTable(sweep, rows);
            SweepPage.write(sweep, table, provenance(sweep), folder);
            say(sweep, table, folder);
            return table.failed().isEmpty() ? ExitCode.DONE : ExitCode.UNUSABLE;
        }
    }

    private void make(Sweep sweep, SweepRun run, int[] steps, boolean begun) throws Exception {
        List<Integer> missing = run.toMake(begun, resume);
        long left = 0;
        for (int number : missing) {
            left += steps[(number - 1) / sweep.seeds()];
        }
        make(run, missing, left);
    }

    private List<SweepRow> make(SweepRun run, List<Integer> numbers, long steps) throws Exception {
        TrainingKernel.announce(spec);
        PrintWriter err = spec.commandLine().getErr();
        String what = "%s, %d fits".formatted(run.sweep().name(), numbers.size());
        int workers = threads.threads();
        try (var progress = new StepProgress(
                what, steps, "steps", Duration.ofSeconds(5), print.quiet(), err, JobProgress.current())) {
            return run.make(numbers, workers, progress::advance);
        }
    }

    private SweepWork work() {
        return empty ? SweepWork.EMPTY : new FitAndEvaluation();
    }

    private Provenance provenance(Sweep sweep) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fits", Integer.toString(sweep.size()));
        sweep.variations()
                .subList(0, sweep.variations().size() - 1)
                .forEach(variation -> settings.put(variation.key(), variation.describe()));
        return TrainingKernel.in(CommandProvenance.of(spec, settings, sweep.seedValues(), sweep.files()));
    }

    private void say(Sweep sweep, SweepTable table, Path folder) {
        PrintWriter lines = spec.commandLine().getOut();
        if (print.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("sweep", sweep.name());
            json.put("folder", folder.toString());
            json.put("fits", sweep.size());
            json.put("made", table.made().size());
            json.put("meet_every_tolerance", table.fitting());
            json.put("failures", table.failed().size());
            lines.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            lines.print(table.combinations(MOST_LINES).toText());
            int more = sweep.size() / sweep.seeds() - MOST_LINES;
            if (more > 0) {
                lines.printf("and %d more%n", more);
            }
            lines.printf("%n%s: %s, in %s%n", sweep.name(), SweepPage.words(sweep, table), folder);
        }
        List<String> failures = new ArrayList<>();
        table.failed().stream()
                .limit(MOST_FAILURES)
                .forEach(row ->
                        failures.add("fit %d (%s): %s".formatted(row.fit(), sweep.describe(row.fit()), row.reason())));
        if (table.failed().size() > MOST_FAILURES) {
            failures.add("and %d more failures, in %s"
                    .formatted(table.failed().size() - MOST_FAILURES, folder.resolve("tables/failures.csv")));
        }
        Notices.print(spec, failures);
    }
}
