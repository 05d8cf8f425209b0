package org.isoloss.evaluation;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.isoloss.action.TrainedAction;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Streams;
import org.isoloss.discovery.Validation;

/**
 * How far an action is from the joint tolerances, as one number: the rule by which recipes and checkpoints are selected. Of
 * its errors, each over its tolerance, the largest counts. Motion counts only where it is less than it has to be, as the
 * least motion over the motion: more than enough is no merit.
 *
 * @param ratio the largest error over its tolerance; at most 1 where every tolerance is met; infinite where a number is not
 *     finite, be it that of a single sample
 * @param decisive the requirement that has it, or where a sample is not finite
 * @param values what was measured, by requirement
 */
public record ToleranceScore(double ratio, String decisive, Map<String, Double> values) {
    /** The cells that decide, with a quarter of the samples of the final tests. */
    private static final EvaluationGrid GRID =
            new EvaluationGrid(List.of(Tolerances.PAPER.radius()), List.of(1, 2), 128);

    /** Keeps a map of its own, in the order of the names. */
    public ToleranceScore {
        values = java.util.Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /**
     * Judges an action.
     *
     * @param tested the action and what it is judged by
     * @param random a stream that serves selection alone; modified
     * @return its score
     */
    public static ToleranceScore of(JudgedAction tested, SplittableRandom random) {
        List<ErrorCell> cells = FiniteActionErrors.run(tested, GRID, random);
        ToleranceScore score = of(Tolerances.PAPER.judge(cells));
        return cells.stream()
                .map(ErrorCell::nonFinite)
                .flatMap(List::stream)
                .findFirst()
                .map(where -> new ToleranceScore(Double.POSITIVE_INFINITY, where, score.values))
                .orElse(score);
    }

    /**
     * Judges the checkpoints of a fit, all on the same samples.
     *
     * @param problem of the fit
     * @param seed of the fit, whose {@link Streams#CHECKPOINT} is drawn from
     * @return the ratio of each
     */
    public static Validation ofCheckpoints(Problem problem, long seed) {
        return new Validation() {
            @Override
            public double error(TrainedAction action) {
                return of(JudgedAction.of(action, problem), Streams.CHECKPOINT.stream(seed)).ratio;
            }

            @Override
            public double error(TrainedAction action, double most) {
                double outputs = ofOutputs(JudgedAction.of(action, problem), Streams.CHECKPOINT.stream(seed));
                return outputs > most ? outputs : error(action);
            }
        };
    }

    /** The ratio of the outputs of one factor alone: no larger than that of everything, for a small part of its work. */
    static double ofOutputs(JudgedAction tested, SplittableRandom random) {
        OutputChange change = FiniteActionErrors.firstOutputs(tested, GRID, random);
        double ratio = ratio(atMost(Tolerances.PAPER.output(), change.total()));
        return change.cancellation().length == 0
                ? ratio
                : Math.max(ratio, ratio(atMost(Tolerances.PAPER.cancellation(), change.cancellation())));
    }

    private static Requirement atMost(double limit, double[] errors) {
        return Requirement.of(
                Requirement.Bound.AT_MOST, limit, Quantiles.of(errors).p95());
    }

    static ToleranceScore of(Map<String, Requirement> judged) {
        Map<String, Double> values = new TreeMap<>();
        double largest = 0;
        String decisive = "";
        for (Map.Entry<String, Requirement> one : judged.entrySet()) {
            values.put(one.getKey(), one.getValue().value());
            double ratio = ratio(one.getValue());
            if (ratio > largest) {
                largest = ratio;
                decisive = one.getKey();
            }
        }
        return new ToleranceScore(largest, decisive, values);
    }

    /** How much of its tolerance an error takes up, and by what factor a least value is missed; 0 where it is not. */
    static double ratio(Requirement requirement) {
        if (requirement.bound() == Requirement.Bound.AT_LEAST && requirement.met()) {
            return 0;
        }
        double ratio = requirement.bound() == Requirement.Bound.AT_MOST
                ? requirement.value() / requirement.limit()
                : requirement.limit() / requirement.value();
        return Double.isNaN(ratio) || ratio < 0 ? Double.POSITIVE_INFINITY : ratio;
    }
}
