package org.isoloss.report;

import org.jfree.data.Range;

/** The smallest interval with every value that an axis can show. */
final class Extent {
    private final Axis axis;
    private double low = Double.POSITIVE_INFINITY;
    private double high = Double.NEGATIVE_INFINITY;

    Extent(Axis axis) {
        this.axis = axis;
    }

    void include(double value) {
        if (axis.shows(value)) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    }

    /** Returns the interval; from 1 to 10 where no value can be shown. */
    Range range() {
        return low <= high ? new Range(low, high) : new Range(1, 10);
    }
}
