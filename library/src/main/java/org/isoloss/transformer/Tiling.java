package org.isoloss.transformer;

import java.util.stream.IntStream;
import org.isoloss.linalg.GemmTile;

/**
 * Cuts the outputs of a projection into tiles, each of which is read, widened and multiplied while it is in the cache. The
 * cuts depend on the shape alone, so threads decide only who computes a tile, never what is added up in which order.
 */
final class Tiling {
    /** Products of at most so many rows are computed where their factors lie, if they have few multiplications. */
    private static final int FEW_ROWS = 32;
    /** Outputs of the narrowest tile: many coordinates leave room for no more. */
    private static final int LEAST = 4;
    /** Weights of a tile where there are more rows: half of a usual second-level cache in float32. */
    private static final int WEIGHTS = 1 << 17;
    /** Outputs of a tile come in multiples of this, as the kernels compute them. */
    private static final int STEP = 16;
    /** Weights below which another thread costs more than it gives. */
    private static final int SERIAL_WEIGHTS = 1 << 15;
    /** Weights that a thread takes at a time. */
    private static final int TASK_WEIGHTS = 1 << 20;

    private final int outputs;
    private final int width;
    private final int tilesPerTask;
    private final int tasks;

    /**
     * Cuts a product of {@code rows} states of {@code in} coordinates with weights of {@code outputs} rows.
     */
    Tiling(int rows, int in, int outputs) {
        this.outputs = outputs;
        long widest = rows > FEW_ROWS ? WEIGHTS / in : GemmTile.MULTIPLICATIONS / ((long) rows * in);
        int step = widest < STEP ? LEAST : STEP;
        this.width = (int) Math.min(outputs, Math.max(step, widest / step * step));
        int tiles = (outputs + width - 1) / width;
        boolean serial = (long) in * outputs <= SERIAL_WEIGHTS;
        this.tilesPerTask = serial ? tiles : (int) Math.max(1, Math.min(tiles / 4, TASK_WEIGHTS / ((long) width * in)));
        this.tasks = (tiles + tilesPerTask - 1) / tilesPerTask;
    }

    /** What computes the outputs of a stretch; each task has its own, with a place to work in. */
    interface Worker {
        void compute(int from, int count);
    }

    /** Makes the worker of a task. */
    interface Workers {
        Worker newWorker();
    }

    /** The most outputs of a tile. */
    int width() {
        return width;
    }

    /** Computes all tiles, on the threads that are free. */
    void run(Workers workers) {
        if (tasks == 1) {
            runTask(0, workers);
        } else {
            IntStream.range(0, tasks).parallel().forEach(task -> runTask(task, workers));
        }
    }

    private void runTask(int task, Workers workers) {
        Worker worker = workers.newWorker();
        long end = Math.min(outputs, (task + 1L) * tilesPerTask * width);
        for (int from = task * tilesPerTask * width; from < end; from += width) {
            worker.compute(from, Math.min(width, outputs - from));
        }
    }
}
