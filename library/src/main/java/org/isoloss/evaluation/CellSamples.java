package org.isoloss.evaluation;

import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.model.SplitTarget;

/**
 * The samples of one test cell and what the action makes of them. All samples go through the action together, and what
 * two metrics need is computed once.
 */
final class CellSamples {
    /** What the paper adds to denominators. */
    static final double FLOOR = 1e-12;

    private static final int QUARTERS = 4;

    private final JudgedAction tested;
    private final WordDistribution words;
    private final int samples;
    private final Matrix points;
    private final Matrix inner;
    private final Matrix outer;
    private final Matrix product;
    private final Matrix back;
    private final Matrix whole;
    private final Matrix quarter;
    private final Matrix directions;
    private final Matrix carried;

    CellSamples(JudgedAction tested, WordDistribution words, int samples, SplittableRandom random) {
        this.tested = tested;
        this.words = words;
        this.samples = samples;
        points = tested.draw(random, samples);
        Generators generators = tested.directions();
        int area = generators.size() * generators.size();
        inner = Matrix.zeros(samples, area);
        outer = Matrix.zeros(samples, area);
        product = Matrix.zeros(samples, area);
        back = Matrix.zeros(samples, area);
        whole = Matrix.zeros(samples, area);
        quarter = Matrix.zeros(samples, area);
        directions = Matrix.zeros(samples, area);
        carried = Matrix.zeros(samples, area);
        WordSampler sampler = new WordSampler(words, generators.count());
        for (int sample = 0; sample < samples; sample++) {
            GroupWord first = sampler.draw(random);
            Matrix g1 = first.matrix(generators);
            Matrix g2 = sampler.draw(random).matrix(generators);
            Matrix h = generators.get(random.nextInt(generators.count()));
            set(inner, sample, g1);
            set(outer, sample, g2);
            set(product, sample, g2.times(g1));
            set(back, sample, first.inverse().matrix(generators));
            set(directions, sample, h);
            set(carried, sample, h.times(g1));
            setExponentials(sample, first, generators);
        }
    }

    /**
     * The exponential that is subdivided has the sign and generator of the word's first factor and the length of the whole
     * word: so it is the word itself where that is one factor, and it is as long as the word where that has more.
     */
    private void setExponentials(int sample, GroupWord word, Generators generators) {
        GroupWord.Factor factor = word.factors().getFirst();
        Matrix logarithm =
                generators.get(factor.generator()).scaled(Math.copySign(word.length(), factor.coefficient()));
        set(whole, sample, MatrixExponential.of(logarithm));
        set(quarter, sample, MatrixExponential.of(logarithm.scaled(1.0 / QUARTERS)));
    }

    private static void set(Matrix rows, int row, Matrix matrix) {
        System.arraycopy(matrix.entries(), 0, rows.entries(), row * rows.columns(), rows.columns());
    }

    /** The change of the outputs alone, which needs the action once: bits that {@link #measure} has, too. */
    OutputChange outputs() {
        return OutputChange.between(tested, points, tested.at(points).moved(inner));
    }

    ErrorCell measure() {
        double unit = tested.calibration().parameterScale();
        boolean single = words.mostFactors() == 1;
        JudgedOrbits atPoints = tested.at(points);
        Matrix starts = atPoints.moved(
                single ? Rows.stacked(inner, product, quarter) : Rows.stacked(inner, product, quarter, whole));
        Matrix moved = Rows.part(starts, 0, samples);
        Matrix direct = Rows.part(starts, 1, samples);
        Matrix firstQuarter = Rows.part(starts, 2, samples);
        Matrix oneStep = single ? moved : Rows.part(starts, 3, samples);
        JudgedOrbits atMoved = tested.at(moved);
        Matrix onward = atMoved.moved(Rows.stacked(outer, back));
        Matrix composed = Rows.part(onward, 0, samples);
        Matrix returned = Rows.part(onward, 1, samples);
        Matrix quarters = firstQuarter;
        for (int i = 1; i < QUARTERS; i++) {
            quarters = tested.moved(quarter, quarters);
        }
        double[] motion = Rows.distances(points, moved, unit);
        double[] secondMotion = Rows.distances(moved, composed, unit);
        double[] wholeMotion = single ? motion : Rows.distances(points, oneStep, unit);
        OutputChange change = OutputChange.between(tested, points, moved);
        boolean split = tested.target() instanceof SplitTarget;
        return new ErrorCell(
                words.radius(),
                words.mostFactors(),
                Quantiles.of(change.total()),
                Quantiles.of(relative(Rows.distances(direct, composed, unit), sum(motion, secondMotion))),
                Quantiles.of(relative(Rows.distances(points, returned, unit), motion)),
                Quantiles.of(transport(atPoints, atMoved, unit)),
                Quantiles.of(relative(Rows.distances(oneStep, quarters, unit), wholeMotion)),
                split ? Optional.of(Quantiles.of(change.cancellation())) : Optional.empty(),
                Median.of(motion),
                Median.of(percent(tested, points, motion)),
                split ? Optional.of(Median.of(change.moving())) : Optional.empty());
    }

    /** Equation {@code eq:infinitesimal-action-transport}, the residual of {@code eq:discovery-associativity-loss}: unsquared and relative to the field where g leads. */
    private double[] transport(JudgedOrbits atPoints, JudgedOrbits atMoved, double unit) {
        Matrix alongGroup = atPoints.derivative(inner, carried);
        Matrix fieldThere = atMoved.field(directions);
        return relative(Rows.distances(fieldThere, alongGroup, unit), Rows.norms(fieldThere, unit));
    }

    /** Motions in units of s_theta as percent of the weights' norm at the points where they begin. */
    static double[] percent(JudgedAction tested, Matrix points, double[] motion) {
        double unit = tested.calibration().parameterScale();
        double[] percent = tested.target().weightNorms(points);
        for (int sample = 0; sample < percent.length; sample++) {
            percent[sample] = 100 * motion[sample] / (percent[sample] / unit + FLOOR);
        }
        return percent;
    }

    static double[] sum(double[] a, double[] b) {
        double[] sum = a.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += b[i];
        }
        return sum;
    }

    static double[] relative(double[] errors, double[] sizes) {
        double[] ratios = errors.clone();
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] /= sizes[i] + FLOOR;
        }
        return ratios;
    }
}
