package org.isoloss.model;

import java.util.stream.IntStream;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.GemmTile;

/**
 * A large tensor with two axes that stays in its file: rows are read where they are looked up, and products read as many
 * columns at a time as a cache holds, so that the whole is never in memory. Tiles go to the threads that are free; what is
 * added up in which order depends on the shapes alone.
 */
final class StoredTable {
    /** Entries from which a tensor is not held. */
    static final int LEAST = 1 << 16;

    /** Products of at most so many rows are computed where their factors lie, if they have few multiplications. */
    private static final int FEW_ROWS = 32;
    /** Columns of the narrowest tile: long sums leave room for no more. */
    private static final int NARROWEST = 4;
    /** Entries of a tile where there are more rows: half of a usual second-level cache in float32. */
    private static final int ENTRIES = 1 << 17;
    /** Columns of a tile come in multiples of this, as the kernels compute them. */
    private static final int STEP = 16;
    /** Entries that a thread takes at a time. */
    private static final int TASK = 1 << 20;

    private final Numbers numbers;
    private final Dimensions shape;

    StoredTable(Numbers numbers, Dimensions shape) {
        this.numbers = numbers;
        this.shape = shape;
    }

    /** Tells whether a contraction is one product with the whole of such a tensor as its columns. */
    static boolean fits(ContractionPlan plan, Dimensions columns) {
        return plan.packRight() == null
                && plan.loops().outer() * plan.loops().inner() == 1
                && columns.rank() == 2
                && columns.count() == plan.n() * plan.k();
    }

    /** Copies the rows that whole numbers choose. */
    void gather(float[] chosen, int from, int count, float[] out, int at) {
        int width = shape.count() / shape.size(0);
        for (int i = 0; i < count; i++) {
            numbers.read(Lookup.row(chosen[from + i], shape.size(0)) * width, out, at + i * width, width);
        }
    }

    /** Copies the rows that whole numbers choose. */
    void gather(double[] chosen, int from, int count, double[] out, int at) {
        int width = shape.count() / shape.size(0);
        for (int i = 0; i < count; i++) {
            numbers.read(Lookup.row(chosen[from + i], shape.size(0)) * width, out, at + i * width, width);
        }
    }

    /** Fills the result of a product in float32. */
    void multiply(ContractionPlan plan, float[] a, int from, float[] out, int at) {
        int k = plan.k();
        inTiles(plan, width -> {
            float[] tile = new float[width * k];
            return (first, count) -> {
                if (plan.b().transposed()) {
                    numbers.read(first * k, tile, 0, count * k);
                } else {
                    for (int row = 0; row < k; row++) {
                        numbers.read(row * plan.n() + first, tile, row * count, count);
                    }
                }
                boolean transposed = plan.b().transposed();
                Blas.gemm(
                                a,
                                from,
                                plan.a().stride(),
                                plan.a().transposed(),
                                tile,
                                0,
                                transposed ? k : count,
                                transposed,
                                out,
                                at + first,
                                plan.ldc(),
                                plan.m(),
                                count,
                                k)
                        .run(1, 0);
            };
        });
    }

    /** Fills the result of a product in float64. */
    void multiply(ContractionPlan plan, double[] a, int from, double[] out, int at) {
        int k = plan.k();
        inTiles(plan, width -> {
            double[] tile = new double[width * k];
            return (first, count) -> {
                if (plan.b().transposed()) {
                    numbers.read(first * k, tile, 0, count * k);
                } else {
                    for (int row = 0; row < k; row++) {
                        numbers.read(row * plan.n() + first, tile, row * count, count);
                    }
                }
                boolean transposed = plan.b().transposed();
                Blas.gemm(
                                a,
                                from,
                                plan.a().stride(),
                                plan.a().transposed(),
                                tile,
                                0,
                                transposed ? k : count,
                                transposed,
                                out,
                                at + first,
                                plan.ldc(),
                                plan.m(),
                                count,
                                k)
                        .run(1, 0);
            };
        });
    }

    /** Computes the columns of a stretch. */
    private interface Worker {
        void compute(int first, int count);
    }

    /** Makes the worker of a task, with a place for a tile of so many columns. */
    private interface Workers {
        Worker of(int width);
    }

    private static void inTiles(ContractionPlan plan, Workers workers) {
        int n = plan.n();
        int k = plan.k();
        long widest = plan.m() > FEW_ROWS ? ENTRIES / k : GemmTile.MULTIPLICATIONS / ((long) plan.m() * k);
        int step = widest < STEP ? NARROWEST : STEP;
        int width = (int) Math.min(n, Math.max(step, widest / step * step));
        int tiles = (n + width - 1) / width;
        int each = (int) Math.max(1, Math.min(tiles / 4, TASK / ((long) width * k)));
        int tasks = (tiles + each - 1) / each;
        IntStream.range(0, tasks).parallel().forEach(task -> {
            Worker worker = workers.of(width);
            int end = (int) Math.min(n, (task + 1L) * each * width);
            for (int first = task * each * width; first < end; first += width) {
                worker.compute(first, Math.min(width, n - first));
            }
        });
    }
}
