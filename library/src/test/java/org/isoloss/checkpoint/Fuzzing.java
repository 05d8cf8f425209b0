package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Gives a reader one damaged file after the other, and requires that it throws nothing of its own and allocates little. */
final class Fuzzing {
    private static final long ALLOCATION_LIMIT = 64L << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Fuzzing() {}

    /** Reads a file; false when it is refused as it should be. */
    interface Reader {
        boolean accepts(byte[] content) throws IOException;
    }

    /** A step that is watched. */
    interface Step {
        void run() throws IOException;
    }

    /**
     * Reads many files.
     *
     * @param name in front of a failure, beside seed and number of the case
     * @param mutated makes a file
     * @return how many were accepted
     */
    static int run(String name, long seed, int cases, Function<SplittableRandom, byte[]> mutated, Reader reader)
            throws IOException {
        var random = new SplittableRandom(seed);
        int accepted = 0;
        for (int i = 0; i < cases; i++) {
            byte[] content = mutated.apply(random);
            boolean[] read = new boolean[1];
            withinLimit(name + ", seed " + seed + ", case " + i, () -> read[0] = reader.accepts(content));
            accepted += read[0] ? 1 : 0;
        }
        return accepted;
    }

    /** Requires that a step throws no unchecked exception and allocates at most 64 MiB. */
    static void withinLimit(String name, Step step) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            step.run();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(name, e);
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).as(name).isLessThan(ALLOCATION_LIMIT);
    }
}
