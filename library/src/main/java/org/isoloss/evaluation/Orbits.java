package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.model.SplitTarget;

/**
 * Generated curves {@code theta(t) = a_X(exp(t h), theta_0)} beside random translations {@code theta_0 + t z} (paragraph
 * "Generated curves" of appendix {@code app:one-generator-setup} of the paper). Drift is
 * {@code ||F_X(theta(t)) - F_X(theta_0)|| / s_F}. The direction of z is drawn once; its length makes the root-mean-square
 * motion at t = 0.3 that of the action, on points of their own. These times are for a generator of norm 1; for any other t
 * counts in h as it is, and the curve is as long: |t| ||h|| goes to 0.5.
 *
 * @param generator h, counted from 1
 * @param points number of starting points theta_0
 * @param times signed coefficients t of h
 * @param learned median drift along the action's curves at each time
 * @param random median drift along the random translations at each time
 * @param learnedFirst drift along the action's curve from the first starting point
 * @param randomFirst drift along the random translation from the first starting point
 * @param largestDrift along the action's curves, of all starting points and times
 * @param matchTime the time at which motions are matched
 * @param matchedMotion root-mean-square motion at that time in units of s_theta
 * @param contributions along the action's curve from the first starting point; only for split targets
 */
public record Orbits(
        int generator,
        int points,
        List<Double> times,
        List<Double> learned,
        List<Double> random,
        List<Double> learnedFirst,
        List<Double> randomFirst,
        double largestDrift,
        double matchTime,
        double matchedMotion,
        Optional<Contributions> contributions) {
    /** Number of times in the paper. */
    public static final int TIMES = 61;

    /** Largest time in the paper, where ||h|| = 1. */
    public static final double LAST_TIME = 0.5;

    /** Number of starting points in the paper. */
    public static final int POINTS = 32;

    /** The time at which the paper matches motions, where ||h|| = 1. */
    public static final double MATCH_TIME = 0.3;

    private static final int VALIDATION_POINTS = 64;

    /** Keeps lists of its own. */
    public Orbits {
        times = List.copyOf(times);
        learned = List.copyOf(learned);
        random = List.copyOf(random);
        learnedFirst = List.copyOf(learnedFirst);
        randomFirst = List.copyOf(randomFirst);
    }

    /**
     * Opposing signed changes in units of s_F, as numbers on one line: components along the change of the moving
     * contribution at the last time, with the sign that makes the largest entry of that direction positive. For one
     * output of one input they are the changes themselves.
     *
     * @param moving change of the moving contribution at each time
     * @param compensating change of the compensating contribution at each time
     * @param sum of both
     */
    public record Contributions(List<Double> moving, List<Double> compensating, List<Double> sum) {
        /** Keeps lists of its own. */
        public Contributions {
            moving = List.copyOf(moving);
            compensating = List.copyOf(compensating);
            sum = List.copyOf(sum);
        }
    }

    /**
     * Follows the curves of one generator.
     *
     * @param tested the action and what it is judged by
     * @param generator h, from 0
     * @param random the stream to draw from; modified
     * @return the curves
     */
    public static Orbits of(JudgedAction tested, int generator, SplittableRandom random) {
        Matrix starts = tested.draw(random.split(), POINTS);
        Matrix validation = tested.draw(random.split(), VALIDATION_POINTS);
        double[] direction = direction(tested.target().parameterCount(), random.split());
        Matrix h = tested.action().generators().get(generator);
        double[] times = new double[TIMES];
        int middle = TIMES / 2;
        double norm = tested.action().generators().norm(generator);
        double matchTime = MATCH_TIME / norm;
        Arrays.setAll(times, i -> LAST_TIME * (i - middle) / middle / norm);

        double unit = tested.calibration().parameterScale();
        Matrix matched = tested.moved(exponentials(h, matchTime, VALIDATION_POINTS), validation);
        double[] motions = Rows.distances(validation, matched, unit);
        double motion =
                Math.sqrt(Arrays.stream(motions).map(x -> x * x).average().orElseThrow());
        double speed = unit * motion / matchTime;

        Matrix[] curves = new Matrix[TIMES];
        Matrix[] lines = new Matrix[TIMES];
        Arrays.setAll(curves, i -> exponentials(h, times[i], POINTS));
        Matrix onCurves = tested.at(starts).moved(Rows.stacked(curves));
        Arrays.setAll(lines, i -> translated(starts, direction, speed * times[i]));
        Matrix onLines = Rows.stacked(lines);
        double[] learned = OutputChange.between(tested, starts, onCurves).total();
        double[] translations = OutputChange.between(tested, starts, onLines).total();
        return new Orbits(
                generator + 1,
                POINTS,
                Arrays.stream(times).boxed().toList(),
                medians(learned),
                medians(translations),
                first(learned),
                first(translations),
                Quantiles.of(learned).max(),
                matchTime,
                motion,
                contributions(tested, onCurves, starts));
    }

    private static double[] direction(int length, SplittableRandom random) {
        double[] direction = new double[length];
        Arrays.setAll(direction, i -> random.nextGaussian());
        double norm = Matrix.over(1, length, direction).frobeniusNorm();
        Arrays.setAll(direction, i -> direction[i] / norm);
        return direction;
    }

    private static Matrix exponentials(Matrix h, double time, int count) {
        return Rows.repeated(MatrixExponential.of(h.scaled(time)).entries(), count);
    }

    private static Matrix translated(Matrix starts, double[] direction, double distance) {
        return starts.plus(Rows.repeated(direction, starts.rows()).scaled(distance));
    }

    private static List<Double> medians(double[] drift) {
        List<Double> medians = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            medians.add(Quantiles.median(Arrays.copyOfRange(drift, time * POINTS, (time + 1) * POINTS)));
        }
        return medians;
    }

    private static List<Double> first(double[] drift) {
        List<Double> first = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            first.add(drift[time * POINTS]);
        }
        return first;
    }

    private static Optional<Contributions> contributions(JudgedAction tested, Matrix onCurves, Matrix starts) {
        if (!(tested.target() instanceof SplitTarget target)) {
            return Optional.empty();
        }
        Matrix curve = Matrix.zeros(TIMES + 1, starts.columns());
        for (int time = 0; time <= TIMES; time++) {
            double[] point = time < TIMES ? onCurves.row(time * POINTS) : starts.row(0);
            System.arraycopy(point, 0, curve.entries(), time * point.length, point.length);
        }
        double unit = tested.calibration().outputScale();
        Matrix moving = changes(JudgedAction.whereFinite(curve, target::movingOutputs), unit);
        Matrix compensating = changes(JudgedAction.whereFinite(curve, target::compensatingOutputs), unit);
        double[] along = line(moving.row(TIMES - 1));
        return Optional.of(new Contributions(
                components(moving, along),
                components(compensating, along),
                components(moving.plus(compensating), along)));
    }

    /** From the last row, the starting point, to each of the others, in the given unit. */
    private static Matrix changes(Matrix outputs, double unit) {
        int count = outputs.rows() - 1;
        return outputs.rows(0, count)
                .minus(Rows.repeated(outputs.row(count), count))
                .scaled(1 / unit);
    }

    private static double[] line(double[] change) {
        double largest = 0;
        for (double entry : change) {
            largest = Math.abs(entry) > Math.abs(largest) ? entry : largest;
        }
        double norm = Matrix.over(1, change.length, change).frobeniusNorm();
        double[] line = new double[change.length];
        double scale = norm == 0 ? 0 : Math.copySign(1 / norm, largest);
        Arrays.setAll(line, i -> change[i] * scale);
        return line;
    }

    private static List<Double> components(Matrix changes, double[] along) {
        List<Double> components = new ArrayList<>();
        for (int row = 0; row < changes.rows(); row++) {
            double sum = 0;
            for (int i = 0; i < along.length; i++) {
                sum += changes.get(row, i) * along[i];
            }
            components.add(sum);
        }
        return components;
    }

    List<String> nonFinite() {
        boolean finite = Double.isFinite(matchedMotion)
                && Double.isFinite(largestDrift)
                && random.stream().allMatch(Double::isFinite);
        return finite ? List.of() : List.of("drift along the curves of generator %d".formatted(generator));
    }
}
