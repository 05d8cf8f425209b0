package org.isoloss.symmetry;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.isoloss.model.Moving;

/**
 * What keeps the outputs of a network on a batch, at its weights and to first order: the dimension of all of it, and its parts. Each part is empty where a rank
 * that it needs is undecided.
 *
 * @param families the rank of the verified families, which keep the outputs whatever the inputs
 * @param function the rank of the Jacobian over random inputs
 * @param data the rank of the Jacobian over the batch
 */
public record CensusPoint(int families, JacobianRank function, JacobianRank data) {
    /** Requires the same parameters on both sides. */
    public CensusPoint {
        if (function.parameters() != data.parameters()) {
            throw new IllegalArgumentException(
                    "CensusPoint: %d parameters reach the outputs for random inputs and %d on the data; give data of the shapes that random inputs have"
                            .formatted(function.parameters(), data.parameters()));
        }
    }

    /**
     * Looks at a batch.
     *
     * @param symmetries of the network, over random inputs
     * @param moving the same parameters of the network as it is opened for the batch
     * @param batches the numbers of every input, one batch after the other
     * @return what keeps the outputs on it
     */
    public static CensusPoint of(Symmetries symmetries, Moving moving, List<Map<String, double[]>> batches) {
        return new CensusPoint(
                symmetries.rank(),
                JacobianRank.of(symmetries.spectrum(), symmetries.parameters()),
                JacobianRank.of(moving, batches));
    }

    /** {@return the dimension of all changes that keep the outputs on the batch} */
    public OptionalInt dimension() {
        return data.nullity();
    }

    /** {@return how much of it keeps the outputs for random inputs too, and is in no family} */
    public OptionalInt unexplained() {
        OptionalInt whole = ofFunction();
        return whole.isEmpty() ? whole : OptionalInt.of(whole.getAsInt() - families);
    }

    /** {@return how much of it the batch adds: it keeps the outputs on the batch alone} */
    public OptionalInt ofBatch() {
        OptionalInt whole = ofFunction();
        return whole.isEmpty() || dimension().isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(dimension().getAsInt() - whole.getAsInt());
    }

    /** What keeps all outputs keeps those on the batch: where random inputs miss something that the batch sees, the batch counts. */
    private OptionalInt ofFunction() {
        OptionalInt random = function.nullity();
        return random.isEmpty() || dimension().isEmpty()
                ? random
                : OptionalInt.of(Math.min(random.getAsInt(), dimension().getAsInt()));
    }
}
