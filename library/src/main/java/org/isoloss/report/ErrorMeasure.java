package org.isoloss.report;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.isoloss.evaluation.ErrorCell;

/**
 * One number by which tables that list many evaluations say how exact an action is in a cell of the finite-action tests: medians
 * of motion, 95th percentiles of the rest.
 *
 * @param column where it stands
 * @param of takes it from a cell
 */
public record ErrorMeasure(Column column, ToDoubleFunction<ErrorCell> of) {
    /** What every evaluation has. */
    public static final List<ErrorMeasure> ALWAYS = List.of(
            new ErrorMeasure(
                    Column.fixed("motion_percent", "Motion (%)", 2),
                    cell -> cell.motionPercent().p50()),
            new ErrorMeasure(
                    Column.scientific("output", "Output/s_F", 2),
                    cell -> cell.output().p95()),
            new ErrorMeasure(
                    Column.scientific("composition", "Composition", 2),
                    cell -> cell.composition().p95()),
            new ErrorMeasure(
                    Column.scientific("inverse", "Inverse", 2),
                    cell -> cell.inverse().p95()),
            new ErrorMeasure(
                    Column.scientific("transport", "Transport", 2),
                    cell -> cell.transport().p95()),
            new ErrorMeasure(
                    Column.scientific("subdivision", "Subdivision", 2),
                    cell -> cell.subdivision().p95()));

    /** What is measured where moving and compensating units are told apart. */
    public static final List<ErrorMeasure> AT_SITES = List.of(
            new ErrorMeasure(
                    Column.scientific("cancellation", "Cancellation", 2),
                    cell -> cell.cancellation().orElseThrow().p95()),
            new ErrorMeasure(
                    Column.scientific("moving_change", "Moving change", 2),
                    cell -> cell.movingChange().orElseThrow().p50()));

    /**
     * Says whether a cell has the measures of {@link #AT_SITES}.
     *
     * @param cell of an evaluation
     * @return whether its target tells moving and compensating units apart
     */
    public static boolean isAtSite(ErrorCell cell) {
        return cell.cancellation().isPresent() && cell.movingChange().isPresent();
    }
}
