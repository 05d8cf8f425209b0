package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.evaluation.BoundCheck;
import org.isoloss.evaluation.BoundCheck.Compared;
import org.isoloss.evaluation.BracketCompatibility;
import org.isoloss.evaluation.InfinitesimalAction;
import org.isoloss.evaluation.Quantiles;

/** Measured errors beside estimates of their bounds, and how much of an algebra acts: as tables and a figure. */
public final class BoundsReport {
    private BoundsReport() {}

    /**
     * Sets errors beside estimates of their bounds, for each kind of error and radius.
     *
     * @param name of the setting
     * @param check what was measured
     * @return one kind at one radius a row
     */
    public static Table table(String name, BoundCheck check) {
        List<Line> lines = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (int radius = 0; radius < check.radii().size(); radius++) {
                lines.add(
                        new Line(kind, check.radii().get(radius), kind.of(check).at(radius, check.samples())));
            }
        }
        return Table.<Line>of(
                        "%s: errors and estimates of their bounds, medians of %d samples"
                                .formatted(name, check.samples()),
                        lines)
                .add(Column.text("error", "Error"), line -> line.kind.words())
                .add(Column.fixed("radius", "Radius", 1), Line::radius)
                .add(Column.scientific("measured", "Measured", 2), line -> median(line.compared.measured()))
                .add(Column.scientific("sharp", "Sharp estimate", 2), line -> median(line.compared.sharp()))
                .add(Column.scientific("bound", "Path estimate", 2), line -> median(line.compared.bound()))
                .add(Column.scientific("uniform", "Uniform estimate", 2), line -> median(line.compared.uniform()))
                .add(Column.fixed("largest_share", "Largest share", 3), line -> largestShare(line.compared))
                .add(Column.count("exceeded", "Exceeded"), line -> line.compared.exceeded())
                .table();
    }

    private record Line(Kind kind, double radius, Compared compared) {}

    private enum Kind {
        COMPOSITION,
        INVERSE,
        OUTPUT;

        String words() {
            return toString().toLowerCase(Locale.ROOT);
        }

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
     * Lists the constants of the uniform estimates.
     *
     * @param check what was measured
     * @return one constant a row
     */
    public static Table constants(BoundCheck check) {
        return Table.of(
                        "Constants of the uniform estimates, the largest at the places measured on all sampled paths",
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
     * Returns every figure.
     *
     * @param check what was measured
     * @return all samples, and along one curve what has a finite number
     */
    public static List<Figure> figures(BoundCheck check) {
        List<Figure> figures = new ArrayList<>(List.of(samples(check)));
        if (hasFinite(check.curve().output())) {
            figures.add(outputCurve(check.curve()));
        }
        if (hasFinite(check.curve().composition())) {
            figures.add(compositionCurve(check.curve()));
        }
        return figures;
    }

    private static boolean hasFinite(Compared compared) {
        return compared.measured().stream().anyMatch(Double::isFinite);
    }

    /**
     * Draws every sample: its error against the estimate of its bound, with the line that no point should lie below.
     *
     * @param check what was measured
     * @return a logarithmic chart
     */
    public static Figure samples(BoundCheck check) {
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
                series.add(Series.of(kind.words(), Series.Style.POINTS, array(measured), array(bounds)));
            }
        }
        if (series.isEmpty()) {
            least = 1e-16;
            most = 1e-12;
        }
        double[] ends = {least, most};
        series.add(Series.of("estimate = error", Series.Style.REFERENCE, ends, ends));
        return new Figure(
                "bounds",
                "Measured errors and estimates of their bounds",
                "Each point is one sample: the measured error of composition and inverse in units of the parameter scale, and of the outputs in units of the output scale, against the bound along its path, as it is estimated from places on it. A point below the line would be a mistake, or the residuals change between these places. Errors that are exactly zero and bounds that are not finite have no place on logarithmic axes.",
                LineChart.of(
                        Axis.log("measured error", ""),
                        Axis.log("estimate along the path", ""),
                        series.toArray(Series[]::new)));
    }

    /**
     * Draws how the change of the outputs and its bounds grow along one curve.
     *
     * @param curve with a finite measured error
     * @return a line chart over the coefficient t, logarithmic
     */
    public static Figure outputCurve(BoundCheck.Curve curve) {
        return new Figure(
                "bounds-output",
                "Change of the outputs along one curve",
                "The change of the protected outputs along exp(t h) of the first generator, in units of the output scale, and three bounds on it, estimated from places on the path: from the whole derivative of the outputs along the path, from the norms of both residuals along the path, and from constants with the length of the path.",
                chart(curve.times(), curve.output(), "change of the outputs", "$s_F$"));
    }

    /**
     * Draws how the error of composition and its bounds grow along one curve.
     *
     * @param curve with a finite measured error
     * @return a line chart over the coefficient t, logarithmic
     */
    public static Figure compositionCurve(BoundCheck.Curve curve) {
        return new Figure(
                "bounds-composition",
                "Error of composition along one curve",
                "The difference between exp(%s h) followed by exp(t h) and their product, in units of the parameter scale, and three bounds on it, estimated from places on the path: from the difference of the two transport residuals along the path, from the sum of their norms, and from constants with the length of the path."
                        .formatted(curve.before()),
                chart(curve.times(), curve.composition(), "error of composition", "s_theta"));
    }

    private static LineChart chart(List<Double> times, Compared compared, String quantity, String unit) {
        return new LineChart(
                Axis.linear("coefficient $t$", ""),
                Axis.log(quantity, unit),
                Series.present(List.of(
                        line("measured", times, compared.measured()),
                        line("sharp estimate", times, compared.sharp()),
                        line("path estimate", times, compared.bound()),
                        line("uniform estimate", times, compared.uniform()))));
    }

    private static Optional<Series> line(String name, List<Double> times, List<Double> values) {
        return Series.over(name, IntStream.range(0, times.size()).boxed().toList(), times::get, values::get);
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
        if (action.adjoint().isPresent()) {
            Quantiles residual = action.adjoint().get().residual();
            table = table.row("adjoint residual, median", "%.1e".formatted(residual.p50()))
                    .row("adjoint residual, 95th percentile", "%.1e".formatted(residual.p95()))
                    .row("adjoint residual, largest", "%.1e".formatted(residual.max()));
        }
        return table;
    }
}
