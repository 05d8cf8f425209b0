package org.isoloss.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Progress of long work on standard error, with an estimate of the time left: a bar on a terminal, a line now and then
 * elsewhere, nothing when quiet. A {@link Job} is told in any case. For several threads at once.
 */
final class StepProgress implements AutoCloseable {
    private static final int WIDTH = 100;
    private static final long LINE_EVERY = Duration.ofSeconds(20).toNanos();

    private final String what;
    private final String unit;
    private final long firstLine;
    private final long total;
    private final @Nullable ProgressBar bar;
    private final @Nullable PrintWriter lines;
    private final @Nullable JobProgress watched;
    private final PrintWriter terminal;
    private final PrintWriter err;
    private final long begin = System.nanoTime();
    private long lastLine = begin;
    private long done;

    StepProgress(String what, long total, boolean quiet, PrintWriter err) {
        this(what, total, "steps", Duration.ofNanos(LINE_EVERY), quiet, err, JobProgress.current());
    }

    /**
     * Counts in another unit, with a first line after another time: soon where nobody knows what the work costs. May be made by any
     * thread that works for the job that is watched.
     */
    StepProgress(
            String what,
            long total,
            String unit,
            Duration firstLine,
            boolean quiet,
            PrintWriter err,
            @Nullable JobProgress watched) {
        this.watched = watched;
        this.what = what;
        this.unit = unit;
        this.firstLine = firstLine.toNanos();
        this.total = total;
        terminal = err;
        this.err = err;
        boolean drawn = !quiet && onTerminal();
        lines = quiet || drawn ? null : err;
        bar = drawn
                ? new ProgressBarBuilder()
                        .setTaskName(what)
                        .setInitialMax(total)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(250)
                        .setConsumer(new DelegatingProgressBarConsumer(line -> redraw(err, line), WIDTH))
                        .build()
                : null;
    }

    private static void redraw(PrintWriter err, String line) {
        err.print('\r' + line);
        err.flush();
    }

    @SuppressWarnings("SystemConsoleNull") // null where the console module is absent
    private static boolean onTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Takes note of work done. */
    synchronized void advance(long steps) {
        done += steps;
        if (watched != null) {
            watched.tell(new JobProgress.At(what, unit, done, total));
        }
        if (bar != null) {
            bar.stepTo(done);
        }
        long now = System.nanoTime();
        if (lines != null && now - lastLine > (lastLine == begin ? firstLine : LINE_EVERY)) {
            lastLine = now;
            double left = (now - begin) * 1e-9 * (total - done) / Math.max(done, 1);
            lines.printf("%s: %d of %d %s, about %.0f s left%n", what, done, total, unit, left);
            lines.flush();
        }
    }

    /** Takes note that so much is done in all; less than before is left out. */
    synchronized void reach(long steps) {
        advance(Math.max(0, steps - done));
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            terminal.println();
            err.println();
        }
    }
}
