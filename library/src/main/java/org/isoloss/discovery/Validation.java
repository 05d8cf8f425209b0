package org.isoloss.discovery;

import org.isoloss.action.TrainedAction;

/** Judges an action as trained so far, on samples that neither train nor test it. */
@FunctionalInterface
public interface Validation {
    /**
     * Judges an action; the same action has the same error.
     *
     * @param action as trained so far
     * @return its error, least where it is best; NaN or infinite where it is of no use
     */
    double error(TrainedAction action);
}
