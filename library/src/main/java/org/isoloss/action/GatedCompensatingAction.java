package org.isoloss.action;

import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.GatedBlock;

/**
 * The closed-form action of corollary {@code cor:subnet-compensating-action} on a gated block
 * {@code F_X = U [sigma(W_g X) . (W_u X)]} (appendix {@code app:small-subnetworks-compensation} of the paper): rows of
 * both projections and columns of U of the units C are translated by any Q_g, Q_u and P, and the outgoing weights of k
 * compensating units B keep the output on the batch,
 *
 * <pre>
 *   W_g,C' = W_g,C + Q_g    W_u,C' = W_u,C + Q_u    U_C' = U_C + P    U_B' = U_B + [U_C Z_C - U_C' Z_C'] Z_B^-1
 * </pre>
 *
 * <p>The domain is where the features Z_B of the compensators are invertible; a point where their condition number is
 * above {@link CompensatorFeatures#LARGEST_CONDITION} is refused. The action never leaves the domain, because the rows of
 * the compensators do not move. Parameters are those of {@link GatedBlock#parameters}.
 */
public final class GatedCompensatingAction implements GroupAction {
    private static final String NAME = "GatedCompensatingAction";

    private final GatedBlock block;
    private final CompensatingTranslation translation;

    private GatedCompensatingAction(GatedBlock block, CompensatingTranslation translation) {
        this.block = block;
        this.translation = translation;
    }

    /**
     * Moves every parameter of the units that do not compensate, each by a generator of its own: the additive group of
     * dimension (H - k)(m + 2n).
     *
     * @param block the shape and the activation
     * @param inputs the batch that the block receives, shape (k, n), finite; not modified
     * @param compensators k units, all different; not modified
     * @return the action on all parameters of the block
     */
    public static GatedCompensatingAction of(GatedBlock block, Matrix inputs, int... compensators) {
        int[] others = CompensatingTranslation.others(block.units(), inputs.rows(), compensators, NAME);
        int[] moved = block.incident(others);
        return along(block, inputs, compensators, moved, Matrix.identity(moved.length));
    }

    /**
     * Moves parameters along given directions.
     *
     * @param block the shape and the activation
     * @param inputs the batch that the block receives, shape (k, n), finite; not modified
     * @param compensators k units, all different; not modified
     * @param moved places in the parameter vector, all of units that do not compensate; not modified
     * @param directions one direction (Q_g, Q_u, P) a row, shape (q, moved), finite; copied
     * @return the action of R^q on all parameters of the block
     */
    public static GatedCompensatingAction along(
            GatedBlock block, Matrix inputs, int[] compensators, int[] moved, Matrix directions) {
        int[] others = CompensatingTranslation.others(block.units(), inputs.rows(), compensators, NAME);
        Matrix checked = CompensatingTranslation.directions(directions, moved.length, NAME);
        CompensatingTranslation.requireMovable(moved, block.incident(others), block.parameterCount(), NAME);
        return new GatedCompensatingAction(
                block,
                new CompensatingTranslation(
                        new Gated(block, block.augmented(inputs)), compensators, others, moved, checked));
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

    private record Gated(GatedBlock block, Matrix augmented) implements CompensatedBlock {
        @Override
        public Matrix entering(double[] point) {
            return augmented;
        }

        @Override
        public Matrix features(double[] point, Matrix entering, int... units) {
            return block.withParameters(point).features(entering, units);
        }

        @Override
        public Matrix contribution(double[] point, Matrix entering, int... units) {
            GatedBlock here = block.withParameters(point);
            return here.outgoing(units).times(here.features(entering, units));
        }

        @Override
        public Matrix contributionDerivative(double[] point, double[] velocity, Matrix entering, int... units) {
            GatedBlock here = block.withParameters(point);
            GatedBlock change = block.withParameters(velocity);
            return change.outgoing(units)
                    .times(here.features(entering, units))
                    .plus(here.outgoing(units).times(here.featuresDerivative(change, entering, units)));
        }

        @Override
        public int outgoingIndex(int output, int unit) {
            return block.outgoingIndex(output, unit);
        }
    }
}
