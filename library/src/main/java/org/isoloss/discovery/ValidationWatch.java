package org.isoloss.discovery;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import org.isoloss.action.TrainedAction;

/**
 * Looks at the weights of a fit while it goes on, on samples that serve nothing else: to keep the best of them, to end the fit
 * when they are good enough, or both. What it finds at a step depends on the weights alone, so a fit that goes on after an
 * interruption ends where one that was never stopped does.
 */
final class ValidationWatch {
    /** Steps between two looks of a fit that may end early; the last step is one, too. */
    static final int EVERY = 250;

    private final Validation validation;
    private final Optional<CheckpointSelection> selection;
    private final OptionalDouble most;
    private final int steps;

    /**
     * Prepares the looks at a fit.
     *
     * @param validation judges weights
     * @param selection keeps the best; nothing where the last are the result
     * @param margin by which every tolerance must be met to end the fit; nothing where all steps are done
     * @param steps of the whole fit
     */
    ValidationWatch(Validation validation, Optional<CheckpointSelection> selection, OptionalDouble margin, int steps) {
        this.validation = validation;
        this.selection = selection;
        most = margin.isPresent() ? OptionalDouble.of(1 / margin.getAsDouble()) : margin;
        this.steps = steps;
    }

    /** Judges the weights after a step where that is due, and returns the error. */
    OptionalDouble look(Training training, boolean keep) throws IOException {
        int step = training.stepsDone();
        boolean candidate = selection.isPresent() && (step == steps || CheckpointSelection.isCandidate(step));
        boolean watched = most.isPresent() && step > 0 && (step == steps || step % EVERY == 0);
        if (!candidate && !watched) {
            return OptionalDouble.empty();
        }
        TrainedAction action = training.action();
        double error =
                candidate || step == steps ? validation.error(action) : validation.error(action, most.orElseThrow());
        if (keep && selection.isPresent() && (candidate || isEnough(error))) {
            selection.get().consider(action, step, error);
        }
        return OptionalDouble.of(error);
    }

    /** Tells whether weights with this error end the fit. */
    boolean isEnough(double error) {
        return most.isPresent() && error <= most.getAsDouble();
    }
}
