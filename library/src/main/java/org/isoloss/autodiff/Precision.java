package org.isoloss.autodiff;

import org.isoloss.linalg.GemmKernel;

/** The precision of all numbers of a program. */
public enum Precision {
    /** For training. */
    FLOAT32,
    /** For gradient checks, evaluation and curves. */
    FLOAT64;

    Arithmetic arithmetic(int size, GemmKernel kernel) {
        return switch (this) {
            case FLOAT32 -> new Float32(size, kernel);
            case FLOAT64 -> new Float64(size, kernel);
        };
    }
}
