package org.isoloss.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.Evaluator;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.lie.GroupWord;
import org.isoloss.report.Provenance;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.DataSource;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.InputTable;
import org.isoloss.task.Recipes;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.isoloss.task.WeightEdit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** The main job from end to end, on the shipped digits network. */
@Command(
        name = "demo",
        description =
                "Finds a symmetry of a shipped, trained network, says how exact it is, writes edited weights, and shows what moved.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    /** How far along the action the weights are moved. */
    private static final double COEFFICIENT = 0.5;

    /** The last of the data, which the network was not trained on. */
    private static final List<Integer> TEST_ROWS = List.of(1347, 1797);

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Option(names = "--set", hidden = true, paramLabel = "KEY=VALUE", description = "Changes one value of the task.")
    private Map<String, String> changes = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        long begin = System.nanoTime();
        Path examples = Home.examples();
        Task task = TaskFile.read(examples.resolve("digits.yaml"), changes).resolved(examples);
        long seed = shared.seed(101);
        Path out = shared.out(Path.of("runs", "demo"));
        Recipe recipe = Recipes.of(task);
        DenseSetting setting = Setting.of(task, examples).dense();
        RunDirectory run = RunDirectory.create(out, TaskFile.write(task), seed);
        RunBase.keep(setting, out);

        TrainingKernel.announce(spec);
        say("1 of 3: learning an action of one moving and %d compensating hidden units"
                .formatted(setting.inputs().rows()));
        learn(recipe, setting, run);

        say("2 of 3: testing it");
        Evaluation evaluation = Evaluator.of(JudgedAction.of(run.action(), setting.problem()))
                .grid(EvaluationGrid.DECLARED)
                .fresh(setting.freshTarget().orElseThrow())
                .reference(setting.reference().orElseThrow())
                .run(Streams.TEST.stream(seed));
        evaluation.writeTo(out.resolve("evaluation.json"));

        say("3 of 3: moving the weights by exp(%s h) and writing them".formatted(COEFFICIENT));
        Path edited = out.resolve("edited.safetensors");
        WeightEdit edit = ApplyCommand.write(
                ApplyCommand.planned(setting, run.action(), GroupWord.exp(COEFFICIENT)), setting, edited);
        DataSource data = task.data();
        InputTable test = InputTable.read(data.withRows(TEST_ROWS), examples);
        DemoResult result = DemoResult.of(setting, evaluation, edit, test, COEFFICIENT);
        Provenance provenance = TrainingKernel.in(
                RunProvenance.of(run, task, "demo", "--seed", Long.toString(seed), "--out", out.toString()));
        provenance.write(out.resolve("provenance.json"));
        result.write(out, provenance);
        print(result, out, (System.nanoTime() - begin) * 1e-9);
        return ExitCode.DONE;
    }

    private void say(String line) {
        if (!shared.quiet()) {
            spec.commandLine().getErr().println(line);
        }
    }

    private void learn(Recipe recipe, Setting setting, RunDirectory run) throws Exception {
        if (run.isFinished()) {
            say("        (already learned; remove %s to learn again)".formatted(run.folder()));
            return;
        }
        try (StepProgress progress = new StepProgress(
                "learning", recipe.steps(), shared.quiet(), spec.commandLine().getErr())) {
            Fit.Outcome outcome = SeedFits.fit(setting, recipe, run, progress);
            if (!outcome.isUsable()) {
                throw new UnusableResultException("the fit stopped at step %d: %s became infinite or NaN"
                        .formatted(outcome.step(), outcome.reason().orElse("the loss")));
            }
        }
    }

    private void print(DemoResult result, Path out, double seconds) throws Exception {
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = result.toJson();
            json.put("seconds", Math.round(10 * seconds) / 10.0);
            json.put("run", out.toString());
            print.println(JsonMapper.shared().writeValueAsString(json));
            return;
        }
        print.print(result.summary().toText());
        print.printf("%nreport:  %s%nweights: %s%n", out.resolve("report.html"), out.resolve("edited.safetensors"));
        if (Arrays.stream(result.protectedDrift()).anyMatch(Double::isNaN)) {
            throw new UnusableResultException("an output of the edited network is not a number");
        }
    }
}
