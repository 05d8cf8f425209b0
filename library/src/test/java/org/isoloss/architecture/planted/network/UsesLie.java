package org.isoloss.architecture.planted.network;

import org.isoloss.architecture.planted.lie.UsesNetwork;

/** Closes a cycle with {@link UsesNetwork}. */
public final class UsesLie {
    private UsesLie() {}

    static Class<?> other() {
        return UsesNetwork.OTHER;
    }
}
