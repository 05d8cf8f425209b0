package org.isoloss.report;

import org.jspecify.annotations.Nullable;

/**
 * An axis of a figure. Its words may hold symbols of the paper, as {@code coefficient $t$} or {@code $s_F$}.
 *
 * @param quantity what is measured
 * @param unit its unit, empty for a pure number
 * @param scale how values become lengths
 * @param limits the ends, or null to fit the data
 */
public record Axis(
        String quantity, String unit, Scale scale, @Nullable Limits limits) {
    /** How values become lengths. */
    public enum Scale {
        /** Equal differences are equally long. */
        LINEAR,
        /** Equal ratios are equally long; values at or below zero are not drawn. */
        LOG
    }

    /**
     * The ends of an axis.
     *
     * @param low the smaller end, finite
     * @param high the larger end, finite
     */
    public record Limits(double low, double high) {
        /** Checks the order. */
        public Limits {
            if (!(low < high) || Double.isInfinite(low) || Double.isInfinite(high)) {
                throw new IllegalArgumentException(
                        "Axis.Limits: %s to %s, expected finite ends, the smaller first".formatted(low, high));
            }
        }
    }

    /** Checks that a logarithmic axis has positive limits. */
    public Axis {
        if (scale == Scale.LOG && limits != null && limits.low() <= 0) {
            throw new IllegalArgumentException(
                    "Axis '%s': a log axis cannot start at %s, expected more than 0".formatted(quantity, limits.low()));
        }
    }

    /**
     * Returns a linear axis that fits the data.
     *
     * @param quantity what is measured
     * @param unit its unit, empty for a pure number
     * @return the axis
     */
    public static Axis linear(String quantity, String unit) {
        return new Axis(quantity, unit, Scale.LINEAR, null);
    }

    /**
     * Returns a logarithmic axis that fits the positive data.
     *
     * @param quantity what is measured
     * @param unit its unit, empty for a pure number
     * @return the axis
     */
    public static Axis log(String quantity, String unit) {
        return new Axis(quantity, unit, Scale.LOG, null);
    }

    /**
     * Returns this axis with fixed ends.
     *
     * @param low the smaller end
     * @param high the larger end
     * @return the fixed axis
     */
    public Axis between(double low, double high) {
        return new Axis(quantity, unit, scale, new Limits(low, high));
    }

    /** Returns the words beside the axis, with their symbols. */
    String label() {
        return unit.isEmpty() ? quantity : quantity + " (" + unit + ")";
    }

    /** Returns the label as plain words. */
    String words() {
        return Symbols.words(label());
    }

    /** Says whether the axis can show {@code value}. */
    boolean shows(double value) {
        return scale == Scale.LINEAR || value > 0;
    }
}
