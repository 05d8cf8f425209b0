package org.isoloss.cli;

import java.io.PrintWriter;
import org.isoloss.reproduce.StudyProgress;
import org.jspecify.annotations.Nullable;

/** Shows how a study gets on: one {@link StepProgress} for each of its parts. */
final class StudyBar implements StudyProgress, AutoCloseable {
    private final boolean quiet;
    private final PrintWriter err;
    private @Nullable StepProgress part;

    StudyBar(boolean quiet, PrintWriter err) {
        this.quiet = quiet;
        this.err = err;
    }

    @Override
    public synchronized void begin(String what, long steps) {
        close();
        part = new StepProgress(what, steps, quiet, err);
    }

    @Override
    public synchronized void advance(long steps) {
        if (part != null) {
            part.advance(steps);
        }
    }

    @Override
    public synchronized void close() {
        if (part != null) {
            part.close();
            part = null;
        }
    }
}
