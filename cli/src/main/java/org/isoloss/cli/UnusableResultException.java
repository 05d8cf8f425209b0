package org.isoloss.cli;

/** Ends a command whose result cannot be used; its message becomes the one error line and the exit code is 3. */
final class UnusableResultException extends Exception {
    private static final long serialVersionUID = 1L;

    UnusableResultException(String message) {
        super(message);
    }
}
