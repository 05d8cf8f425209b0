package org.isoloss.cli;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** How far a {@link Job} is, written by the threads that work for it and read by the one that waits. */
final class JobProgress {
    /** The progress of the job that a command runs in; unbound where it runs for itself. */
    static final ScopedValue<JobProgress> CURRENT = ScopedValue.newInstance();

    /**
     * Where the work is.
     *
     * @param what is being done; empty before anything is told
     * @param unit in which it is counted
     * @param done so far
     * @param total of it all; 0 where nobody knows
     */
    record At(String what, String unit, long done, long total) {}

    private volatile At at = new At("", "", 0, 0);
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /** The progress of the job that this thread works for; null where there is none. */
    static @Nullable JobProgress current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /** What failed the command; null where nothing did. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Keeps what failed the command, where it is a job's. */
    static void keep(Throwable failed) {
        if (CURRENT.isBound()) {
            CURRENT.get().failure = failed;
        }
    }

    At at() {
        return at;
    }

    void stop() {
        stopped = true;
    }

    /**
     * Takes note of work done.
     *
     * @throws CancellationException when the work is to end
     */
    void tell(At now) {
        at = now;
        if (stopped) {
            throw new CancellationException("stopped");
        }
    }
}
