package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.isoloss.evaluation.BoundCheck;
import org.isoloss.evaluation.BoundCheck.Compared;
import org.isoloss.evaluation.BracketCompatibility;
import org.isoloss.evaluation.InfinitesimalAction;
import org.isoloss.evaluation.Quantiles;

/** Measured errors beside their bounds, and how much of an algebra acts: as tables and a figure. */
public final class BoundsReport {
    private BoundsReport() {}

    /**
     * Sets errors beside bounds, for each kind of error and radius.
     *
     * @param name of the setting
     * @param check what was measured
     * @return one kind at one radius a row
     */
    public static Table table(String name, BoundCheck check) {
        Table table = Table.of(
                "%s: medians of measured errors and their bounds over %d samples; parameters in s_theta, outputs in s_F"
                        .formatted(name, check.samples()),
                Column.text("error", "Error"),
                Column.fixed("radius", "Radius", 1),
                Column.scientific("measured", "Measured", 2),
                Column.scientific("sharp", "Sharp bound", 2),
                Column.scientific("bound", "Path bound", 2),
                Column.scientific("uniform", "Uniform bound", 2),
                Column.fixed("largest_share", "Largest share", 3),
                Column.count("exceeded", "Exceeded"));
        for (Kind kind : Kind.values()) {
            for (int radius = 0; radius < check.radii().size(); radius++) {
                Compared compared = kind.of(check).at(radius, check.samples());
                table = table.row(
                        kind.toString().toLowerCase(Locale.ROOT),
                        check.radii().get(radius),
                        median(compared.measured()),
                        median(compared.sharp()),
                        median(compared.bound()),
                        median(compared.uniform()),
                        largestShare(compared),
                        compared.exceeded());
            }
        }
        return table;
    }

    private enum Kind {
        COMPOSITION,
        INVERSE,
        OUTPUT;

        Compared of(BoundCheck check) {
            return switch (this) {
                case COMPOSITION -> check.composition();
                case INVERSE -> check.inverse();
                case OUTPUT -> check.output();
            };
        }
    }

    private static double median(List<Double> sample) {
        return Quantiles.of(array(sample)).p50();
    }

    private static double[] array(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The measured error over the path bound, where that comes closest. */
    private static double largestShare(Compared compared) {
        double largest = 0;
        for (int i = 0; i < compared.measured().size(); i++) {
            largest = Math.max(
                    largest, compared.measured().get(i) / compared.bound().get(i));
        }
        return largest;
    }

    /**
     * Lists the constants of the uniform bounds.
     *
     * @param check what was measured
     * @return one constant a row
     */
    public static Table constants(BoundCheck check) {
        return Table.of(
                        "Constants of the uniform bounds: the largest on the sampled paths, in directions of norm 1",
                        Column.text("constant", "Constant"),
                        Column.scientific("value", "Value", 2),
                        Column.text("unit", "Unit"))
                .row("identity error, delta", check.constants().identity(), "s_theta")
                .row("transport residual, epsilon_act", check.constants().transport(), "s_theta")
                .row("output residual, epsilon_loss", check.constants().loss(), "s_F")
                .row("growth, K", check.constants().growth(), "1")
                .row("derivative of the outputs, M", check.constants().outputDerivative(), "s_F / s_theta");
    }

    /**
     * Draws every sample: its error against its bound, with the line that no point may lie below.
     *
     * @param check with at least one positive error and a finite bound
     * @return a logarithmic chart
     */
    public static Figure figure(BoundCheck check) {
        List<Series> series = new ArrayList<>();
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (Kind kind : Kind.values()) {
            Compared compared = kind.of(check);
            List<Double> measured = new ArrayList<>();
            List<Double> bounds = new ArrayList<>();
            for (int i = 0; i < compared.measured().size(); i++) {
                double error = compared.measured().get(i);
                double bound = compared.bound().get(i);
                if (error > 0 && Double.isFinite(bound) && Double.isFinite(error)) {
                    measured.add(error);
                    bounds.add(bound);
                    least = Math.min(least, Math.min(error, bound));
                    most = Math.max(most, Math.max(error, bound));
                }
            }
            if (!measured.isEmpty()) {
                series.add(Series.of(
                        kind.toString().toLowerCase(Locale.ROOT), Series.Style.POINTS, array(measured), array(bounds)));
            }
        }
        if (series.isEmpty()) {
            least = 1e-16;
            most = 1e-12;
        }
        double[] ends = {least, most};
        series.add(Series.of("bound = error", Series.Style.REFERENCE, ends, ends));
        return new Figure(
                "bounds",
                "Measured errors and their bounds",
                "Each point is one sample: the measured error of composition and inverse in units of the parameter scale, and of the outputs in units of the output scale, against the bound along its path. No point may lie below the line. Errors that are exactly zero and bounds that are not finite have no place on logarithmic axes.",
                LineChart.of(
                        Axis.log("measured error", ""),
                        Axis.log("bound along the path", ""),
                        series.toArray(Series[]::new)));
    }

    /**
     * Lists kernel, effective algebra and pointwise rank, and how well brackets fit.
     *
     * @param name of the setting
     * @param action what was counted
     * @return one number a row
     */
    public static Table infinitesimal(String name, InfinitesimalAction action) {
        Table table = Table.of(
                        "%s: how much of the algebra acts, at %d points".formatted(name, action.points()),
                        Column.text("quantity", "Quantity"),
                        Column.text("value", "Value"))
                .row("generators", Integer.toString(action.generators()))
                .row("dimension of the algebra that they generate", Integer.toString(action.algebraDimension()));
        if (action.fields().isEmpty()) {
            table = table.row("fields", "not finite");
        } else {
            String rank = action.leastPointwiseRank() == action.largestPointwiseRank()
                    ? Integer.toString(action.largestPointwiseRank())
                    : "%d to %d".formatted(action.leastPointwiseRank(), action.largestPointwiseRank());
            table = table.row("kernel, what moves nothing", Integer.toString(action.kernelDimension()))
                    .row("effective algebra, independent fields", Integer.toString(action.effectiveDimension()))
                    .row("rank at a point, independent directions", rank);
        }
        if (action.brackets().isPresent()) {
            BracketCompatibility brackets = action.brackets().get();
            table = table.row(
                            "bracket residual, median of the worst pair",
                            "%.1e"
                                    .formatted(brackets.pairs().stream()
                                            .mapToDouble(
                                                    pair -> pair.quantiles().p50())
                                            .reduce(0, Math::max)))
                    .row("bracket residual, largest", "%.1e".formatted(brackets.largest()));
        }
        return table;
    }
}
