package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.BatchedAction;
import org.isoloss.discovery.Training;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.BatchView;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.task.Recipes;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;

/**
 * What one action for many batches costs: the seconds of its training and of a training for one batch at the same site, from the rate
 * of their steps, and the milliseconds from a new batch to moved weights. Prints a line for each setting.
 */
public final class BatchedSpeed {
    private static final double SECONDS = 3;
    private static final int BATCHES = 300;

    /** Settings of many batches, with the one of a single batch. */
    private static final List<List<String>> SETTINGS = List.of(
            List.of("batched-sigmoid-k1", "sigmoid-k1"),
            List.of("batched-sigmoid-k2", "sigmoid-k2"),
            List.of("batched-digits-8", "digits"),
            List.of("batched-neox-layer6-8", "neox-layer6-8"));

    private BatchedSpeed() {}

    /**
     * Measures.
     *
     * @param arguments the folder of the examples; not modified
     * @throws IOException when a task cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        Path examples = Path.of(arguments[0]);
        System.out.println("setting, training (s), training for one batch (s), use on a new batch, median and largest (ms)");
        for (List<String> names : SETTINGS) {
            Setting many = setting(examples, names.getFirst());
            double[] uses = uses(many);
            System.out.printf(
                    Locale.ROOT,
                    "%s, %.1f, %.1f, %.2f, %.2f%n",
                    names.getFirst(),
                    seconds(many),
                    seconds(setting(examples, names.getLast())),
                    uses[uses.length / 2],
                    uses[uses.length - 1]);
        }
    }

    /** All steps are counted, also of a task that may end sooner. */
    private static Setting setting(Path examples, String name) throws IOException {
        Task task = TaskFile.read(examples.resolve(name + ".yaml"), Map.of());
        return Setting.of(
                task.stopMargin().isPresent()
                        ? TaskFile.read(examples.resolve(name + ".yaml"), Map.of("recipe.stop", "null"))
                        : task,
                examples);
    }

    private static Training training(Setting setting) {
        Task task = setting.task();
        return new Training(setting.problem(), task.trainedObjective(), Recipes.of(task), 1);
    }

    private static double seconds(Setting setting) {
        Stopwatch.steps(training(setting), SECONDS); // warm
        double rate = Stopwatch.steps(training(setting), SECONDS).perSecond();
        return Recipes.of(setting.task()).steps() / rate;
    }

    /** Sorted milliseconds from what enters the block to the moved coordinates of the site's own weights; the first half is warm-up. */
    private static double[] uses(Setting setting) {
        SitePool unseen = setting.batches().orElseThrow().unseen().orElseThrow();
        BatchedAction action = (BatchedAction) training(setting).action();
        GroupWord word = GroupWord.exp(0.5);
        SplittableRandom random = new SplittableRandom(1);
        double[] times = new double[BATCHES];
        for (int i = -BATCHES; i < BATCHES; i++) {
            Matrix batch = unseen.batch(random);
            while (!(unseen.condition(batch) <= CompensatorFeatures.LARGEST_CONDITION)) {
                batch = unseen.batch(random);
            }
            long start = System.nanoTime();
            SiteCoordinates site = unseen.coordinates(batch);
            double[] moved = action.on(BatchView.of(site)).apply(word, site.origin());
            double time = 1e-6 * (System.nanoTime() - start);
            if (!Double.isFinite(moved[0])) {
                throw new IllegalStateException("a moved weight is not finite; nothing left to measure");
            }
            if (i >= 0) {
                times[i] = time;
            }
        }
        Arrays.sort(times);
        return times;
    }
}
