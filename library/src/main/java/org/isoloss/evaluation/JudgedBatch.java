package org.isoloss.evaluation;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How an action for many batches did on one of them.
 *
 * @param number from 1, in the order in which the batches were drawn
 * @param condition of the compensating features, infinite where they are dependent
 * @param distance of the batch from the pool of the training, in root mean square inputs
 * @param judged each requirement by name; empty where the batch is left out, because it is not admissible
 * @param measured the deciding cell of one factor; empty where the batch is left out
 * @param fits whether every tolerance is met; false for a batch that is left out
 */
public record JudgedBatch(
        int number,
        double condition,
        OptionalDouble distance,
        Map<String, Requirement> judged,
        Optional<ErrorCell> measured,
        boolean fits) {
    /** {@return whether the batch was left out, not admissible} */
    public boolean isLeftOut() {
        return measured.isEmpty();
    }

    /** {@return the requirements that are not met, by name} */
    public List<String> missed() {
        return judged.entrySet().stream()
                .filter(entry -> !entry.getValue().met())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Returns what was measured with one factor.
     *
     * @param criterion any
     * @return the 95th percentile of an error, or the median of what must be large; empty where it was not measured
     */
    public OptionalDouble value(Criterion criterion) {
        return measured.map(criterion::value).orElse(OptionalDouble.empty());
    }
}
