package org.isoloss.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Group;
import org.isoloss.evaluation.AppliedWord;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.task.Recipes;
import org.isoloss.task.Setting;

/**
 * A word at a network's own weights, for a reader: what its coefficients count in, how far it moves, and the output error as
 * {@code evaluate} measures it.
 *
 * @param generators what the coefficients count in
 * @param supplied whether the generators are the task's, at its scale; or those of an earlier version, which scaled them
 * @param radius longest word of the training
 * @param applied the word
 * @param coefficient of the word of the first generator alone that is as long as exp(h) for an h of norm 1
 * @param one that word: from the scale of the generators no number can become infinite
 */
record WordSummary(
        Generators generators,
        GeneratorSource supplied,
        double radius,
        AppliedWord applied,
        double coefficient,
        AppliedWord one) {
    /** Where generators come from. */
    enum GeneratorSource {
        /** From training, with norm 1. */
        LEARNED,
        /** From the task, as it gives them. */
        SUPPLIED,
        /** From the task, scaled to norm 1, as earlier versions did. */
        SUPPLIED_SCALED
    }

    static WordSummary of(Setting setting, GroupAction action, GroupWord word) {
        JudgedAction tested = JudgedAction.of(action, setting.problem());
        double[] origin = setting.origin();
        double coefficient = 1 / action.generators().norm(0);
        return new WordSummary(
                action.generators(),
                source(setting.problem().group(), action.generators()),
                Recipes.of(setting.task()).words().radius(),
                AppliedWord.of(tested, word, origin),
                coefficient,
                AppliedWord.of(tested, GroupWord.exp(coefficient), origin));
    }

    private static GeneratorSource source(Group group, Generators generators) {
        if (group.supplied().isEmpty()) {
            return GeneratorSource.LEARNED;
        }
        Generators given = group.supplied().get();
        boolean same = IntStream.range(0, generators.count()).allMatch(i -> given.norm(i) == generators.norm(i));
        return same ? GeneratorSource.SUPPLIED : GeneratorSource.SUPPLIED_SCALED;
    }

    /** One line on the move, one on the outputs. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        String h = generators.count() == 1 ? "h" : "h_1";
        lines.add("t counts in the %s: this word moves the weights by %s %% of their norm, t = %s%s by %.3g %%%s"
                .formatted(
                        switch (supplied) {
                            case LEARNED -> "learned generator " + h + " of Frobenius norm 1";
                            case SUPPLIED ->
                                "generator %s as supplied, of Frobenius norm %.4g".formatted(h, generators.norm(0));
                            case SUPPLIED_SCALED ->
                                "supplied generator %s scaled to Frobenius norm 1, as the version that made this run did"
                                        .formatted(h);
                        },
                        applied.motionPercent() == 0 ? "0" : "%.3g".formatted(applied.motionPercent()),
                        coefficient == 1 ? "1" : "%.3g".formatted(coefficient),
                        generators.count() == 1 ? "" : " of the first",
                        one.motionPercent(),
                        applied.length() > radius * (1 + 1e-12)
                                ? "; the word is %.3g long, beyond the %.3g of the training"
                                        .formatted(applied.length(), radius)
                                : ""));
        lines.add(
                "output error, the measure of 'isoloss evaluate': %.2e of s_F, all protected outputs together, before rounding"
                        .formatted(applied.outputError()));
        return lines;
    }

    /** The numbers by key, for a program; {@code output} and {@code motion_percent} are those of {@code evaluate}. */
    void putTo(Map<String, Object> json) {
        json.put("output", applied.outputError());
        json.put("motion_percent", applied.motionPercent());
        json.put("motion_percent_of_length_one", one.motionPercent());
        json.put("length", applied.length());
        json.put(
                "generator_norms",
                IntStream.range(0, generators.count())
                        .mapToObj(generators::norm)
                        .toList());
    }
}
