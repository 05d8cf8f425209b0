package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;

/**
 * A gated block as a compensation site sees it: with the rows that a moving unit may change. A feature is linear in the row
 * of the up projection, so that moving this row alone composes trivially; either the gate's row moves, or both (appendix
 * {@code app:small-subnetworks-compensation} of the paper, paragraph "Application to gated feedforward blocks").
 *
 * @param block the three projections
 * @param moving the rows
 */
public record GatedRows(GatedBlock block, MovingRows moving) implements SiteBlock {
    @Override
    public Pointwise activation() {
        return block.activation();
    }

    @Override
    public int units() {
        return block.units();
    }

    @Override
    public int outputWidth() {
        return block.outputWidth();
    }

    @Override
    public Matrix augmented(Matrix inputs) {
        return block.augmented(inputs);
    }

    @Override
    public Matrix features(Matrix augmented, int... units) {
        return block.features(augmented, units);
    }

    @Override
    public Matrix incoming(int... units) {
        Matrix gate = block.gateRows(units);
        if (moving == MovingRows.GATE) {
            return gate;
        }
        Matrix up = block.upRows(units);
        double[] both = Arrays.copyOf(gate.entries(), 2 * gate.entries().length);
        System.arraycopy(up.entries(), 0, both, gate.entries().length, up.entries().length);
        return Matrix.over(2 * units.length, gate.columns(), both);
    }

    @Override
    public GatedRows only(int... units) {
        return new GatedRows(block.only(units), moving);
    }

    @Override
    public Matrix outgoing(int... units) {
        return block.outgoing(units);
    }
}
