package org.isoloss.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.symmetry.Alignment;
import org.isoloss.task.Barrier;

/**
 * Two networks aligned, as table, picture and JSON.
 *
 * @param alignment of the first network to the second
 * @param outputs how much the outputs of the two differ, relative to the largest
 * @param isSame whether they are the same up to symmetry
 * @param bound how near weights must come for that, over the norm of the second's
 * @param before what is met between the two as they are
 * @param after what is met between them once the first is moved
 */
public record AlignmentReport(
        Alignment alignment, double outputs, boolean isSame, double bound, Barrier before, Barrier after) {
    /** {@return distance and barriers before and after} */
    public Table table() {
        Table table = Table.of(
                "The first network moved towards the second",
                Column.text("what", "What"),
                Column.scientific("before", "Before", 2),
                Column.scientific("after", "After", 2));
        table = table.row("distance of the weights, over their norm", alignment.before(), alignment.after())
                .row("barrier of the outputs", before.height(), after.height());
        return before.losses().isEmpty()
                ? table
                : table.row("barrier of the loss", before.lossHeight(), after.lossHeight());
    }

    /** {@return in one line whether they are the same} */
    public String verdict() {
        return isSame
                ? "the same up to symmetry: weights to %.1e of their norm (at most %.1e), outputs to %.1e"
                        .formatted(alignment.after(), bound, outputs)
                : "not the same up to the symmetries found: weights %.1e apart (same below %.1e), outputs differ by %.1e of the largest"
                        .formatted(alignment.after(), bound, outputs);
    }

    /** {@return the barriers on the straight line} */
    public Figure figure() {
        boolean hasLoss = !before.losses().isEmpty();
        return new Figure(
                "barrier",
                "On the straight line between the networks",
                verdict() + ".",
                LineChart.of(
                        Axis.linear("share of the way to the second network", ""),
                        Axis.linear(hasLoss ? "loss" : "difference of the outputs from those in between", ""),
                        series("as they are", before, hasLoss),
                        series("aligned", after, hasLoss)));
    }

    private static Series series(String name, Barrier barrier, boolean hasLoss) {
        return Series.of(
                name,
                Series.Style.LINE,
                numbers(barrier.points()),
                numbers(hasLoss ? barrier.losses() : barrier.outputs()));
    }

    private static double[] numbers(List<Double> list) {
        return list.stream().mapToDouble(x -> x).toArray();
    }

    /** {@return everything for a JSON writer} */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("same", isSame);
        json.put("distance_before", alignment.before());
        json.put("distance_after", alignment.after());
        json.put("distance_bound", bound);
        json.put("outputs_differ", outputs);
        json.put("element_changes_outputs", alignment.change());
        json.put("output_barrier_before", before.height());
        json.put("output_barrier_after", after.height());
        if (!before.losses().isEmpty()) {
            json.put("loss_barrier_before", before.lossHeight());
            json.put("loss_barrier_after", after.lossHeight());
            json.put("losses_before", before.losses());
            json.put("losses_after", after.losses());
        }
        json.put("points", before.points());
        json.put("outputs_before", before.outputs());
        json.put("outputs_after", after.outputs());
        return json;
    }
}
