package org.isoloss.reproduce;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Quantiles;

/**
 * The fits of one setting with one objective and variant, seed by seed. Nothing stands for a fit that diverged: it counts as
 * an infinite error and not as a fit, as the paper's statistics keep every seed.
 *
 * @param setting name of the task
 * @param objective of the fits
 * @param variant of the fits
 * @param evaluations in the order of the seeds
 */
record SettingFits(String setting, ObjectiveKind objective, Variant variant, List<Optional<Evaluation>> evaluations) {

    static String label(ObjectiveKind objective) {
        return objective.toString().toLowerCase(Locale.ROOT);
    }

    /** The statistic of each seed; infinite where it diverged. */
    double[] statistics(ToDoubleFunction<Evaluation> statistic) {
        return evaluations.stream()
                .mapToDouble(
                        evaluation -> evaluation.map(statistic::applyAsDouble).orElse(Double.POSITIVE_INFINITY))
                .toArray();
    }

    /** The median over the seeds. */
    double median(ToDoubleFunction<Evaluation> statistic) {
        return Quantiles.of(statistics(statistic)).p50();
    }

    /** How many meet every tolerance. */
    int fitCount() {
        return (int) evaluations.stream()
                .filter(evaluation -> evaluation.map(Evaluation::fits).orElse(false))
                .count();
    }

    int seeds() {
        return evaluations.size();
    }

    /** What those that did not diverge have, where they have it. */
    <T> List<T> parts(Function<Evaluation, Optional<T>> part) {
        return evaluations.stream()
                .flatMap(Optional::stream)
                .map(part)
                .flatMap(Optional::stream)
                .map(Objects::requireNonNull)
                .toList();
    }
}
