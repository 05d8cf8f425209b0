package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.BoundCheck;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.Evaluator;
import org.isoloss.evaluation.ExactFlow;
import org.isoloss.evaluation.InfinitesimalAction;
import org.isoloss.report.BeyondReport;
import org.isoloss.report.BoundsReport;
import org.isoloss.report.RunPage;
import org.isoloss.report.RunProvenance;
import org.isoloss.report.Table;
import org.isoloss.report.Verdict;
import org.isoloss.sweep.TaskFit;
import org.isoloss.task.Recipes;
import org.isoloss.task.Setting;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Says how exact a learned action is. */
@Command(
        name = "evaluate",
        description = "Tests a learned action: outputs, group law, inverse, curves, data dependence.",
        mixinStandardHelpOptions = true)
final class EvaluateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(paramLabel = "RUN", description = "Folder of a run, or of the runs of several seeds.")
    private Path folder = Path.of(".");

    @Option(
            names = "--declared",
            description = "Only the cells by which tolerances judge: radius 0.5, one and two factors.")
    private boolean declared;

    @Option(
            names = "--bounds",
            description =
                    "Also sets measured errors beside estimates of the bounds that follow from the residuals along their paths.")
    private boolean bounds;

    @Option(
            names = "--yardstick",
            description = "Also test the exact flow: a projected field that moves the parameters as far, integrated.")
    private boolean yardstick;

    @Option(
            names = "--unseen",
            arity = "0..1",
            fallbackValue = "64",
            paramLabel = "COUNT",
            description =
                    "Of an action for many batches: judges it on as many batches drawn from the 'unseen' inputs of its"
                            + " task; 64 where no number is given.")
    private @Nullable Integer unseen;

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Option(names = "--require-fit", description = "Exit with 3 unless every run meets every tolerance.")
    private boolean requireFit;

    private final Set<List<String>> told = new HashSet<>();

    @Override
    public Integer call() throws Exception {
        if (unseen != null) {
            return unseen(unseen);
        }
        Map<Long, Evaluation> evaluations = new LinkedHashMap<>();
        List<RunDirectory> runs = Runs.in(folder);
        String name = Runs.task(runs.getFirst()).name();
        for (RunDirectory run : runs) {
            Evaluation evaluation = evaluate(run);
            if (!batch.given()) {
                write(run, evaluation);
            }
            evaluations.put(run.seed(), evaluation);
        }
        EvaluationTable table = new EvaluationTable(name, evaluations);
        Table beyond = BeyondReport.table(name, List.copyOf(evaluations.values()));
        PrintWriter out = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            out.println(JsonMapper.shared().writeValueAsString(summary(table, beyond, evaluations)));
        } else {
            out.print(table.table().toText());
            evaluations.forEach((seed, evaluation) -> {
                Verdict.misses(evaluation).forEach(missed -> out.printf("seed %d misses %s%n", seed, missed));
                evaluation.nonFinite().forEach(what -> out.printf("seed %d is not finite in %s%n", seed, what));
                Verdict.units(evaluation).forEach(line -> out.printf("seed %d: %s%n", seed, line));
            });
            Verdict.advice(evaluations.values()).forEach(out::println);
            evaluations.forEach((seed, evaluation) -> {
                printMore("seed %d".formatted(seed), evaluation, out);
                evaluation
                        .yardstick()
                        .flatMap(ExactFlow::firstStop)
                        .ifPresent(stop -> out.printf("seed %d, a flow stopped: %s%n", seed, stop));
            });
            out.printf("%n%s", beyond.toText());
        }
        out.flush();
        for (RunDirectory run : runs) {
            double beta = Recipes.of(Runs.task(run)).beta();
            Evaluation evaluation = Objects.requireNonNull(evaluations.get(run.seed()));
            Verdict.shrunkFields(evaluation, beta)
                    .forEach(line ->
                            spec.commandLine().getErr().printf("isoloss: warning: seed %d: %s%n", run.seed(), line));
        }
        if (!batch.given()) { // another batch leaves the folder as it is
            table.table().write(folder.resolve("tables"), "evaluation");
            beyond.write(folder.resolve("tables"), "beyond");
        }
        boolean all = evaluations.values().stream().allMatch(Evaluation::fits);
        return requireFit && !all ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private int unseen(int count) throws IOException {
        if (count < 1) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid value for option '--unseen': expected at least 1 batch, got " + count);
        }
        Notices.requireUnused(spec, "--unseen", "--declared", "--bounds", "--yardstick", "--data");
        boolean all = new UnseenEvaluation(spec, shared, count).run(Runs.in(folder));
        return requireFit && !all ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private void write(RunDirectory run, Evaluation evaluation) throws IOException {
        evaluation.writeTo(run.folder().resolve("evaluation.json"));
        RunPage.write(
                Runs.task(run),
                evaluation,
                RunProvenance.of(run, Runs.task(run), line(run)),
                run.folder(),
                run.folder());
    }

    /** The command line of one run. */
    private String[] line(RunDirectory run) {
        List<String> line = new ArrayList<>(List.of("evaluate", run.folder().toString()));
        if (declared) {
            line.add("--declared");
        }
        if (bounds) {
            line.add("--bounds");
        }
        if (yardstick) {
            line.add("--yardstick");
        }
        return line.toArray(String[]::new);
    }

    private static void printMore(String name, Evaluation evaluation, PrintWriter out) {
        evaluation
                .infinitesimalAction()
                .ifPresent(action -> out.printf(
                        "%n%s", BoundsReport.infinitesimal(name, action).toText()));
        evaluation
                .bounds()
                .ifPresent(check -> out.printf(
                        "%n%s%n%s",
                        BoundsReport.table(name, check).toText(),
                        BoundsReport.constants(check).toText()));
    }

    private Evaluation evaluate(RunDirectory run) throws Exception {
        Setting setting = Runs.setting(run, spec, batch);
        if (told.add(setting.notices())) { // once, not for each seed
            Notices.print(spec, setting);
        }
        Evaluator evaluator = TaskFit.evaluator(setting, TaskFit.action(setting, run))
                .grid(declared ? EvaluationGrid.DECLARED : EvaluationGrid.PAPER)
                .beyond()
                .adjoint();
        if (bounds) {
            evaluator = evaluator.bounds(setting.problem().target()::jacobian);
        }
        String seed = "seed %d".formatted(run.seed());
        try (var cells = new PartProgress(seed, "cells", evaluator.cells());
                var curves = new PartProgress(seed + ", exact flow", "curves", evaluator.curves())) {
            evaluator = evaluator.progress(cells::done);
            if (yardstick) {
                evaluator = evaluator.yardstick(setting.problem().target(), curves::done);
            }
            return evaluator.run(Streams.TEST.stream(shared.seed(run.seed())));
        }
    }

    /** Begins when the first part ends: what is tested before it takes another time. */
    private final class PartProgress implements AutoCloseable {
        private static final Duration SOON = Duration.ofSeconds(2);

        private final String what;
        private final String unit;
        private final long parts;
        private final @Nullable JobProgress watched = JobProgress.current(); // parts end in other threads
        private @Nullable StepProgress progress;
        private long seen;
        private boolean closed;

        PartProgress(String what, String unit, long parts) {
            this.what = what;
            this.unit = unit;
            this.parts = parts;
        }

        synchronized void done() {
            if (progress == null) {
                PrintWriter err = spec.commandLine().getErr();
                progress = new StepProgress(what, parts, unit, SOON, shared.quiet(), err, watched);
            }
            progress.advance(1);
            seen++;
            if (seen == parts) {
                close(); // before the next bar begins
            }
        }

        @Override
        public synchronized void close() {
            if (progress != null && !closed) {
                closed = true;
                progress.close();
            }
        }
    }

    private static Map<String, Object> summary(EvaluationTable table, Table beyond, Map<Long, Evaluation> evaluations) {
        Map<String, Object> summary = table.json();
        Map<String, Object> missed = new LinkedHashMap<>();
        evaluations.forEach((seed, evaluation) -> missed.put(Long.toString(seed), evaluation.missed()));
        summary.put("missed", missed);
        summary.put("beyond", beyond.toJsonRows());
        Map<String, Object> algebra = new LinkedHashMap<>();
        Map<String, Object> checks = new LinkedHashMap<>();
        evaluations.forEach((seed, evaluation) -> {
            evaluation.infinitesimalAction().ifPresent(action -> algebra.put(Long.toString(seed), numbers(action)));
            evaluation.bounds().ifPresent(check -> checks.put(Long.toString(seed), numbers(seed, check)));
        });
        if (!algebra.isEmpty()) {
            summary.put("infinitesimal_action", algebra);
        }
        if (!checks.isEmpty()) {
            summary.put("bounds", checks);
        }
        return summary;
    }

    private static Map<String, Object> numbers(InfinitesimalAction action) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("generators", action.generators());
        numbers.put("algebra_dimension", action.algebraDimension());
        numbers.put("kernel_dimension", action.kernelDimension());
        numbers.put("effective_dimension", action.effectiveDimension());
        numbers.put("least_pointwise_rank", action.leastPointwiseRank());
        numbers.put("largest_pointwise_rank", action.largestPointwiseRank());
        action.brackets().ifPresent(brackets -> numbers.put("largest_bracket_residual", brackets.largest()));
        action.adjoint()
                .ifPresent(adjoint -> numbers.put(
                        "largest_adjoint_residual", adjoint.residual().max()));
        return numbers;
    }

    private static Map<String, Object> numbers(long seed, BoundCheck check) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("kind", "estimate"); // rates are measured at places of the path, not enclosed
        numbers.put("exceeded", check.exceeded());
        numbers.put(
                "medians", BoundsReport.table("seed %d".formatted(seed), check).toJsonRows());
        return numbers;
    }
}
