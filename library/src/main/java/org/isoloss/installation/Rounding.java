package org.isoloss.installation;

import org.isoloss.checkpoint.ElementType;

/** What installed weights are rounded to. */
public enum Rounding {
    /** The type in which each parameter is stored. */
    STORED,
    /** Float32, however narrow the checkpoint is; what is stored as F64 stays that. */
    FLOAT32,
    /** Float64: as computed. */
    NONE;

    ElementType type(ElementType stored) {
        return switch (this) {
            case STORED -> stored;
            case FLOAT32 -> stored == ElementType.F64 ? ElementType.F64 : ElementType.F32;
            case NONE -> ElementType.F64;
        };
    }
}
