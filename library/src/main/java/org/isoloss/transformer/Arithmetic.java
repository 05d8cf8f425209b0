package org.isoloss.transformer;

/** The numbers that a forward pass computes with. Weights are widened exactly from the types that are narrower. */
public enum Arithmetic {
    /** As transformers computes by default; sums of norms and of attention are added up in float64 and rounded once. */
    FLOAT32,
    /** Throughout, angles of rotary positions included. */
    FLOAT64;

    /** Returns rows of {@code table}, in the order of {@code rows}. */
    HiddenStates gather(Parameter table, int[] rows) {
        return switch (this) {
            case FLOAT32 -> Float32States.gather(table, rows);
            case FLOAT64 -> Float64States.gather(table, rows);
        };
    }
}
