package org.isoloss.cli;

/** Entry point of the {@code isoloss} command. */
public final class Main {
    private Main() {}

    /**
     * Runs the command and exits with its code.
     *
     * @param arguments the command line; not modified
     */
    public static void main(String[] arguments) {
        System.exit(arguments.length);
    }
}
