package org.isoloss.basis;

import org.isoloss.model.AxisClass;
import org.isoloss.model.FreeShift;

/** A factor of the group of a model's symmetries. */
public sealed interface Subgroup {
    /** {@return its dimension; 0 for a finite group} */
    int dimension();

    /** {@return how many of these dimensions others have already} */
    int shared();

    /** What a factor does to a class of channels. */
    enum Kind {
        /** Matrices. */
        BASIS,
        /** Positive factors. */
        SCALES,
        /** Factors of 1 and -1. */
        SIGNS,
        /** Changes of order. */
        ORDERS
    }

    /**
     * Changes of basis.
     *
     * @param channels their class
     * @param kind what they do
     */
    record Change(AxisClass channels, Kind kind) implements Subgroup {
        @Override
        public int dimension() {
            return kind == Kind.BASIS || kind == Kind.SCALES ? channels.dimension() * channels.count() : 0;
        }

        @Override
        public int shared() {
            return 0;
        }
    }

    /**
     * What may be added unseen.
     *
     * @param shift to parameters
     */
    record Shift(FreeShift shift) implements Subgroup {
        @Override
        public int dimension() {
            return shift.dimension();
        }

        @Override
        public int shared() {
            return shift.shared();
        }
    }
}
