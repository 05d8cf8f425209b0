package org.isoloss.spark;

import java.io.PrintWriter;
import java.time.Duration;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Says now and then how many fits are made, and about how long the rest takes. */
final class FitCounter extends SparkListener {
    private static final long EVERY = Duration.ofSeconds(20).toNanos();

    private final String name;
    private final int total;
    private final PrintWriter lines;
    private final long begin = System.nanoTime();
    private long last = begin;
    private int done;

    FitCounter(String name, int total, PrintWriter lines) {
        this.name = name;
        this.total = total;
        this.lines = lines;
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd ended) {
        if (!ended.taskInfo().successful() || done == total) {
            return;
        }
        done++;
        long now = System.nanoTime();
        if (now - last > EVERY) {
            last = now;
            double left = (now - begin) * 1e-9 * (total - done) / done;
            lines.printf("%s: %d of %d fits, about %.0f s left%n", name, done, total, left);
        }
    }
}
