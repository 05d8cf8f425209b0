package org.isoloss.installation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.isoloss.action.GroupAction;
import org.isoloss.autodiff.Precision;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.task.ModelBatch;

/**
 * A learned action installed at a model's own weights, beside its controls (paragraph "Installed weights" of appendix
 * {@code app:experimental-pythia-details} of the paper).
 *
 * @param seed of the fit and of the draws
 * @param cells radius by radius, transformation by transformation
 * @param noise what the float32 outputs of the unedited model move by on the prefix when sums are rounded otherwise
 */
public record InstalledComparison(long seed, List<InstalledCell> cells, OutputDrift noise) {
    /** The radii of the paper. */
    public static final List<Double> RADII = List.of(0.1, 0.3, 0.5, 0.8);

    /** The radius of its tables. */
    public static final double DECLARED = 0.5;

    /** Tells these draws from those of other tests. */
    private static final long DRAWS = 2;

    /** Keeps a list of its own. */
    public InstalledComparison {
        cells = List.copyOf(cells);
    }

    /**
     * Installs and measures.
     *
     * @param site open
     * @param action learned there
     * @param texts to measure on
     * @param seed of the fit
     * @return four radii times four transformations
     * @throws IOException when the model cannot be read
     */
    public static InstalledComparison of(InstallationSite site, GroupAction action, Texts texts, long seed)
            throws IOException {
        Coefficients coefficients = Coefficients.draw(Streams.TEST.stream(seed, DRAWS));
        Transformations transformations =
                Transformations.of(site.coordinates(), action, Streams.VALIDATION.stream(seed, DRAWS));
        List<InstalledCell> cells = new ArrayList<>();
        for (double radius : RADII) {
            for (Transformation kind : Transformation.values()) {
                List<double[]> edits = Arrays.stream(coefficients.first(radius))
                        .mapToObj(t -> site.installed(transformations.at(kind, t)))
                        .toList();
                cells.add(cell(site, texts, kind, radius, edits));
            }
        }
        return new InstalledComparison(seed, cells, site.noise(site.batch()));
    }

    private static InstalledCell cell(
            InstallationSite site, Texts texts, Transformation kind, double radius, List<double[]> edits)
            throws IOException {
        List<OutputDrift> protectedDrift = site.drifts(Precision.FLOAT32, site.batch(), 0, edits);
        Optional<Quantiles> exact = Optional.empty();
        Optional<Quantiles> continuation = Optional.empty();
        Optional<Quantiles> fresh = Optional.empty();
        if (radius == DECLARED) {
            exact = Optional.of(
                    quantiles(site.drifts(Precision.FLOAT64, site.batch(), 0, edits), OutputDrift::relative));
            if (texts.continued().isPresent()) {
                ModelBatch whole = site.batch(texts.continued().get());
                continuation = Optional.of(quantiles(
                        site.drifts(Precision.FLOAT32, whole, texts.prefix().size(), edits), OutputDrift::relative));
            }
            fresh = fresh(site, texts.others(site), edits);
        }
        return new InstalledCell(
                kind,
                radius,
                of(edits, site::motionPercent),
                quantiles(protectedDrift, OutputDrift::relative),
                quantiles(protectedDrift, OutputDrift::rms),
                of(edits, site::cancellation),
                exact,
                continuation,
                fresh);
    }

    /** Averages over the texts for each edit, as the paper does. */
    private static Optional<Quantiles> fresh(InstallationSite site, List<ModelBatch> texts, List<double[]> edits) {
        if (texts.isEmpty()) {
            return Optional.empty();
        }
        double[] sums = new double[edits.size()];
        for (ModelBatch text : texts) {
            List<OutputDrift> drifts = site.drifts(Precision.FLOAT32, text, 0, edits);
            Arrays.setAll(sums, i -> sums[i] + drifts.get(i).relative());
        }
        Arrays.setAll(sums, i -> sums[i] / texts.size());
        return Optional.of(Quantiles.of(sums));
    }

    private static Quantiles quantiles(List<OutputDrift> drifts, ToDoubleFunction<OutputDrift> of) {
        return Quantiles.of(drifts.stream().mapToDouble(of).toArray());
    }

    private static Quantiles of(List<double[]> edits, ToDoubleFunction<double[]> measure) {
        return Quantiles.of(edits.stream().mapToDouble(measure).toArray());
    }

    /**
     * Tests the group law on stored weights: composition and inverse, with rounding after each application, and beside them
     * the composition of an exact action.
     *
     * @param site open
     * @param action learned there
     * @param seed of the fit
     * @return one cell for each of {@link #RADII}
     */
    public static List<StoredCell> stored(InstallationSite site, GroupAction action, long seed) {
        Coefficients coefficients = Coefficients.draw(Streams.TEST.stream(seed, DRAWS));
        Transformations transformations =
                Transformations.of(site.coordinates(), action, Streams.VALIDATION.stream(seed, DRAWS));
        List<StoredCell> cells = new ArrayList<>();
        for (double radius : RADII) {
            double[] first = coefficients.first(radius);
            double[] second = coefficients.second(radius);
            StoredLaw learned = StoredLaw.of(site, transformations::learned, first, second);
            StoredLaw analytic = StoredLaw.of(site, transformations::analytic, first, second);
            cells.add(new StoredCell(
                    radius,
                    learned.motion(),
                    learned.motionPercent(),
                    learned.composition(),
                    learned.inverse(),
                    analytic.composition()));
        }
        return List.copyOf(cells);
    }

    /** Translations of stored weights by one parameter, two in turn against one, and there and back. */
    private record StoredLaw(Quantiles motion, Quantiles motionPercent, Quantiles composition, Quantiles inverse) {
        /** What a coefficient makes of a point. */
        interface Move {
            double[] by(double t, double[] point);
        }

        static StoredLaw of(InstallationSite site, Move move, double[] first, double[] second) {
            int count = first.length;
            double[] motion = new double[count];
            double[] percent = new double[count];
            double[] composition = new double[count];
            double[] inverse = new double[count];
            double[] start = site.original();
            for (int i = 0; i < count; i++) {
                double t = first[i];
                double u = second[i];
                double[] once = site.onward(start, point -> move.by(t, point));
                double[] twice = site.onward(once, point -> move.by(u, point));
                // one generator: the product of the two exponentials is the exponential of the sum
                double[] direct = site.onward(start, point -> move.by(t + u, point));
                double[] back = site.onward(once, point -> move.by(-t, point));
                motion[i] = InstallationSite.distance(start, once);
                percent[i] = site.motionPercent(once);
                composition[i] = InstallationSite.distance(twice, direct)
                        / (motion[i] + InstallationSite.distance(once, twice) + 1e-12);
                inverse[i] = InstallationSite.distance(start, back) / (motion[i] + 1e-12);
            }
            return new StoredLaw(
                    Quantiles.of(motion), Quantiles.of(percent), Quantiles.of(composition), Quantiles.of(inverse));
        }
    }

    /**
     * Finds a cell.
     *
     * @param transformation of the cell
     * @param radius of the cell
     * @return the cell
     */
    public InstalledCell cell(Transformation transformation, double radius) {
        return cells.stream()
                .filter(cell -> cell.transformation() == transformation && cell.radius() == radius)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "InstalledComparison: nothing is %s at radius %s".formatted(transformation.label(), radius)));
    }
}
