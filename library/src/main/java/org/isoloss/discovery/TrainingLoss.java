package org.isoloss.discovery;

import java.util.List;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;

/** A recorded training loss, and what has to be drawn for it before each step. */
sealed interface TrainingLoss permits DisplacementLoss, ConjugatedLoss {
    /** The weighted sum of all terms, recorded last. */
    Tensor loss();

    List<RecordedLoss.LossTerm> terms();

    /** The original points theta; shape (batch, p). */
    Tensor originals();

    Words words();

    /** Pairs of words that may be made inverse to each other: where the first factors begin, and where the second. */
    List<InversePairs> inversePairs();

    /** Sets the test direction of each sample, as the index of a generator. */
    void setDirections(int[] chosen);

    /** Words {@code inner + i} act first, {@code outer + i} second, for each sample i; a share of them is made inverse. */
    record InversePairs(int inner, int outer, double share) {}
}
