package org.isoloss.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Fits that run at the same time. After one of them fails those that run end as they would and none begins: what failed it, a
 * full disk perhaps, would fail the next.
 */
public final class SimultaneousFits {
    private SimultaneousFits() {}

    /**
     * A fit, with whatever belongs to it.
     *
     * @param <T> what comes of it
     */
    @FunctionalInterface
    public interface Work<T> {
        /**
         * Does the work, in any thread.
         *
         * @return what comes of it
         * @throws IOException when a file cannot be read or written
         */
        T run() throws IOException;
    }

    /**
     * Runs fits, in their order as far as threads allow.
     *
     * @param threads fits at the same time, at least 1
     * @param fits any number
     * @return what comes of each, in their order
     * @param <T> what comes of a fit
     * @throws IOException of the first fit in their order that failed
     * @throws InterruptedException when the thread is interrupted while it waits
     */
    public static <T> List<T> run(int threads, List<Work<T>> fits) throws IOException, InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        List<T> results = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(Math.clamp(threads, 1, Math.max(1, fits.size())))) {
            List<Future<Optional<T>>> waiting = new ArrayList<>();
            for (Work<T> fit : fits) {
                waiting.add(pool.submit(() -> unlessEnded(ended, fit)));
            }
            try {
                for (Future<Optional<T>> result : waiting) {
                    result.get().ifPresent(results::add);
                }
            } finally {
                ended.set(true); // also when the wait is interrupted
            }
        } catch (ExecutionException e) {
            throw failure(e);
        }
        return results;
    }

    private static <T> Optional<T> unlessEnded(AtomicBoolean ended, Work<T> fit) throws IOException {
        if (ended.get()) {
            return Optional.empty();
        }
        try {
            return Optional.of(fit.run());
        } catch (IOException | RuntimeException | Error e) {
            ended.set(true);
            throw e;
        }
    }

    private static IOException failure(ExecutionException e) {
        return switch (e.getCause()) {
            case Error error -> throw error;
            case RuntimeException refused -> throw refused;
            case IOException io -> io;
            case null, default -> new IOException(e);
        };
    }
}
