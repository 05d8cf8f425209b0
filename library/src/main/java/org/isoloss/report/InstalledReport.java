package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.installation.InstalledCell;
import org.isoloss.installation.InstalledComparison;
import org.isoloss.installation.OutputDrift;
import org.isoloss.installation.StoredCell;
import org.isoloss.installation.Transformation;
import org.jspecify.annotations.Nullable;

/**
 * Learned actions installed at the original weights of a transformer, beside their controls: tables, and the two pictures of
 * figures {@code fig:pythia-controls} and {@code fig:pythia160-controls} of the paper. Everything is the median over seeds of
 * what each seed has over its signed coefficients: 95th percentiles of errors, medians of motion.
 *
 * @param name of the model and the site
 * @param installed one comparison a seed, at least one
 * @param stored by objective, one list of cells a seed
 */
public record InstalledReport(
        String name, List<InstalledComparison> installed, Map<String, List<List<StoredCell>>> stored) {
    /** Copies the lists. */
    public InstalledReport {
        installed = List.copyOf(installed);
        stored = new LinkedHashMap<>(stored);
    }

    private double[] seeds(Transformation kind, double radius, ToDoubleFunction<InstalledCell> of) {
        return installed.stream()
                .mapToDouble(seed -> of.applyAsDouble(seed.cell(kind, radius)))
                .toArray();
    }

    private double median(Transformation kind, double radius, ToDoubleFunction<InstalledCell> of) {
        return Quantiles.of(seeds(kind, radius, of)).p50();
    }

    private @Nullable Double optional(Transformation kind, double radius, ToOptional of) {
        boolean everywhere = installed.stream().allMatch(seed -> of.of(seed.cell(kind, radius)) != null);
        return everywhere ? Double.valueOf(median(kind, radius, cell -> p95(of.of(cell)))) : null;
    }

    private static double p95(@Nullable Quantiles quantiles) {
        return quantiles == null ? Double.NaN : quantiles.p95();
    }

    @FunctionalInterface
    private interface ToOptional {
        @Nullable
        Quantiles of(InstalledCell cell);
    }

    /** {@return the learned action and its controls: one row a radius and transformation} */
    public Table controls() {
        Table table = Table.of(
                "%s: installed at the original weights, %d seed%s: 95th percentiles over 16 signed coefficients"
                        .formatted(name, installed.size(), installed.size() == 1 ? "" : "s"),
                Column.fixed("radius", "Radius", 1),
                Column.text("transformation", "Transformation"),
                Column.fixed("motion_percent", "Motion (%)", 4),
                Column.scientific("relative", "Relative", 2),
                Column.scientific("rms", "RMS", 2),
                Column.scientific("cancellation", "Cancellation", 2),
                Column.scientific("relative_float64", "In float64", 2),
                Column.scientific("continuation", "Continuation", 2),
                Column.scientific("fresh", "Other texts", 2));
        for (double radius : InstalledComparison.RADII) {
            for (Transformation kind : Transformation.values()) {
                table = table.row(
                        radius,
                        kind.label(),
                        median(kind, radius, cell -> cell.motionPercent().p50()),
                        median(kind, radius, cell -> cell.relative().p95()),
                        median(kind, radius, cell -> cell.rms().p95()),
                        median(kind, radius, cell -> cell.cancellation().p95()),
                        optional(kind, radius, cell -> cell.exact().orElse(null)),
                        optional(kind, radius, cell -> cell.continuation().orElse(null)),
                        optional(kind, radius, cell -> cell.fresh().orElse(null)));
            }
        }
        return table;
    }

    /**
     * {@return what float32 does to the outputs of the unedited model, the change that another order of sums makes on the
     * prefix}
     */
    public OutputDrift noise() {
        return installed.getFirst().noise();
    }

    /** {@return how stored weights keep the group law: one row a radius and objective} */
    public Table storedLaw() {
        Table table = Table.of(
                "%s: stored weights, rounded after each application, medians over seeds of 95th percentiles"
                        .formatted(name),
                Column.fixed("radius", "Radius", 1),
                Column.text("objective", "Objective"),
                Column.scientific("motion", "Raw motion", 2),
                Column.fixed("motion_percent", "Motion (%)", 4),
                Column.scientific("composition", "Composition", 2),
                Column.scientific("inverse", "Inverse", 2),
                Column.scientific("rounding", "Rounding alone", 2),
                Column.count("seeds", "Seeds"));
        for (int i = 0; i < InstalledComparison.RADII.size(); i++) {
            int radius = i;
            for (Map.Entry<String, List<List<StoredCell>>> entry : stored.entrySet()) {
                List<List<StoredCell>> seeds = entry.getValue();
                table = table.row(
                        InstalledComparison.RADII.get(radius),
                        entry.getKey(),
                        median(seeds, radius, cell -> cell.motion().p50()),
                        median(seeds, radius, cell -> cell.motionPercent().p50()),
                        median(seeds, radius, cell -> cell.composition().p95()),
                        median(seeds, radius, cell -> cell.inverse().p95()),
                        median(seeds, radius, cell -> cell.rounding().p95()),
                        seeds.size());
            }
        }
        return table;
    }

    private static double[] seeds(List<List<StoredCell>> seeds, int radius, ToDoubleFunction<StoredCell> of) {
        return seeds.stream()
                .mapToDouble(cells -> of.applyAsDouble(cells.get(radius)))
                .toArray();
    }

    private static double median(List<List<StoredCell>> seeds, int radius, ToDoubleFunction<StoredCell> of) {
        return Quantiles.of(seeds(seeds, radius, of)).p50();
    }

    /**
     * Draws both pictures.
     *
     * @param prefix of the names of their files
     * @param words what the caption says of how this was carried out, in brackets; empty for nothing
     * @return outputs over radius, and composition over motion
     */
    public List<Figure> figures(String prefix, String words) {
        String end = words.isEmpty() ? "" : " (%s)".formatted(words);
        List<Series> drifts = new ArrayList<>();
        for (Transformation kind : Transformation.values()) {
            drifts.add(drift(kind));
        }
        double[] ends = {InstalledComparison.RADII.getFirst(), InstalledComparison.RADII.getLast()};
        double[] floor = {noise().relative(), noise().relative()};
        drifts.add(Series.of("float32 noise", Series.Style.REFERENCE, ends, floor));
        List<Series> laws = new ArrayList<>();
        stored.forEach((objective, seeds) -> laws.add(law(objective, seeds)));
        laws.add(rounding(stored.values().iterator().next()));
        return List.of(
                new Figure(
                        prefix + "a",
                        "(a) Preserving protected outputs",
                        "%s, at the original weights: relative change of the complete model's outputs on the protected prefix over the radius that bounds |t|. Learned, the analytic solution for the compensation, the learned incoming change alone, and a random translation that moves as far. 95th percentiles over 16 signed coefficients, medians over seeds; the shading spans the seeds. Dashed: what another order of sums does to the unedited model.%s"
                                .formatted(name, end),
                        new LineChart(
                                Axis.linear("coefficient radius $\\rho$", ""),
                                Axis.log("relative output drift", ""),
                                drifts)),
                new Figure(
                        prefix + "b",
                        "(b) Composing learned transformations",
                        "%s: distance of two installed transformations from their product over the displacement of both, weights rounded after each, over the change of the selected weights. Dashed: the analytic action, which composes exactly, so that this is rounding alone. Radii 0.1, 0.3, 0.5 and 0.8 are the points; 95th percentiles, medians over seeds; the shading spans the seeds.%s"
                                .formatted(name, end),
                        new LineChart(
                                Axis.linear("change of selected weights", "%"),
                                Axis.log("relative composition error", ""),
                                laws)));
    }

    private Series drift(Transformation kind) {
        double[][] edges = new double[3][InstalledComparison.RADII.size()];
        double[] radii = new double[edges[0].length];
        for (int i = 0; i < radii.length; i++) {
            radii[i] = InstalledComparison.RADII.get(i);
            double[] errors = seeds(kind, radii[i], cell -> cell.relative().p95());
            fill(edges, i, errors);
        }
        return Series.of(kind.label(), Series.Style.LINE, radii, edges[1]).withBand(edges[0], edges[2]);
    }

    private static Series law(String objective, List<List<StoredCell>> seeds) {
        double[][] edges = new double[3][InstalledComparison.RADII.size()];
        double[] motion = new double[edges[0].length];
        for (int i = 0; i < motion.length; i++) {
            motion[i] = median(seeds, i, cell -> cell.motionPercent().p50());
            fill(edges, i, seeds(seeds, i, cell -> cell.composition().p95()));
        }
        return Series.of(objective, Series.Style.LINE, motion, edges[1]).withBand(edges[0], edges[2]);
    }

    private static Series rounding(List<List<StoredCell>> seeds) {
        double[] motion = new double[InstalledComparison.RADII.size()];
        double[] errors = new double[motion.length];
        for (int i = 0; i < motion.length; i++) {
            motion[i] = median(seeds, i, cell -> cell.motionPercent().p50());
            errors[i] = median(seeds, i, cell -> cell.rounding().p95());
        }
        return Series.of("rounding alone", Series.Style.REFERENCE, motion, errors);
    }

    private static void fill(double[][] edges, int at, double[] seeds) {
        edges[0][at] = Arrays.stream(seeds).min().orElseThrow();
        edges[1][at] = Quantiles.of(seeds).p50();
        edges[2][at] = Arrays.stream(seeds).max().orElseThrow();
    }

    /**
     * Writes {@code report.html}, and tables and pictures as files.
     *
     * @param folder made where it is missing
     * @param provenance of the comparison
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage page = HtmlPage.of(
                "%s, installed beside controls".formatted(name),
                "What learned edits do to the outputs of the whole model, beside an analytic one, the incoming change alone and a random one that move the weights as far. Changes below %.1e are float32 noise."
                        .formatted(noise().relative()));
        figures("installed-", "").forEach(page::figure);
        page.table("installed", controls()).table("stored", storedLaw()).save(folder, provenance);
        provenance.write(folder.resolve("provenance.json"));
    }
}
