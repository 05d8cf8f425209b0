package org.isoloss.model;

import java.util.List;

/**
 * A group of primitive operations with a role: a reading may treat it whole.
 *
 * @param role what it is
 * @param arguments what goes in
 * @param result what comes out
 */
public record Composite(Role role, List<Value> arguments, Value result) {
    /** What a group of operations is. */
    public enum Role {
        /** An affine map of the last axis. */
        LINEAR,
        /** A convolution. */
        CONVOLUTION,
        /** Centred and divided by the standard deviation along the last axes. */
        LAYER_NORM,
        /** Divided by the root of the mean square. */
        RMS_NORM,
        /** An affine map a channel by stored statistics. */
        BATCH_NORM,
        /** Exponentials that add up to 1 along an axis. */
        SOFTMAX,
        /** Queries against keys, softmax, values. */
        ATTENTION,
        /** Rotations by the position. */
        ROTARY,
        /** A product of two branches. */
        GATED,
        /** What a transformer computes at each position alone, from what enters the first projection to what leaves the last. */
        FEED_FORWARD,
        /** A recurrence with a cell state. */
        LSTM,
        /** A recurrence with two gates. */
        GRU,
        /** A plain recurrence. */
        RNN
    }

    /** Copies the list. */
    public Composite {
        arguments = List.copyOf(arguments);
    }
}
