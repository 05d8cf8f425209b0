package org.isoloss.discovery;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.autodiff.Words;

/** A recorded training loss, and what has to be drawn for it before each step. */
sealed interface TrainingLoss permits DisplacementLoss, ConjugatedLoss, BatchedLoss {
    /** The weighted sum of all terms, recorded last. */
    Tensor loss();

    List<RecordedLoss.LossTerm> terms();

    /** The original points theta; shape (batch, p). */
    Tensor originals();

    Words words();

    /** Pairs of words that may be made inverse to each other: where the first factors begin, and where the second. */
    default List<InversePairs> inversePairs() {
        return List.of(); // the law holds by construction
    }

    /** Sets the test direction of each sample, as the index of a generator. */
    default void setDirections(int[] chosen) {
        // there is one generator
    }

    /**
     * Draws the protected batches, where each sample has its own.
     *
     * @param random the stream of the step; modified
     * @param program of the recording; its inputs are modified
     */
    default void drawBatches(SplittableRandom random, Program program) {
        // one batch, which the target knows
    }

    /** Words {@code inner + i} act first, {@code outer + i} second, for each sample i; a share of them is made inverse. */
    record InversePairs(int inner, int outer, double share) {}
}
