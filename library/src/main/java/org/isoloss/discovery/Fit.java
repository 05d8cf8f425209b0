package org.isoloss.discovery;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** A training run to its end, with metrics, checkpoints and resume. */
public final class Fit {
    /** Steps between two saved states. */
    public static final int CHECKPOINT_EVERY = 1_000;

    /** Steps between two lines of metrics. */
    public static final int LOG_EVERY = 50;

    private final Training training;
    private final Recipe recipe;
    private final RunDirectory directory;
    private final Optional<Validation> selecting;
    private final Optional<Watched> watched;
    private final int checkpointEvery;

    /** What ends a fit early. */
    private record Watched(Validation judge, double margin) {}

    private Fit(
            Training training,
            Recipe recipe,
            RunDirectory directory,
            Optional<Validation> selecting,
            Optional<Watched> watched,
            int checkpointEvery) {
        this.training = training;
        this.recipe = recipe;
        this.directory = directory;
        this.selecting = selecting;
        this.watched = watched;
        this.checkpointEvery = checkpointEvery;
    }

    /** How a fit ended. */
    public enum Stop {
        /** All steps were done. */
        FINISHED,
        /** Validation met every tolerance with the margin asked for. */
        GOOD_ENOUGH,
        /** A number became infinite or NaN. */
        NOT_FINITE
    }

    /**
     * The outcome of a fit.
     *
     * @param stop how it ended
     * @param step steps done
     * @param reason the first term that was not finite, or nothing
     * @param error that validation found at this step; nothing where it did not look
     */
    public record Outcome(Stop stop, int step, Optional<String> reason, OptionalDouble error) {
        /** {@return whether there is a result: false where a number became infinite or NaN} */
        public boolean isUsable() {
            return stop != Stop.NOT_FINITE;
        }
    }

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
     * Prepares a fit.
     *
     * @param training freshly made; its state is modified
     * @param recipe the recipe of the training, whose steps the schedule of the learning rate goes by
     * @param directory receives metrics, states and, after the last step of the recipe, the action
     * @return a fit whose last weights are its result
     */
    public static Fit of(Training training, Recipe recipe, RunDirectory directory) {
        return new Fit(training, recipe, directory, Optional.empty(), Optional.empty(), CHECKPOINT_EVERY);
    }

    /**
     * Lets validation choose the weights that are the result: of those after every 500 steps and the last, the ones with the
     * smallest error.
     *
     * @param judge of the candidates; nothing for the last weights
     * @return the fit with that choice
     */
    public Fit selectedBy(Optional<Validation> judge) {
        return new Fit(training, recipe, directory, judge, watched, checkpointEvery);
    }

    /**
     * Ends the fit when it is good enough: when validation, which looks every 250 steps and at the last, finds an error of at
     * most 1 over a margin. These weights are the result.
     *
     * @param judge of the weights, with error 1 where they just meet every tolerance
     * @param margin by which each must be met, at least 1
     * @return the fit with that end
     */
    public Fit stoppedBy(Validation judge, double margin) {
        return new Fit(
                training, recipe, directory, selecting, Optional.of(new Watched(judge, margin)), checkpointEvery);
    }

    /** Saves states more often, for tests of interruptions. */
    Fit savedEvery(int steps) {
        return new Fit(training, recipe, directory, selecting, watched, steps);
    }

    /**
     * Trains to the end, from the last saved state where there is one.
     *
     * @param progress told of each step
     * @return how it ended; the action is saved where it finished
     * @throws IOException when the folder cannot be written
     */
    public Outcome run(Progress progress) throws IOException {
        return runUntil(Integer.MAX_VALUE, progress);
    }

    /**
     * Trains up to a step, from the last saved state where there is one. A later call goes on, and ends with the bytes of a
     * fit that was never stopped.
     *
     * @param lastStep at least 1; the recipe's own where that comes first
     * @param progress told of each step
     * @return how it ended, FINISHED also where it got to {@code lastStep}
     * @throws IOException when the folder cannot be written
     */
    public Outcome runUntil(int lastStep, Progress progress) throws IOException {
        int last = Math.min(lastStep, recipe.steps());
        Optional<TrainingState> saved = directory.state();
        saved.ifPresent(training::restore);
        directory.keepMetrics(training.stepsDone());
        Optional<ValidationWatch> watch = watch();
        StringBuilder metrics = new StringBuilder();
        while (true) {
            int step = training.stepsDone();
            boolean pausing = step >= last && step < recipe.steps(); // a later call looks at these weights
            OptionalDouble error = watch.isPresent() && !pausing
                    ? watch.get().look(training, !directory.isFinished())
                    : OptionalDouble.empty();
            boolean enough =
                    watch.isPresent() && error.isPresent() && watch.get().isEnough(error.getAsDouble());
            if (enough || step >= last) {
                return ended(enough, metrics, error);
            }
            double loss = training.step();
            if (training.stepsDone() == step) {
                directory.appendMetrics(metrics.toString());
                return new Outcome(Stop.NOT_FINITE, step, Optional.of(firstNotFinite(training.terms())), error);
            }
            if (step % LOG_EVERY == 0 || step == recipe.steps() - 1) {
                metrics.append(line(step, loss, error));
            }
            if (training.stepsDone() % checkpointEvery == 0 || training.stepsDone() == last) {
                save(metrics);
            }
            progress.at(training.stepsDone(), recipe.steps(), loss);
        }
    }

    private Optional<ValidationWatch> watch() throws IOException {
        Optional<Validation> judge = watched.map(Watched::judge).or(() -> selecting);
        if (judge.isEmpty()) {
            return Optional.empty();
        }
        Optional<CheckpointSelection> selection =
                selecting.isPresent() ? Optional.of(CheckpointSelection.in(directory)) : Optional.empty();
        OptionalDouble margin = watched.stream().mapToDouble(Watched::margin).findFirst();
        return Optional.of(new ValidationWatch(judge.get(), selection, margin, recipe.steps()));
    }

    private Outcome ended(boolean enough, StringBuilder metrics, OptionalDouble error) throws IOException {
        if (enough && !directory.isFinished()) {
            save(metrics);
        }
        if (enough || training.stepsDone() >= recipe.steps()) {
            directory.finish(training.action(), training.stepsDone(), enough ? error : OptionalDouble.empty());
        }
        return new Outcome(enough ? Stop.GOOD_ENOUGH : Stop.FINISHED, training.stepsDone(), Optional.empty(), error);
    }

    private void save(StringBuilder metrics) throws IOException {
        directory.appendMetrics(metrics.toString());
        metrics.setLength(0);
        directory.save(training.state());
    }

    /** One line of metrics: all numbers are those of the weights before the step. */
    private String line(int step, double loss, OptionalDouble validationError) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"step\": %d, \"rate\": %.6e, \"loss\": %.6e",
                step,
                recipe.learningRate().at(step, recipe.steps()),
                loss));
        training.terms()
                .forEach((name, value) -> line.append(String.format(Locale.ROOT, ", \"%s\": %.6e", name, value)));
        validationError.ifPresent(error -> {
            if (Double.isFinite(error)) {
                line.append(String.format(Locale.ROOT, ", \"validation\": %.6e", error));
            }
        });
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
