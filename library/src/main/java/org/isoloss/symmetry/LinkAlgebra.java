package org.isoloss.symmetry;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * The symmetries of a part of a model without parameters, whatever its values: which affine maps of what goes in become affine
 * maps of what comes out, and leave outputs of the model alone. It is a Lie algebra, so that its elements can be followed far
 * from the identity, and the sum of those of the blocks of channels that the part computes apart from each other.
 */
final class LinkAlgebra {
    private final List<Block> blocks;

    private LinkAlgebra(List<Block> blocks) {
        this.blocks = blocks;
    }

    /**
     * The algebra of one block.
     *
     * @param channels for each value those of its channels that belong to the block, n of them
     * @param basis for each element the maps of these channels, shape (n, n + 1)
     */
    record Block(SequencedMap<Value, int[]> channels, List<Map<Value, Matrix>> basis) {}

    /**
     * Finds the algebra; of a part with too many maps to be searched only that of what moves no value of it.
     *
     * @param part without parameters; nothing where it has too many maps
     * @param points all values that are moved
     * @param weights the numbers of what scales
     * @param samples inputs of the model
     * @param seed of the values that go in
     */
    static LinkAlgebra of(
            Optional<Part> part,
            Map<Value, GaugePoint> points,
            Map<Value, double[]> weights,
            List<Map<String, double[]>> samples,
            long seed) {
        return new LinkAlgebra(part.map(own -> new BlockSearch(own, points, weights, samples, seed).found())
                .orElse(List.of()));
    }

    /** The algebras of the blocks of channels that the part computes apart from each other. */
    List<Block> blocks() {
        return blocks;
    }
}
