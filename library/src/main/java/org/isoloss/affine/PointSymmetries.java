package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ModelTarget;

/**
 * The directions in which one network may move without changing its outputs on one batch, to first order: the null space of
 * the Jacobian there. It says nothing about other weights or other inputs.
 */
public final class PointSymmetries {
    private static final int MOST_PARAMETERS = 6_000;
    private static final int OVERSAMPLED = 20;
    private static final double CLEAR = 1e4;
    private static final double RETAINED = 1e-8;

    /** Rounding leaves less than this of a singular value that is 0; what lies between this and the threshold is neither. */
    private static final double ROUNDING = 1e-11;

    private final int parameterCount;
    private final int outputCount;
    private final double[] relativeValues;
    private final Spectrum spectrum = new Spectrum();
    private final Matrix basis;
    private final List<PointFamily> families;
    private final int explained;
    private final Optional<String> doubt;

    private PointSymmetries(
            int parameterCount,
            int outputCount,
            double[] relativeValues,
            Matrix basis,
            List<PointFamily> families,
            int explained,
            Optional<String> doubt) {
        this.parameterCount = parameterCount;
        this.outputCount = outputCount;
        this.relativeValues = relativeValues;
        this.spectrum.add(relativeValues, 1);
        this.basis = basis;
        this.families = List.copyOf(families);
        this.explained = explained;
        this.doubt = doubt;
    }

    /**
     * Decomposes the Jacobian of a model of any kind, at the numbers that it has. Of dense networks that move whole, kinds of
     * direction are known by name; of others all of the null space is unexplained.
     *
     * @param target with at most 6,000 moving parameters, and its batch
     * @return the null space and what is known about it
     */
    public static PointSymmetries of(ModelTarget target) {
        int p = target.parameterCount();
        if (p > MOST_PARAMETERS) {
            throw new IllegalArgumentException(
                    "%d parameters move, expected at most %d for a basis of the null space; --dimension finds its dimension alone"
                            .formatted(p, MOST_PARAMETERS));
        }
        Optional<PointBatch> dense = PointBatch.of(target);
        if (dense.isPresent()) {
            return of(dense.get());
        }
        Matrix jacobian = target.jacobian(target.origin());
        jacobian.requireFinite("the Jacobian of the model here");
        Equilibration scaling = Equilibration.of(jacobian);
        Svd svd = Svd.of(scaling.reduced());
        double[] relative = relative(svd.singularValues(), p);
        Matrix basis = relative[0] > 0 ? svd.nullSpace(RETAINED) : Matrix.identity(p);
        return new PointSymmetries(
                p, target.outputCount(), relative, scaling.original(basis), List.of(), 0, unclear(relative));
    }

    /**
     * Finds the dimension alone, for as many parameters as there may be: by products of the Jacobian with random directions, a
     * few more than it has rows, which have its rank.
     *
     * @param target any number of moving parameters, and its batch
     * @param random draws the directions; modified
     * @return a result without a basis
     * @see "Halko, Martinsson and Tropp, Finding structure with randomness, SIAM Rev. 53 (2011), section 4"
     */
    public static PointSymmetries dimensionOf(ModelTarget target, SplittableRandom random) {
        int m = target.outputCount();
        Matrix products = target.products(target.origin(), m + OVERSAMPLED, direction -> {
            for (int i = 0; i < direction.length; i++) {
                direction[i] = random.nextGaussian();
            }
        });
        products.requireFinite("the Jacobian of the model here");
        int p = target.parameterCount();
        double[] relative = relative(Svd.valuesOf(Equilibration.of(products).reduced()), p);
        boolean bounded =
                Arrays.stream(relative).filter(value -> value > RETAINED).count() == m;
        Optional<String> unseen = bounded
                ? Optional.empty()
                : PointBatch.of(target)
                        .flatMap(batch -> PointSight.of(batch, batch.isFinite()).concern());
        return new PointSymmetries(
                p,
                m,
                relative,
                Matrix.zeros(p, 0),
                List.of(),
                0,
                unclear(relative).or(() -> unseen));
    }

    /**
     * Why the dimension of a model of any kind is open: networks with attention have directions that change the outputs by as
     * little as 1e-7 of the others, so that a clear gap decides, and no coarser threshold.
     */
    private static Optional<String> unclear(double[] relative) {
        Spectrum spectrum = new Spectrum();
        spectrum.add(relative, 1);
        double gap = spectrum.gap(RETAINED);
        return gap >= CLEAR
                ? Optional.empty()
                : Optional.of(
                        "the gap at threshold %.0e is a factor %.1f, less than %.0e".formatted(RETAINED, gap, CLEAR));
    }

    /** Singular values over the largest, with zeros up to the number of parameters. */
    private static double[] relative(double[] values, int p) {
        double[] relative = new double[p];
        for (int k = 0; k < Math.min(p, values.length) && values[0] > 0; k++) {
            relative[k] = values[k] / values[0];
        }
        return relative;
    }

