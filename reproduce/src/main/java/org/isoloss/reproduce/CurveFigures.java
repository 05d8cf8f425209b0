package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.report.Axis;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.RunPage;
import org.isoloss.report.Series;

/**
 * Figures 2 and 4: what happens along generated curves.
 *
 * <p>Labels {@code fig:experimental-compensation} and {@code fig:additional-nonlinear-orbits} of the paper.
 */
final class CurveFigures {
    private CurveFigures() {}

    /** The variant that figures show: they have no rows to compare in. */
    private static SettingFits fits(Study study, String setting) throws IOException {
        return study.fits(
                setting, ObjectiveKind.HYBRID, study.protocol().variants().getFirst());
    }

    static Made main(Study study) throws IOException {
        List<Figure> figures = new ArrayList<>();
        figures.add(compensation(study, fits(study, "sigmoid-k1")));
        figures.add(drift(
                "figure2b",
                "(b) Output along tanh curves",
                "tanh network with separated layers, 24 protected inputs",
                study,
                fits(study, "tanh")));
        figures.add(HostResults.figure(study, study.protocol().variants().getFirst(), "figure2c"));
        return Made.of(figures);
    }

    static Made sigmoid(Study study) throws IOException {
        return Made.of(List.of(
                drift(
                        "figure4a",
                        "(a) One protected input",
                        "scalar sigmoid network",
                        study,
                        fits(study, "sigmoid-k1")),
                drift(
                        "figure4b",
                        "(b) Two protected inputs",
                        "sigmoid network with two inputs",
                        study,
                        fits(study, "sigmoid-k2"))));
    }

    /** The illustration that the paper fixes beforehand: the first seed and the first sampled point. */
    private static Figure compensation(Study study, SettingFits fits) {
        Orbits orbits = fits.evaluations()
                .getFirst()
                .map(evaluation -> evaluation.orbits().getFirst())
                .orElseThrow(() -> new IllegalArgumentException(
                        "the first seed of %s diverged, so there is no curve to draw".formatted(fits.setting())));
        Orbits.Contributions parts = orbits.contributions()
                .orElseThrow(() ->
                        new IllegalStateException("%s has no moving and compensating units".formatted(fits.setting())));
        return new Figure(
                "figure2a",
                "(a) Nonlinear compensation",
                "Changes of the two units' contributions u_j sigma(v_j X) and their sum, over the fixed root-mean-square output norm s_F, along one curve of the scalar sigmoid network: opposing changes nearly cancel. Seed %d and its first sampled point. (%s)"
                        .formatted(
                                study.protocol().seeds().getFirst(),
                                study.protocol().words()),
                RunPage.contributions(parts, orbits.times()).chart());
    }

    private static Figure drift(String name, String title, String what, Study study, SettingFits fits) {
        List<Orbits> curves = fits.parts(CurveFigures::curves);
        if (curves.isEmpty()) {
            throw new IllegalArgumentException(
                    "every fit of %s diverged, so there is no curve to draw".formatted(fits.setting()));
        }
        return new Figure(
                name,
                title,
                "Change of the outputs over s_F along generated curves of a %s, beside random translations with as much motion at t = 0.3. Medians over 32 starting points, then over seeds; the shading spans the seeds' medians. At t = 0 the change is zero, where a logarithmic axis leaves a gap. (%s)"
                        .formatted(what, study.protocol().words()),
                LineChart.of(
                        Axis.linear("coefficient $t$", ""),
                        Axis.log("output drift", "$s_F$"),
                        line("learned action", curves, Orbits::learned),
                        line("random translation", curves, Orbits::random)));
    }

    /** Curves that left the numbers cannot be drawn; the tables count their seed. */
    private static Optional<Orbits> curves(Evaluation evaluation) {
        Orbits orbits = evaluation.orbits().getFirst();
        boolean finite = orbits.learned().stream().allMatch(Double::isFinite)
                && orbits.random().stream().allMatch(Double::isFinite);
        return finite ? Optional.of(orbits) : Optional.empty();
    }

    private static Series line(String name, List<Orbits> curves, Function<Orbits, List<Double>> of) {
        List<Double> times = curves.getFirst().times();
        double[] x = new double[times.size()];
        double[] y = new double[x.length];
        double[] low = new double[x.length];
        double[] high = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            int time = i;
            double[] seeds = curves.stream()
                    .mapToDouble(orbits -> of.apply(orbits).get(time))
                    .toArray();
            x[i] = times.get(i);
            y[i] = Quantiles.of(seeds).p50();
            low[i] = Arrays.stream(seeds).min().orElseThrow();
            high[i] = Arrays.stream(seeds).max().orElseThrow();
        }
        return Series.of(name, Series.Style.LINE, x, y).withBand(low, high);
    }
}
