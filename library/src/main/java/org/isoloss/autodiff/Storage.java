package org.isoloss.autodiff;

import org.jspecify.annotations.Nullable;

/** A stretch of memory that one operation fills, or that is set from outside; tensors are views of it. */
final class Storage {
    /** What fills the storage, which decides where it lies and whether it is kept from step to step. */
    enum Role {
        /** Trained by an optimiser: lies at the front, so that one loop updates all. */
        PARAMETER,
        /** Written by the caller before a step. */
        INPUT,
        /** Written once. */
        CONSTANT,
        /** Written by operations. */
        RESULT
    }

    final int size;
    final Role role;
    final boolean differentiable;
    /** Where the storage begins in the arrays of a program; -1 until the layout is decided. */
    int offset = -1;
    /** The storage whose memory this one takes over, when nothing else reads that; null for memory of its own. */
    @Nullable
    Storage successorOf;

    Storage(int size, Role role, boolean differentiable) {
        this.size = size;
        this.role = role;
        this.differentiable = differentiable;
    }
}
