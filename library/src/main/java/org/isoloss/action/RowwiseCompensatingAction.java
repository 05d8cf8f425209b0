package org.isoloss.action;

import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.RowwiseBlock;

/**
 * The closed-form action of corollary {@code cor:subnet-compensating-action} of the paper on a block with any row-wise
 * activation, such as softmax over the batch: V_C and U_C are translated by any Q and P, and the outgoing weights of k
 * compensating units keep the output. The corollary needs no more of sigma than that no unit's features depend on another
 * unit's incoming weights.
 *
 * <p>The domain is where the features of the compensators are invertible; a point where their condition number is above
 * {@link CompensatorFeatures#LARGEST_CONDITION} is refused. The action never leaves the domain. Parameters are those of
 * {@link RowwiseBlock}.
 */
public final class RowwiseCompensatingAction implements GroupAction {
    private static final String NAME = "RowwiseCompensatingAction";

    private final RowwiseBlock block;
    private final CompensatingTranslation translation;

    private RowwiseCompensatingAction(RowwiseBlock block, CompensatingTranslation translation) {
        this.block = block;
        this.translation = translation;
    }

    /**
     * Moves every parameter of the units that do not compensate, each by a generator of its own: the additive group of
     * dimension (H - k)(m + n).
     *
     * @param block the function to be preserved
     * @param compensators k units, all different; copied
     * @return the action on all parameters of the block
     */
    public static RowwiseCompensatingAction of(RowwiseBlock block, int... compensators) {
        int[] others = CompensatingTranslation.others(block.units(), block.inputCount(), compensators, NAME);
        int[] moved = block.incident(others);
        return new RowwiseCompensatingAction(
                block,
                new CompensatingTranslation(
                        new Rowwise(block), compensators, others, moved, Matrix.identity(moved.length)));
    }

    @Override
    public Generators generators() {
        return translation.generators();
    }

    @Override
    public int parameterCount() {
        return block.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        return translation.apply(this, elements, parameters);
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        return translation.derivative(this, elements, directions, parameters);
    }

    /** The block knows its batch, so nothing enters it. */
    private record Rowwise(RowwiseBlock block) implements CompensatedBlock {
        @Override
        public Matrix entering(double[] point) {
            return Matrix.zeros(0, 0);
        }

        @Override
        public Matrix features(double[] point, Matrix entering, int... units) {
            return block.features(point, units);
        }

        @Override
        public Matrix contribution(double[] point, Matrix entering, int... units) {
            return block.outgoing(point, units).times(block.features(point, units));
        }

        @Override
        public Matrix contributionDerivative(double[] point, double[] velocity, Matrix entering, int... units) {
            return block.outgoing(velocity, units)
                    .times(block.features(point, units))
                    .plus(block.outgoing(point, units).times(block.featuresDerivative(point, velocity, units)));
        }

        @Override
        public int outgoingIndex(int output, int unit) {
            return block.outgoingIndex(output, unit);
        }
    }
}
