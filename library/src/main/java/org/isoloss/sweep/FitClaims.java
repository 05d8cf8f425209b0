package org.isoloss.sweep;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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
            if (known == null || !known.channel.isOpen()) { // an interrupted thread closes it
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
        return locked(thread, () -> channel.lock(place, 1, false)).orElseThrow();
    }

    /** Takes the place where nobody has it. */
    Optional<Claim> tryTake(int place) throws IOException {
        ReentrantLock thread = threads.computeIfAbsent(place, any -> new ReentrantLock());
        if (thread.isHeldByCurrentThread() || !thread.tryLock()) {
            return Optional.empty();
        }
        return locked(thread, () -> channel.tryLock(place, 1, false));
    }

    /** How the place is locked for this process. */
    private interface Locking {
        @Nullable
        FileLock lock() throws IOException;
    }

    /** Holds both locks, or neither where another process has the place. */
    private static Optional<Claim> locked(ReentrantLock thread, Locking locking) throws IOException {
        boolean held = false;
        try {
            FileLock lock = locking.lock();
            held = lock != null;
            return lock == null ? Optional.empty() : Optional.of(() -> release(lock, thread));
        } catch (ClosedChannelException | FileLockInterruptionException e) {
            throw e;
        } catch (IOException e) { // a file system without locks: at worst two make the same fit, with the same bits
            held = true;
            return Optional.of(thread::unlock);
        } finally {
            if (!held) {
                thread.unlock();
            }
        }
    }

    private static void release(FileLock lock, ReentrantLock thread) throws IOException {
        try {
            lock.release();
        } finally {
            thread.unlock();
        }
    }
}
