package org.isoloss.flow;

import java.util.Arrays;
import org.isoloss.model.ComputedNumbers;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Numbers;
import org.jspecify.annotations.Nullable;

/** A weight as a narrow type holds it, rounded while it is read: see {@link WeightGrid}. */
public final class RoundedTensor implements ComputedNumbers {
    private static final int PIECE = 1 << 16;

    private final Numbers source;
    private final Dimensions shape;
    private final int axis;
    private final WeightGrid.Kind kind;
    private double @Nullable [] cells;

    /**
     * Wraps a weight.
     *
     * @param source its numbers
     * @param shape of them
     * @param axis of the output channels
     * @param kind the type
     */
    public RoundedTensor(Numbers source, Dimensions shape, int axis, WeightGrid.Kind kind) {
        this.source = source;
        this.shape = shape;
        this.axis = axis;
        this.kind = kind;
    }

    @Override
    public int count() {
        return shape.count();
    }

    @Override
    public void read(int from, double[] target, int at, int count) {
        source.read(from, target, at, count);
        double[] grid = kind == WeightGrid.Kind.BF16 ? new double[0] : cells();
        int stride = shape.strides()[axis];
        int size = shape.size(axis);
        for (int i = 0; i < count; i++) {
            double number = target[at + i];
            double cell = grid.length == 0 ? WeightGrid.ulp(number) : grid[(from + i) / stride % size];
            target[at + i] = WeightGrid.rounded(number, cell);
        }
    }

    /** For each channel how far neighbours lie apart: the largest magnitude over the largest whole number. */
    private synchronized double[] cells() {
        if (cells == null) {
            double[] largest = new double[shape.size(axis)];
            int stride = shape.strides()[axis];
            double[] piece = new double[Math.min(PIECE, shape.count())];
            for (int from = 0; from < shape.count(); from += PIECE) {
                int count = Math.min(piece.length, shape.count() - from);
                source.read(from, piece, 0, count);
                for (int i = 0; i < count; i++) {
                    int channel = (from + i) / stride % largest.length;
                    largest[channel] = Math.max(largest[channel], Math.abs(piece[i]));
                }
            }
            cells = Arrays.stream(largest).map(x -> x / kind.largest()).toArray();
        }
        return cells;
    }
}
