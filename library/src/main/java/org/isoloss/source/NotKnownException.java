package org.isoloss.source;

import java.util.Set;

/** Numbers have to be known when a model is built, but depend on inputs or parameters. */
final class NotKnownException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // never serialised
    private final Set<String> names;

    NotKnownException(String message, Set<String> names) {
        super(message);
        this.names = Set.copyOf(names);
    }

    /** The inputs and parameters that decide. */
    Set<String> names() {
        return names;
    }
}
