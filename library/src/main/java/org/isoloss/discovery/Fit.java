package org.isoloss.discovery;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Runs a training to its end, with metrics, checkpoints and resume. */
public final class Fit {
    /** Steps between two saved states. */
    public static final int CHECKPOINT_EVERY = 1_000;

    /** Steps between two lines of metrics. */
    public static final int LOG_EVERY = 50;

    private Fit() {}

    /** How a fit ended. */
    public enum Stop {
        /** All steps were done. */
        FINISHED,
        /** A number became infinite or NaN. */
        NOT_FINITE
    }

    /**
     * The outcome of a fit.
     *
     * @param stop how it ended
     * @param step steps done
     * @param reason the first term that was not finite, or nothing
     */
    public record Outcome(Stop stop, int step, Optional<String> reason) {}

    /** Told of each step. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Takes note of a step.
         *
         * @param step steps done
         * @param steps of the whole fit
         * @param loss before the step
         */
        void at(int step, int steps, double loss);
    }

    /**
     * Trains to the end, from the last saved state where there is one.
     *
     * @param training freshly made; its state is modified
     * @param recipe the recipe of the training
     * @param directory receives metrics, states and the action
     * @param progress told of each step
     * @return how it ended; the action is saved where it finished
     * @throws IOException when the folder cannot be written
     */
    public static Outcome run(Training training, Recipe recipe, RunDirectory directory, Progress progress)
            throws IOException {
        return runUntil(Integer.MAX_VALUE, training, recipe, directory, progress);
    }

    /**
     * Trains up to a step, from the last saved state where there is one. A later call goes on, and ends with the bytes of a
     * fit that was never stopped.
     *
     * @param lastStep at least 1; the recipe's own where that comes first
     * @param training freshly made; its state is modified
     * @param recipe the recipe of the training, whose steps the schedule of the learning rate goes by
     * @param directory receives metrics, states and, after the last step of the recipe, the action
     * @param progress told of each step
     * @return how it ended, FINISHED also where it was to stop early
     * @throws IOException when the folder cannot be written
     */
    public static Outcome runUntil(
            int lastStep, Training training, Recipe recipe, RunDirectory directory, Progress progress)
            throws IOException {
        return run(training, recipe, directory, progress, lastStep, CHECKPOINT_EVERY);
    }

    static Outcome run(Training training, Recipe recipe, RunDirectory directory, Progress progress, int checkpointEvery)
            throws IOException {
        return run(training, recipe, directory, progress, Integer.MAX_VALUE, checkpointEvery);
    }

    private static Outcome run(
            Training training,
            Recipe recipe,
            RunDirectory directory,
            Progress progress,
            int lastStep,
            int checkpointEvery)
            throws IOException {
        int last = Math.min(lastStep, recipe.steps());
        Optional<TrainingState> saved = directory.state();
        saved.ifPresent(training::restore);
        directory.keepMetrics(training.stepsDone());
        StringBuilder metrics = new StringBuilder();
        while (training.stepsDone() < last) {
            int step = training.stepsDone();
            double loss = training.step();
            if (training.stepsDone() == step) {
                directory.appendMetrics(metrics.toString());
                return new Outcome(Stop.NOT_FINITE, step, Optional.of(firstNotFinite(training.terms())));
            }
            if (step % LOG_EVERY == 0 || step == recipe.steps() - 1) {
                metrics.append(line(step, loss, recipe, training.terms()));
            }
            if (training.stepsDone() % checkpointEvery == 0 || training.stepsDone() == last) {
                directory.appendMetrics(metrics.toString());
                metrics.setLength(0);
                directory.save(training.state());
            }
            progress.at(training.stepsDone(), recipe.steps(), loss);
        }
        if (training.stepsDone() >= recipe.steps()) {
            directory.save(training.action());
        }
        return new Outcome(Stop.FINISHED, training.stepsDone(), Optional.empty());
    }

    private static String line(int step, double loss, Recipe recipe, Map<String, Double> terms) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"step\": %d, \"rate\": %.6e, \"loss\": %.6e",
                step,
                recipe.learningRate().at(step, recipe.steps()),
                loss));
        terms.forEach((name, value) -> line.append(String.format(Locale.ROOT, ", \"%s\": %.6e", name, value)));
        return line.append("}\n").toString();
    }

    private static String firstNotFinite(Map<String, Double> terms) {
        return terms.entrySet().stream()
                .filter(term -> !Double.isFinite(term.getValue()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("gradient");
    }
}
