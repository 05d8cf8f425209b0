package org.isoloss.evaluation;

import org.isoloss.linalg.Matrix;
import org.isoloss.model.SplitTarget;

/** Norms of the changes of outputs in units of s_F, of the whole and of the two contributions of a split target. */
final class OutputChange {
    private final double[] total;
    private final double[] moving;
    private final double[] compensating;

    private OutputChange(double[] total, double[] moving, double[] compensating) {
        this.total = total;
        this.moving = moving;
        this.compensating = compensating;
    }

    /** Measures the change from one point to another in each row; row i began at point i mod n, n points given. */
    static OutputChange between(JudgedAction tested, Matrix from, Matrix to) {
        double unit = tested.calibration().outputScale();
        Matrix both = Rows.stacked(from, to);
        int starts = from.rows();
        if (!(tested.target() instanceof SplitTarget target)) {
            return new OutputChange(
                    Rows.norms(change(tested.outputs(both), starts), unit), new double[0], new double[0]);
        }
        Matrix moving = change(JudgedAction.whereFinite(both, target::movingOutputs), starts);
        Matrix compensating = change(JudgedAction.whereFinite(both, target::compensatingOutputs), starts);
        return new OutputChange(
                Rows.norms(moving.plus(compensating), unit), Rows.norms(moving, unit), Rows.norms(compensating, unit));
    }

    private static Matrix change(Matrix beforeAndAfter, int starts) {
        Matrix change = beforeAndAfter.rows(starts, beforeAndAfter.rows()).copy();
        for (int row = 0; row < change.rows(); row++) {
            for (int i = 0; i < change.columns(); i++) {
                change.set(row, i, change.get(row, i) - beforeAndAfter.get(row % starts, i));
            }
        }
        return change;
    }

    double[] total() {
        return total;
    }

    /** Of the moving contribution; empty for a target that is not split. */
    double[] moving() {
        return moving;
    }

    /** The change of the whole relative to those of the parts together; empty for a target that is not split. */
    double[] cancellation() {
        return moving.length == 0 ? moving : CellSamples.relative(total, CellSamples.sum(moving, compensating));
    }
}
