package org.isoloss.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.isoloss.task.ModelMove;
import org.jspecify.annotations.Nullable;

/** Progress of a move on standard error: with the time left where a distance was asked for, a line now and then elsewhere. */
final class MoveProgress implements AutoCloseable {
    private static final long PARTS = 1000;
    private static final long LINE_EVERY = Duration.ofSeconds(20).toNanos();

    private final double farthest;
    private final @Nullable StepProgress bar;
    private final @Nullable PrintWriter lines;
    private final @Nullable JobProgress watched = JobProgress.current();
    private long done;
    private long lastLine = System.nanoTime();

    MoveProgress(double farthest, boolean quiet, PrintWriter err) {
        this.farthest = farthest;
        this.bar = Double.isFinite(farthest) ? new StepProgress("move", PARTS, quiet, err) : null;
        this.lines = quiet ? null : err;
    }

    void advance(ModelMove.Progress at) {
        if (bar != null) {
            long now = Math.clamp(Math.round(PARTS * at.distance() / farthest), done, PARTS);
            bar.advance(now - done);
            done = now;
            return;
        }
        if (watched != null) {
            watched.tell(new JobProgress.At("move", "steps", at.steps(), 0));
        }
        if (lines != null && System.nanoTime() - lastLine > LINE_EVERY) {
            lastLine = System.nanoTime();
            lines.printf("move: %d steps, distance %.2f %%%n", at.steps(), 100 * at.distance());
            lines.flush();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
