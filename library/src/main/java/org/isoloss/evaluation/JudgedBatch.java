package org.isoloss.evaluation;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How an action for many batches did on one of them.
 *
 * @param number from 1, in the order in which the batches were drawn
 * @param condition of the compensating features, infinite where they are dependent
 * @param distance of the batch from the pool of the training, in root mean square inputs; NaN where the pool is all zero
 * @param values what was measured with one factor, 95th percentiles of errors and medians of what must be large; empty where the
 *     batch is left out, because it is not admissible
 * @param missed the requirements that are not met
 * @param fits whether every tolerance is met; false for a batch that is left out
 */
public record JudgedBatch(
        int number,
        double condition,
        double distance,
        Map<Criterion, Double> values,
        List<Criterion> missed,
        boolean fits) {
    /** Keeps its own lists. */
    public JudgedBatch {
        values = Map.copyOf(values);
        missed = List.copyOf(missed);
    }

    /** {@return whether the batch was left out, not admissible} */
    public boolean isLeftOut() {
        return values.isEmpty();
    }

    /**
     * Returns what was measured.
     *
     * @param criterion any
     * @return the number, empty where it was not measured
     */
    public OptionalDouble value(Criterion criterion) {
        Double value = values.get(criterion);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
