package org.isoloss.sweep;

import java.util.List;
import org.isoloss.task.Task;

/**
 * One fit of a sweep: one value of each thing that varies.
 *
 * @param number from 1, in the order of the lists, seeds fastest
 * @param labels what the table calls the values, one a {@link Variation}
 * @param task resolved
 * @param seed of the fit
 */
public record SweepFit(int number, List<String> labels, Task task, long seed) {
    /** Keeps a list of its own. */
    public SweepFit {
        labels = List.copyOf(labels);
    }
}
