package org.isoloss.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;
import org.isoloss.evaluation.Requirement;
import org.isoloss.evaluation.Requirement.Bound;

/** What an evaluated action misses, in words: each value beside its limit, and what usually helps. */
public final class Verdict {
    private static final double RADIUS = 0.5;

    /** Of the motion that beta asks for; what is less has given the field up, or has not found it yet. */
    private static final double LEAST_SHARE = 0.5;

    private Verdict() {}

    /**
     * Lists what an action misses.
     *
     * @param evaluation of the action
     * @return one requirement an entry, as {@code output: 1.17e-3 s_F, at most 1.0e-3 (two factors)}; empty where it fits
     */
    public static List<String> misses(Evaluation evaluation) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Requirement> entry : evaluation.tolerances().entrySet()) {
            Criterion criterion = Criterion.of(entry.getKey());
            Requirement requirement = entry.getValue();
            if (requirement.met()) {
                continue;
            }
            lines.add("%s (%s)"
                    .formatted(
                            judged(evaluation, criterion, requirement),
                            isOfOneFactor(evaluation, criterion, requirement) ? "one factor" : "two factors"));
        }
        return lines;
    }

    /**
     * Returns what value and limit of a criterion are multiplied with where they are shown: motions, which are judged in
     * units of s_theta, read in percent as in every table.
     */
    static double scale(Evaluation evaluation, Criterion criterion) {
        ErrorCell cell = evaluation.cell(RADIUS, 1);
        double inScale = cell.motion().p50();
        return criterion == Criterion.MOTION && inScale > 0
                ? cell.motionPercent().p50() / inScale
                : 1;
    }

    /** Returns the unit of what is shown; empty for a ratio. A motion of 0 has no percentage to which its limit belongs. */
    static String unit(Evaluation evaluation, Criterion criterion) {
        boolean isPercent = criterion == Criterion.MOTION
                && evaluation.cell(RADIUS, 1).motion().p50() > 0;
        return isPercent ? "%" : criterion.unit();
    }

    /**
     * Names the requirement that comes nearest to its limit.
     *
     * @param evaluation of an action that fits
     * @return a sentence with the value and the limit
     */
    public static String nearest(Evaluation evaluation) {
        Map.Entry<String, Requirement> nearest = evaluation.tolerances().entrySet().stream()
                .max(Comparator.comparingDouble(entry -> share(entry.getValue())))
                .orElseThrow();
        Requirement requirement = nearest.getValue();
        return "Nearest to its limit is %s.".formatted(judged(evaluation, Criterion.of(nearest.getKey()), requirement));
    }

    /** Returns a requirement as {@code output: 1.17e-3 s_F, at most 1.0e-3}. */
    private static String judged(Evaluation evaluation, Criterion criterion, Requirement requirement) {
        double scale = scale(evaluation, criterion);
        return "%s: %s%s, %s %s"
                .formatted(
                        words(criterion),
                        shown(criterion, scale * requirement.value(), 3),
                        unit(evaluation, criterion).isEmpty() ? "" : " " + unit(evaluation, criterion),
                        requirement.bound() == Bound.AT_MOST ? "at most" : "at least",
                        shown(criterion, scale * requirement.limit(), 2));
    }

    private static String shown(Criterion criterion, double value, int digits) {
        return criterion == Criterion.MOTION ? Cells.number(value, digits) : Cells.scientific(value, digits - 1);
    }

    /** Returns how much of its limit a requirement uses up: 1 where it is just met. */
    private static double share(Requirement requirement) {
        double share = requirement.value() / requirement.limit();
        return requirement.bound() == Bound.AT_MOST ? share : 1 / share;
    }

    /** Whether the cell of one factor, not that of two, gave the value that decided. */
    private static boolean isOfOneFactor(Evaluation evaluation, Criterion criterion, Requirement requirement) {
        double one = criterion.value(evaluation.cell(RADIUS, 1)).orElse(Double.NaN);
        return Double.compare(one, requirement.value()) == 0;
    }

    /**
     * Says what usually helps.
     *
     * @param evaluations of actions of one task
     * @return one line for each requirement that one of them misses
     */
    public static List<String> advice(Collection<Evaluation> evaluations) {
        Set<Criterion> missed = new TreeSet<>();
        evaluations.forEach(evaluation -> evaluation.missed().forEach(name -> missed.add(Criterion.of(name))));
        return missed.stream()
                .map(criterion -> "what usually helps %s: %s".formatted(words(criterion), criterion.advice()))
                .toList();
    }

    /**
     * Says what t means where a generator has another norm than 1.
     *
     * @param evaluation of the action
     * @return one line for each such generator
     */
    public static List<String> units(Evaluation evaluation) {
        return evaluation.orbits().stream()
                .filter(orbits -> orbits.matchTime() != Orbits.MATCH_TIME)
                .map(orbits -> "a radius bounds |t| ||h||: at %s, t of generator %d with norm %s goes to %s"
                        .formatted(
                                RADIUS,
                                orbits.generator(),
                                Cells.scientific(Orbits.MATCH_TIME / orbits.matchTime(), 2),
                                Cells.scientific(RADIUS / Orbits.MATCH_TIME * orbits.matchTime(), 2)))
                .toList();
    }

    /**
     * Warns where the field of an action has shrunk below what its recipe asks for. A field of nothing costs the weight of
     * the scale term and no more, while the preservation terms grow with the square of the field: beyond some beta the
     * optimiser gives the field up, and a larger beta moves less.
     *
     * @param evaluation of the action
     * @param beta field magnitude that the recipe asks for, in units of s_theta
     * @return one line for each generator that moves less than half as far
     */
    public static List<String> shrunkFields(Evaluation evaluation, double beta) {
        double asked = beta * Orbits.MATCH_TIME;
        return evaluation.orbits().stream()
                .filter(orbits -> orbits.matchedMotion() < LEAST_SHARE * asked)
                .map(orbits ->
                        "generator %d moves %s s_theta in t = %.3g, where recipe.beta = %s asks for %s: its field has shrunk, or has not grown yet; more steps, recipe.scale=100 or a smaller recipe.beta move farther"
                                .formatted(
                                        orbits.generator(),
                                        Cells.scientific(orbits.matchedMotion(), 2),
                                        orbits.matchTime(),
                                        beta,
                                        Cells.scientific(asked, 2)))
                .toList();
    }

    private static String words(Criterion criterion) {
        return criterion.key().replace('_', ' ');
    }
}
