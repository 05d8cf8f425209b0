package org.isoloss.sweep;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who works on which fit of a sweep: locks on single bytes of one file, so that a killed worker leaves none and 100,000 fits need
 * no further files. The whole process has one channel a file, because closing any of them would give up the locks of all.
 */
final class FitClaims {
    private static final Map<Path, FitClaims> OPEN = new ConcurrentHashMap<>();

    private final FileChannel channel;
    private final Map<Integer, ReentrantLock> threads = new ConcurrentHashMap<>();

    private FitClaims(FileChannel channel) {
        this.channel = channel;
    }

    /** What is held until it is closed. */
    interface Claim extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    static FitClaims in(Path file) throws IOException {
        synchronized (OPEN) {
            Path key = file.toAbsolutePath().normalize();
            FitClaims known = OPEN.get(key);
            if (known == null) {
                known = new FitClaims(FileChannel.open(
                        key, StandardOpenOption.WRITE, StandardOpenOption.READ, StandardOpenOption.CREATE));
                OPEN.put(key, known);
            }
            return known;
        }
    }

    /** Waits until nobody else has the place, in this process or another. */
    Claim take(int place) throws IOException {
        ReentrantLock thread = threads.computeIfAbsent(place, any -> new ReentrantLock());
        thread.lock();
        try {
            FileLock lock = channel.lock(place, 1, false);
            return () -> release(lock, thread);
        } catch (IOException | RuntimeException e) {
            thread.unlock();
            throw e;
        }
    }

    /** Takes the place where nobody has it. */
    Optional<Claim> tryTake(int place) throws IOException {
        ReentrantLock thread = threads.computeIfAbsent(place, any -> new ReentrantLock());
        if (thread.isHeldByCurrentThread() || !thread.tryLock()) {
            return Optional.empty();
        }
        try {
            FileLock lock = channel.tryLock(place, 1, false);
            if (lock != null) {
                return Optional.of(() -> release(lock, thread));
            }
        } catch (IOException | RuntimeException e) {
            thread.unlock();
            throw e;
        }
        thread.unlock();
        return Optional.empty();
    }

    private static void release(FileLock lock, ReentrantLock thread) throws IOException {
        try {
            lock.release();
        } finally {
            thread.unlock();
        }
    }
}
