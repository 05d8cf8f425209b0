package org.isoloss.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.isoloss.discovery.Training;
import org.isoloss.linalg.BoundGemm;

/** Repeats work for a while and counts. */
final class Stopwatch {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Stopwatch() {}

    /** How often the work was done, in which time, and the bytes that the thread allocated meanwhile. */
    record Count(long times, double seconds, long bytes) {
        double perSecond() {
            return times / seconds;
        }

        Count plus(Count other) {
            return new Count(times + other.times, seconds + other.seconds, bytes + other.bytes);
        }
    }

    /** Trains for a while. A loss that is not finite would stop the training, and with it the work: an error. */
    static Count steps(Training training, double seconds) {
        return repeat(seconds, () -> {
            double loss = training.step();
            if (!Double.isFinite(loss)) {
                throw new IllegalStateException(
                        "the loss became %s at step %d; nothing left to measure".formatted(loss, training.stepsDone()));
            }
        });
    }

    /** Runs the matrix products of a step, all of them each time, for a while. */
    static Count products(List<BoundGemm> products, double seconds) {
        BoundGemm[] all = products.toArray(BoundGemm[]::new);
        return repeat(seconds, () -> {
            for (BoundGemm product : all) {
                product.run(false);
            }
        });
    }

    private static Count repeat(double seconds, Runnable work) {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        long end = start + Math.round(1e9 * seconds);
        long now = start;
        long times = 0;
        while (now < end) {
            work.run();
            times++;
            now = System.nanoTime();
        }
        return new Count(times, 1e-9 * (now - start), THREADS.getCurrentThreadAllocatedBytes() - bytes);
    }
}
