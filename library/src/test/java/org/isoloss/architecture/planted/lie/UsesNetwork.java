package org.isoloss.architecture.planted.lie;

import org.isoloss.architecture.planted.network.UsesLie;

/** Breaks an arrow, and closes a cycle with {@link UsesLie}. */
public final class UsesNetwork {
    /** Refers to the class that refers back. */
    public static final Class<?> OTHER = UsesLie.class;

    private UsesNetwork() {}
}
