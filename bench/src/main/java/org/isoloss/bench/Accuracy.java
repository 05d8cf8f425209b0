package org.isoloss.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Streams;
import org.isoloss.discovery.Training;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.FiniteActionErrors;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.linalg.GemmKernel;
import org.isoloss.task.Recipes;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import tools.jackson.databind.json.JsonMapper;

/**
 * Trains a setting of the paper and notes, every 250 steps, its three errors on the test stream in float64 and the seconds of
 * training so far: {@code Accuracy TASK.yaml KEY=VALUE,... SEED...}, where the values change the task. Prints one line of JSON a
 * seed. A training that is not noted runs first, so that the JVM has compiled what is timed.
 */
final class Accuracy {
    private static final int EVERY = 250;
    private static final int WARM_UP_STEPS = 400;
    private static final EvaluationGrid GRID = EvaluationGrid.PAPER.part(List.of(0.5), List.of(1));

    private Accuracy() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3) {
            System.err.println("usage: Accuracy TASK.yaml KEY=VALUE,... SEED...");
            System.exit(2);
        }
        Path file = Path.of(arguments[0]).toAbsolutePath();
        Path folder = Path.of(String.valueOf(file.getParent()));
        Map<String, String> changes = new LinkedHashMap<>();
        for (String change : arguments[1].split(",", -1)) {
            int equals = change.indexOf('=');
            changes.put(change.substring(0, equals), change.substring(equals + 1));
        }
        Task task = TaskFile.read(file, changes).resolved(folder);
        Recipe recipe = Recipes.of(task);
        Setting setting = Setting.of(task, folder);
        Training warmUp = new Training(setting.problem(), ObjectiveKind.HYBRID, recipe, 0);
        while (warmUp.stepsDone() < Math.min(WARM_UP_STEPS, recipe.steps())) {
            warmUp.step();
        }
        for (int i = 2; i < arguments.length; i++) {
            long seed = Long.parseLong(arguments[i]);
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("task", task.name());
            line.put("seed", seed);
            line.put("kernel", GemmKernel.chosen().name());
            line.put("checkpoints", fit(setting, recipe, seed));
            System.out.println(JsonMapper.shared().writeValueAsString(line));
        }
    }

    private static List<Map<String, Object>> fit(Setting setting, Recipe recipe, long seed) {
        Training training = new Training(setting.problem(), ObjectiveKind.HYBRID, recipe, seed);
        List<Map<String, Object>> checkpoints = new ArrayList<>();
        double seconds = 0;
        while (training.stepsDone() < recipe.steps()) {
            long start = System.nanoTime();
            int last = Math.min(training.stepsDone() + EVERY, recipe.steps());
            while (training.stepsDone() < last) {
                double loss = training.step();
                if (!Double.isFinite(loss)) {
                    throw new IllegalStateException(
                            "seed %d: the loss became %s at step %d".formatted(seed, loss, training.stepsDone()));
                }
            }
            seconds += 1e-9 * (System.nanoTime() - start);
            ErrorCell cell = FiniteActionErrors.run(
                            JudgedAction.of(training.action(), setting.problem()), GRID, Streams.TEST.stream(seed))
                    .getFirst();
            Map<String, Object> checkpoint = new LinkedHashMap<>();
            checkpoint.put("steps", training.stepsDone());
            checkpoint.put("seconds", seconds);
            checkpoint.put("output", cell.output().p95());
            checkpoint.put("composition", cell.composition().p95());
            checkpoint.put("inverse", cell.inverse().p95());
            checkpoints.add(checkpoint);
        }
        return checkpoints;
    }
}
