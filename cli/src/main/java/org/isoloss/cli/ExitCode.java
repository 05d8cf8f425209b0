package org.isoloss.cli;

/** What the command's exit code says. */
final class ExitCode {
    /** The command did what was asked. */
    static final int DONE = 0;

    /** The command failed; one line on standard error says where and why. */
    static final int FAILED = 1;

    /** The command line itself is wrong. */
    static final int USAGE = 2;

    /** The command ran, but its result cannot be used: it diverged, or missed a tolerance that was required. */
    static final int UNUSABLE = 3;

    private ExitCode() {}
}
