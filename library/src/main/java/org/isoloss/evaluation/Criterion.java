package org.isoloss.evaluation;

import java.util.Locale;
import java.util.OptionalDouble;
import org.isoloss.evaluation.Requirement.Bound;

/**
 * What an action must do to count as a fit, with what usually helps one that does not. The limits are those of
 * {@link Tolerances}.
 */
public enum Criterion {
    /** The outputs stay: E_out, in units of s_F. */
    OUTPUT(
            Bound.AT_MOST,
            "s_F",
            true,
            "more steps (recipe.steps), or larger weights of preservation (recipe.preservation, recipe.invariance)"),
    /** Two steps are their product. */
    COMPOSITION(
            Bound.AT_MOST,
            "",
            true,
            "more steps (recipe.steps), a larger recipe.composition, or action: conjugated, which composes exactly"),
    /** The inverse element leads back. */
    INVERSE(
            Bound.AT_MOST,
            "",
            true,
            "more steps (recipe.steps), a larger recipe.composition, or action: conjugated, which inverts exactly"),
    /** The action follows its own fields. */
    TRANSPORT(Bound.AT_MOST, "", true, "more steps (recipe.steps), or a larger recipe.transport"),
    /** A step is four quarter steps. */
    SUBDIVISION(
            Bound.AT_MOST, "", true, "more steps (recipe.steps), or larger recipe.composition and recipe.transport"),
    /** The parameters move, in units of s_theta. */
    MOTION(
            Bound.AT_LEAST,
            "s_theta",
            false,
            "a larger recipe.scale, which holds the field at recipe.beta, then a larger recipe.beta"),
    /** At sites: the moving unit changes its contribution, in units of s_F. */
    MOVING_CHANGE(
            Bound.AT_LEAST,
            "s_F",
            false,
            "another moving unit (site.moving: sensitive, or site.unit), or a larger recipe.scale and recipe.beta"),
    /** At sites: the compensating units cancel that change. */
    CANCELLATION(
            Bound.AT_MOST,
            "",
            false,
            "more steps (recipe.steps), larger weights of preservation, or a moving unit whose output changes more (site.unit)");

    private final Bound bound;
    private final String unit;
    private final boolean twoFactors;
    private final String advice;

    Criterion(Bound bound, String unit, boolean twoFactors, String advice) {
        this.bound = bound;
        this.unit = unit;
        this.twoFactors = twoFactors;
        this.advice = advice;
    }

    /** {@return the name in files and tables, such as {@code moving_change}} */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the side of the limit on which the value must be} */
    public Bound bound() {
        return bound;
    }

    /** {@return the unit of value and limit, {@code s_F} or {@code s_theta}; empty for a ratio} */
    public String unit() {
        return unit;
    }

    /** {@return what usually helps an action that misses the limit, as a part of a sentence} */
    public String advice() {
        return advice;
    }

    /**
     * Returns what a cell says.
     *
     * @param cell of the finite-action tests
     * @return the 95th percentile of an error, or the median of what must be large; empty where the cell does not measure it
     */
    public OptionalDouble value(ErrorCell cell) {
        return switch (this) {
            case OUTPUT -> OptionalDouble.of(cell.output().p95());
            case COMPOSITION -> OptionalDouble.of(cell.composition().p95());
            case INVERSE -> OptionalDouble.of(cell.inverse().p95());
            case TRANSPORT -> OptionalDouble.of(cell.transport().p95());
            case SUBDIVISION -> OptionalDouble.of(cell.subdivision().p95());
            case MOTION -> OptionalDouble.of(cell.motion().p50());
            case MOVING_CHANGE ->
                cell.movingChange().stream().mapToDouble(Median::p50).findFirst();
            case CANCELLATION ->
                cell.cancellation().stream().mapToDouble(Quantiles::p95).findFirst();
        };
    }

    /** The value that decides: of one factor, or the worse of one and two, NaN being the worst. */
    OptionalDouble deciding(ErrorCell one, ErrorCell two) {
        OptionalDouble single = value(one);
        return twoFactors && single.isPresent()
                ? OptionalDouble.of(Math.max(single.getAsDouble(), value(two).orElseThrow()))
                : single;
    }

    /**
     * Finds the criterion of a requirement.
     *
     * @param key as {@link #key} gives it
     * @return the criterion
     */
    public static Criterion of(String key) {
        for (Criterion criterion : values()) {
            if (criterion.key().equals(key)) {
                return criterion;
            }
        }
        throw new IllegalArgumentException("Criterion: '%s' is none".formatted(key));
    }
}
