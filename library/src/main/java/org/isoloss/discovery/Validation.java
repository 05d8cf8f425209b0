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

    /**
     * Judges whether an action is good enough, with less work where it clearly is not.
     *
     * @param action as trained so far
     * @param most the largest error that is good enough
     * @return its error; or, where that is above {@code most}, some number above {@code most} that is no larger than it
     */
    default double error(TrainedAction action, double most) {
        return error(action);
    }
}
