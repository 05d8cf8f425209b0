package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;

/**
 * Measured finite errors beside estimates of their bounds, on sampled points and words. Parameters are in units of s_theta, outputs in
 * units of s_F. Samples of the same radius are neighbours.
 *
 * @param samples at each radius
 * @param radii upper bounds of the total absolute coefficient of a word
 * @param constants the largest residuals, growth and derivative at the places measured on all sampled paths; the uniform
 *     bounds are theirs, so they are about these paths only, and estimated there
 * @param composition of two words
 * @param inverse of the first word
 * @param output the change of the outputs along the second word
 * @param curve the same along one curve
 */
public record BoundCheck(
        int samples,
        List<Double> radii,
        UniformBounds constants,
        Compared composition,
        Compared inverse,
        Compared output,
        Curve curve) {
    /** Samples at each radius in an evaluation. */
    public static final int SAMPLES = 32;

    /** Radii of an evaluation: those of the paper's grid up to the declared one. */
    public static final List<Double> RADII = List.of(0.1, 0.3, 0.5);

    /** Points of the curve. */
    public static final int TIMES = 12;

    private static final int MOST_FACTORS = 3;

    /** Keeps a list of its own, and refuses lists of other lengths. */
    public BoundCheck {
        radii = List.copyOf(radii);
        for (Compared compared : List.of(composition, inverse, output)) {
            if (compared.measured.size() != samples * radii.size()) {
                throw new IllegalArgumentException("BoundCheck: %d measured errors, expected %d samples at %d radii"
                        .formatted(compared.measured.size(), samples, radii.size()));
            }
        }
    }

    /**
     * One kind of error, sample by sample.
     *
     * @param measured the finite error
     * @param bound of the paper along the path, with the errors of quadrature and rounding
     * @param sharp bound along the path, with residuals added before their norms are taken
     * @param uniform bound from the constants and the length of the path
     */
    public record Compared(List<Double> measured, List<Double> bound, List<Double> sharp, List<Double> uniform) {
        /** Keeps lists of its own, all of the same length. */
        public Compared {
            measured = List.copyOf(measured);
            bound = List.copyOf(bound);
            sharp = List.copyOf(sharp);
            uniform = List.copyOf(uniform);
            if (bound.size() != measured.size()
                    || sharp.size() != measured.size()
                    || uniform.size() != measured.size()) {
                throw new IllegalArgumentException(
                        "BoundCheck: %d measured errors, %d bounds, %d sharp and %d uniform ones; expected one number"
                                .formatted(measured.size(), bound.size(), sharp.size(), uniform.size()));
            }
        }

        /**
         * Counts the samples of which the error is not below every bound.
         *
         * @return 0 where the code is right and nothing happens between the places measured; an error that is NaN counts
         */
        public long exceeded() {
            return IntStream.range(0, measured.size())
                    .filter(i -> !(measured.get(i) <= bound.get(i)
                            && measured.get(i) <= sharp.get(i)
                            && measured.get(i) <= uniform.get(i)))
                    .count();
        }

        /**
         * Takes the samples of one radius.
         *
         * @param index of the radius, from 0
         * @param samples at each radius
         * @return a part of the lists
         */
        public Compared at(int index, int samples) {
            int from = index * samples;
            int to = from + samples;
            return new Compared(
                    measured.subList(from, to),
                    bound.subList(from, to),
                    sharp.subList(from, to),
                    uniform.subList(from, to));
        }
    }

    /**
     * How errors and bounds grow along {@code exp(t h)} of the first generator, from the first sampled point.
     *
     * @param times t of the generator as it is, rising
     * @param before coefficient of the factor that acts first in the composition, the last of the times
     * @param composition of {@code exp(t h)} after {@code exp(before h)}
     * @param output the change of the outputs along {@code exp(t h)}
     */
    public record Curve(List<Double> times, double before, Compared composition, Compared output) {
        /** Keeps a list of its own, and refuses lists of other lengths. */
        public Curve {
            times = List.copyOf(times);
            if (composition.measured.size() != times.size() || output.measured.size() != times.size()) {
                throw new IllegalArgumentException(
                        "BoundCheck.Curve: %d and %d measured errors, expected %d, one a time"
                                .formatted(composition.measured.size(), output.measured.size(), times.size()));
            }
        }
    }

    /**
     * Measures errors and bounds.
     *
     * @param tested the action, its target and where points are drawn
     * @param jacobian the derivative of the target
     * @param radii upper bounds of the total absolute coefficient, at least one
     * @param samples at each radius, at least 1
     * @param random the stream to draw from; modified
     * @return both, sample by sample
     */
    public static BoundCheck of(
            JudgedAction tested, OutputJacobian jacobian, List<Double> radii, int samples, SplittableRandom random) {
        Generators generators = tested.directions();
        Matrix points = tested.draw(random, samples * radii.size());
        Matrix first = Matrix.zeros(points.rows(), generators.size() * generators.size());
        List<GroupPath> back = new ArrayList<>();
        List<GroupPath> second = new ArrayList<>();
        for (double radius : radii) {
            var sampler = new WordSampler(WordDistribution.upTo(radius, MOST_FACTORS), generators.count());
            for (int sample = 0; sample < samples; sample++) {
                GroupWord word = sampler.draw(random);
                Rows.set(first, back.size(), word.matrix(generators).entries());
                back.add(GroupPath.of(word.inverse(), generators));
                second.add(GroupPath.of(sampler.draw(random), generators));
            }
        }
        ErrorBounds bounds = ErrorBounds.of(tested.action(), tested.target(), jacobian);
        List<PathBound> composition = bounds.composition(second, first, points);
        List<PathBound> inverse = bounds.inverse(back, first, points);
        List<PathBound> output = bounds.outputChange(second, points);

        double last = radii.getLast();
        double norm = tested.action().generators().norm(0);
        List<Double> lengths =
                IntStream.rangeClosed(1, TIMES).mapToObj(i -> i * last / TIMES).toList();
        List<GroupPath> curve = lengths.stream()
                .map(length -> GroupPath.of(GroupWord.exp(length), generators))
                .toList();
        Matrix before = Rows.repeated(curve.getLast().end().entries(), TIMES);
        Matrix start = Rows.repeated(points.row(0), TIMES);
        List<PathBound> curveComposition = bounds.composition(curve, before, start);
        List<PathBound> curveOutput = bounds.outputChange(curve, start);

        double parameter = tested.calibration().parameterScale();
        double outputScale = tested.calibration().outputScale();
        List<PathBound> all = new ArrayList<>(composition);
        all.addAll(inverse);
        all.addAll(output);
        all.addAll(curveComposition);
        all.addAll(curveOutput);
        UniformBounds raw =
                UniformBounds.largest(all.stream().map(PathBound::constants).toList());
        UniformBounds constants = new UniformBounds(
                raw.identity() / parameter,
                raw.transport() / parameter,
                raw.loss() / outputScale,
                raw.growth(),
                raw.outputDerivative() * parameter / outputScale);
        return new BoundCheck(
                samples,
                radii,
                constants,
                compared(composition, parameter, path -> constants.composition(path.length())),
                compared(inverse, parameter, path -> constants.inverse(path.length())),
                compared(output, outputScale, path -> constants.outputChange(path.length())),
                new Curve(
                        lengths.stream().map(length -> length / norm).toList(),
                        last / norm,
                        compared(curveComposition, parameter, path -> constants.composition(path.length())),
                        compared(curveOutput, outputScale, path -> constants.outputChange(path.length()))));
    }

    /** The uniform bounds take the places measured for the whole path, so they get the errors of its numbers too. */
    private static Compared compared(List<PathBound> paths, double unit, ToDoubleFunction<PathBound> uniform) {
        return new Compared(
                paths.stream().map(path -> path.measured() / unit).toList(),
                paths.stream().map(path -> path.bound() / unit).toList(),
                paths.stream().map(path -> path.sharp() / unit).toList(),
                paths.stream()
                        .map(path -> uniform.applyAsDouble(path) + (path.quadrature() + path.rounding()) / unit)
                        .toList());
    }

    /**
     * Counts the samples of which an error is not below every bound.
     *
     * @return 0 where the code is right and nothing happens between the places measured
     */
    public long exceeded() {
        return composition.exceeded()
                + inverse.exceeded()
                + output.exceeded()
                + curve.composition.exceeded()
                + curve.output.exceeded();
    }
}
