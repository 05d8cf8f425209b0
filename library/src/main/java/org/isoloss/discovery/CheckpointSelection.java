package org.isoloss.discovery;

import java.io.IOException;
import org.isoloss.action.TrainedAction;

/**
 * Keeps the weights with the smallest validation error that a fit met, which need not be the last ones (the "checkpoint
 * selection" of appendix {@code app:experimental-protocol}). They lie in the run folder as soon as they are met, so that a
 * fit that goes on after an interruption ends with the bytes of one that was never stopped; of equal errors the earlier counts.
 */
final class CheckpointSelection {
    /** Steps between two candidates; the last step is one, too. */
    static final int EVERY = 500;

    private final RunDirectory directory;
    private double least;

    private CheckpointSelection(RunDirectory directory, double least) {
        this.directory = directory;
        this.least = least;
    }

    /** Begins, or goes on with what an interrupted fit selected. */
    static CheckpointSelection in(RunDirectory directory) throws IOException {
        return new CheckpointSelection(directory, directory.selectedError().orElse(Double.POSITIVE_INFINITY));
    }

    static boolean isCandidate(int step) {
        return step > 0 && step % EVERY == 0;
    }

    /** Keeps weights where their error is less than that of all before. */
    void consider(TrainedAction action, int step, double error) throws IOException {
        if (error < least) {
            directory.saveSelected(action, step, error);
            least = error;
        }
    }
}