    private static PointSymmetries of(PointBatch batch) {
        int p = batch.theta().length;
        int m = batch.jacobian().rows();
        boolean finite = batch.isFinite() && Double.isFinite(batch.jacobian().largestMagnitude());
        PointSight sight = PointSight.of(batch, finite);
        if (!finite) {
            return new PointSymmetries(p, m, new double[0], Matrix.zeros(p, 0), List.of(), 0, sight.concern());
        }
        Equilibration scaling = Equilibration.of(batch.jacobian(), batch.units());
        Matrix reduced = scaling.reduced();
        Svd svd = Svd.of(reduced);
        double[] relative = relative(svd.singularValues(), p);
        Matrix basis = relative[0] > 0 ? svd.nullSpace(RETAINED) : Matrix.identity(p);
        List<PointFamily> families = new ArrayList<>();
        Optional<String> refuted = Optional.empty();
        for (PointFamily family : PointFamilies.of(batch, sight)) {
            Optional<PointFamily> confirmed = family.confirmed(scaling, reduced);
            confirmed.ifPresent(families::add);
            if (family.isExact() && family.refutedBy(confirmed)) {
                refuted = Optional.of("%s: a direction that leaves the outputs as they are changes them in float64"
                        .formatted(family.words()));
            }
        }
        int exact = PointFamily.spanned(
                families.stream().filter(PointFamily::isExact).toList(), scaling, basis);
        int rank = p - basis.columns();
        boolean bounded = rank == m || rank + exact == p;
        return new PointSymmetries(
                p,
                m,
                relative,
                batch.restored(scaling.original(basis)),
                families,
                PointFamily.spanned(families, scaling, basis),
                doubt(relative, refuted, bounded ? Optional.empty() : sight.concern(), sight.suspicion()));
    }

    /**
     * Why the dimension is open. A rank that is seen is a lower bound; it is the rank when the output components, or the
     * directions that are known without float64, do not allow a larger one.
     */
    private static Optional<String> doubt(
            double[] relative, Optional<String> refuted, Optional<String> unseen, Optional<String> suspicion) {
        Spectrum spectrum = new Spectrum();
        spectrum.add(relative, 1);
        double largestNull =
                Arrays.stream(relative).filter(value -> value <= RETAINED).max().orElse(0);
        Optional<String> unclear = Optional.of(spectrum.doubt())
                .filter(words -> !words.isEmpty())
                .or(() -> refuted)
                .or(() -> largestNull > ROUNDING
                        ? Optional.of("a singular value of %.0e is neither above the threshold %.0e nor rounding"
                                .formatted(largestNull, RETAINED))
                        : Optional.empty());
        return unclear.isPresent()
                ? unclear.map(
                        words -> suspicion.map(what -> words + "; " + what).orElse(words))
                : unseen;
    }

    /** {@return the number of parameters, p} */
    public int parameterCount() {
        return parameterCount;
    }

    /** {@return the number of output components, inputs times outputs} */
    public int outputCount() {
        return outputCount;
    }

    /**
     * {@return the singular values of the scaled Jacobian over the largest: p values, largest first, zeros where there are
     * fewer rows than parameters; none where numbers overflow; a copy}
     */
    public double[] relativeValues() {
        return relativeValues.clone();
    }

    /**
     * Returns the dimension of the null space by a threshold.
     *
     * @param threshold relative to the largest singular value
     * @return 0 to p
     */
    public int nullity(double threshold) {
        return Math.toIntExact(spectrum.nullity(threshold));
    }

    /**
     * {@return the dimensions by the three thresholds: by threshold, coarsest first; empty where numbers overflow, so that
     * there is nothing to decompose}
     */
    public Map<Double, Integer> nullities() {
        Map<Double, Integer> nullities = new LinkedHashMap<>();
        if (relativeValues.length == 0) {
            return nullities;
        }
        Extraction.THRESHOLDS.forEach(threshold -> nullities.put(threshold, nullity(threshold)));
        return nullities;
    }

    /**
     * {@return how clear the decision is: the least singular value above the threshold over the largest at or below it, both
     * relative, the latter at least 2.2e-16; 1 where there is nothing to decompose}
     */
    public double gap() {
        return relativeValues.length == 0 ? 1 : spectrum.gap(RETAINED);
    }

    /**
     * {@return why the dimension is undecided: nothing when all thresholds agree, the gap is at least 100, and float64 sees all
     * of the network on this batch that the rank may depend on; otherwise the reason, with the input that makes it so where
     * there is one}
     */
    public Optional<String> doubt() {
        return doubt;
    }

    /** {@return the null space: shape (p, nullity at 1e-8), columns orthonormal; a copy} */
    public Matrix basis() {
        return basis.copy();
    }

    /** {@return the kinds of direction that are known to change nothing here, they may overlap} */
    public List<PointFamily> families() {
        return families;
    }

    /** {@return how much of the null space the known kinds span together, 0 to the nullity at 1e-8} */
    public int explained() {
        return explained;
    }

    /** {@return how much of the null space no known kind explains, the nullity at 1e-8 less {@link #explained}} */
    public int unexplained() {
        return nullity(RETAINED) - explained;
    }
}
