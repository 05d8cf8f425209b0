package org.isoloss.sweep;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.isoloss.discovery.Fit;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.report.ErrorMeasure;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What came of one fit of a sweep. It has no times and no machine, so that equal fits have equal rows wherever they were made.
 *
 * @param fit its number
 * @param labels what varies, in the order of {@link Sweep#variations}
 * @param outcome how it ended
 * @param steps that were done
 * @param errors at radius 0.5 and one factor, by the keys of {@link ErrorMeasure}; empty without an evaluation
 * @param missed tolerances that are not met
 * @param reason why there is no evaluation; empty where there is one
 * @param inputs the files that were read, each with its SHA-256
 */
public record SweepRow(
        int fit,
        List<String> labels,
        Outcome outcome,
        int steps,
        Map<String, Double> errors,
        List<String> missed,
        String reason,
        Map<String, String> inputs) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** How a fit ended. */
    public enum Outcome {
        /** Every tolerance is met. */
        FITS,
        /** A tolerance is missed. */
        MISSES,
        /** A number became infinite or NaN during training. */
        DIVERGED,
        /** It could not be made. */
        FAILED,
        /** Left out on purpose, {@link SweepWork#EMPTY}. */
        EMPTY;

        /** {@return its name in small letters} */
        public String describe() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** {@return whether it is listed apart} */
        public boolean isFailure() {
            return this == DIVERGED || this == FAILED;
        }
    }

    /** Keeps collections of its own. */
    public SweepRow {
        labels = List.copyOf(labels);
        errors = Collections.unmodifiableMap(new LinkedHashMap<>(errors));
        missed = List.copyOf(missed);
        inputs = Collections.unmodifiableMap(new LinkedHashMap<>(inputs));
    }

    static SweepRow evaluated(SweepFit fit, int steps, Evaluation evaluation, Map<String, String> inputs) {
        ErrorCell cell = evaluation.cell(0.5, 1);
        Map<String, Double> errors = new LinkedHashMap<>();
        ErrorMeasure.ALWAYS.forEach(
                measure -> errors.put(measure.column().key(), measure.of().applyAsDouble(cell)));
        if (ErrorMeasure.isAtSite(cell)) {
            ErrorMeasure.AT_SITES.forEach(
                    measure -> errors.put(measure.column().key(), measure.of().applyAsDouble(cell)));
        }
        Outcome outcome = evaluation.fits() ? Outcome.FITS : Outcome.MISSES;
        return new SweepRow(fit.number(), fit.labels(), outcome, steps, errors, evaluation.missed(), "", inputs);
    }

    static SweepRow diverged(SweepFit fit, Fit.Outcome ended, Map<String, String> inputs) {
        String reason = "%s became infinite or NaN at step %d; lower the learning rate"
                .formatted(ended.reason().orElse("the loss"), ended.step());
        return new SweepRow(
                fit.number(), fit.labels(), Outcome.DIVERGED, ended.step(), Map.of(), List.of(), reason, inputs);
    }

    static SweepRow failed(SweepFit fit, String reason) {
        return new SweepRow(fit.number(), fit.labels(), Outcome.FAILED, 0, Map.of(), List.of(), reason, Map.of());
    }

    static SweepRow empty(SweepFit fit) {
        return new SweepRow(fit.number(), fit.labels(), Outcome.EMPTY, 0, Map.of(), List.of(), "", Map.of());
    }

    /**
     * Finds an error.
     *
     * @param key of an {@link ErrorMeasure}
     * @return its value, nothing where it was not measured
     */
    public Optional<Double> error(String key) {
        return Optional.ofNullable(errors.get(key));
    }

    /** {@return the row as one line of JSON, without its end} */
    public String toJson() {
        return JSON.writeValueAsString(this);
    }

    /**
     * Reads what {@link #toJson} wrote, without loss.
     *
     * @param text one JSON object
     * @param source how messages call the text
     * @return an equal row
     * @throws IllegalArgumentException in one line, when it is not such a text
     */
    public static SweepRow fromJson(String text, String source) {
        try {
            return JSON.readValue(text, SweepRow.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "%s is no row of a sweep; remove it and go on with --resume".formatted(source), e);
        }
    }
}
