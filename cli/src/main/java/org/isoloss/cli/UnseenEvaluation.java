package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.action.BatchedAction;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.JudgedBatch;
import org.isoloss.evaluation.Tolerances;
import org.isoloss.evaluation.UnseenBatches;
import org.isoloss.network.SitePool;
import org.isoloss.report.BatchesReport;
import org.isoloss.report.Figure;
import org.isoloss.task.BatchedSite;
import org.isoloss.task.Setting;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.json.JsonMapper;

/** The judgement of runs with {@code action: batched} on batches drawn from another pool, as {@code evaluate --unseen} makes it. */
final class UnseenEvaluation {
    private final CommandSpec spec;
    private final SharedOptions shared;
    private final int count;

    UnseenEvaluation(CommandSpec spec, SharedOptions shared, int count) {
        this.spec = spec;
        this.shared = shared;
        this.count = count;
    }

    /**
     * Judges runs, and writes tables, figures and {@code unseen.json} into each.
     *
     * @return whether each fits on every batch
     */
    boolean run(List<RunDirectory> runs) throws IOException {
        boolean all = true;
        List<Map<String, Object>> json = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        for (RunDirectory run : runs) {
            Setting setting = Runs.setting(run);
            BatchesReport report = new BatchesReport(setting.task().name(), judge(setting, run));
            write(report, run.folder());
            all &= report.fits() == count;
            if (shared.format() == OutputFormat.JSON) {
                Map<String, Object> one = report.json();
                one.put("seed", run.seed());
                json.add(one);
            } else {
                out.printf("%s%nseed %d %s%n", report.summary().toText(), run.seed(), report.verdict());
            }
        }
        if (shared.format() == OutputFormat.JSON) {
            out.println(JsonMapper.shared().writeValueAsString(Map.of("runs", json)));
        }
        out.flush();
        return all;
    }

    private List<JudgedBatch> judge(Setting setting, RunDirectory run) throws IOException {
        BatchedSite site = setting.batches()
                .orElseThrow(() -> new IllegalArgumentException(
                        "%s: the action is for one batch, and '--unseen' judges an action for many; learn one with 'action: batched'"
                                .formatted(run.folder())));
        SitePool unseen = site.unseen()
                .orElseThrow(() -> new IllegalArgumentException(
                        "%s: the task names no 'unseen' inputs; add them to its file, as 'pool' is given, and discover again"
                                .formatted(run.folder())));
        if (!(run.action() instanceof BatchedAction action)) {
            throw new IllegalArgumentException(
                    "%s: the stored action is of another kind than its task says".formatted(run.folder()));
        }
        UnseenBatches judge = new UnseenBatches(site.pool(), site::problem, EvaluationGrid.DECLARED, Tolerances.PAPER);
        try (StepProgress progress = new StepProgress(
                "seed %d".formatted(run.seed()),
                count,
                "batches",
                Duration.ofSeconds(2),
                shared.quiet(),
                spec.commandLine().getErr(),
                JobProgress.current())) {
            return judge.judge(
                    action, unseen, count, () -> progress.advance(1), Streams.TEST.stream(shared.seed(run.seed())));
        }
    }

    private static void write(BatchesReport report, Path folder) throws IOException {
        AtomicFile.writeText(
                folder.resolve("unseen.json"), JsonMapper.shared().writeValueAsString(report.json()) + "\n");
        report.summary().write(folder.resolve("tables"), "unseen");
        report.table().write(folder.resolve("tables"), "unseen-batches");
        for (Figure figure : report.figures()) {
            figure.write(folder.resolve("figures"));
        }
    }
}
