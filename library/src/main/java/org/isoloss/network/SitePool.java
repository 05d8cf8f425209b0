package org.isoloss.network;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * The protected batches that a compensation site is for: k different inputs of a pool, or k consecutive ones that belong together,
 * such as the tokens of a text. The units of the site are the same for all batches. A batch is admissible where the condition of its
 * compensating features is at most {@link CompensatorFeatures#LARGEST_CONDITION}.
 */
public final class SitePool {
    private static final int CANDIDATES = 16;
    private static final int JUDGED = 64;
    private static final int MOST_DRAWS = 1_000;

    private final SiteBlock block;
    private final Matrix inputs;
    private final int size;
    private final boolean grouped;
    private final boolean reduced;
    private final int moving;
    private final int[] compensators;

    private SitePool(
            SiteBlock block,
            Matrix inputs,
            int size,
            boolean grouped,
            boolean reduced,
            int moving,
            int... compensators) {
        this.block = block;
        this.inputs = inputs;
        this.size = size;
        this.grouped = grouped;
        this.reduced = reduced;
        this.moving = moving;
        this.compensators = compensators;
    }

    /**
     * Chooses the units: those that {@link CompensationSite#choose} takes for one of the first batches drawn, whose features have the
     * least condition on nine of ten others.
     *
     * @param block without a gate
     * @param inputs the pool, one input a row, as they enter the block; not modified
     * @param size of a batch, k, at least 1
     * @param grouped whether every k consecutive rows are one batch; otherwise any k are
     * @param reduced whether the coordinates are reduced
     * @param units how the one moving unit is chosen
     * @param random the stream of the batches; modified
     * @return the pool with its units
     * @throws IllegalArgumentException when the pool is smaller than a batch, or the site is singular on every batch drawn
     */
    public static SitePool choose(
            SiteBlock block,
            Matrix inputs,
            int size,
            boolean grouped,
            boolean reduced,
            MovingUnits units,
            SplittableRandom random) {
        if (inputs.rows() < size) {
            throw new IllegalArgumentException(
                    "pool: %d inputs, expected at least %d, as many as the protected batch has; name more"
                            .formatted(inputs.rows(), size));
        }
        SitePool best = null;
        double least = Double.POSITIVE_INFINITY;
        String refusal = "";
        for (int candidate = 0; candidate < CANDIDATES; candidate++) {
            SitePool drawn = new SitePool(block, inputs, size, grouped, reduced, -1);
            try {
                CompensationSite site = CompensationSite.choose(block, drawn.batch(random), units);
                BatchView.requireOneRow(block, site.moving());
                drawn = new SitePool(block, inputs, size, grouped, reduced, site.moving()[0], site.compensators());
            } catch (IllegalArgumentException singular) {
                refusal = String.valueOf(singular.getMessage());
                continue;
            }
            double condition = drawn.condition(random.split());
            if (best == null || condition < least) {
                best = drawn;
                least = condition;
            }
        }
        if (best == null) {
            throw new IllegalArgumentException("pool: the site is refused on each of %d batches drawn; the last one: %s"
                    .formatted(CANDIDATES, refusal));
        }
        return best;
    }

    /** The 90th percentile over batches. */
    private double condition(SplittableRandom random) {
        double[] conditions = new double[JUDGED];
        Arrays.setAll(conditions, i -> condition(batch(random)));
        Arrays.sort(conditions);
        return conditions[JUDGED * 9 / 10];
    }

    /**
     * Takes the same units with other inputs.
     *
     * @param others another pool, as they enter the block; not modified
     * @return the pool
     */
    public SitePool with(Matrix others) {
        if (others.rows() < size) {
            throw new IllegalArgumentException(
                    "unseen: %d inputs, expected at least %d, as many as the protected batch has; name more"
                            .formatted(others.rows(), size));
        }
        return new SitePool(block, others, size, grouped, reduced, moving, compensators);
    }

    /**
     * Draws a batch, admissible or not.
     *
     * @param random the stream to draw from; modified
     * @return k rows of the pool, different ones
     */
    public Matrix batch(SplittableRandom random) {
        if (grouped) {
            int first = random.nextInt(inputs.rows() / size) * size;
            return inputs.rows(first, first + size);
        }
        int[] rows = new int[size];
        Matrix batch = Matrix.zeros(size, inputs.columns());
        for (int i = 0; i < size; i++) {
            int row = random.nextInt(inputs.rows());
            while (contains(rows, i, row)) {
                row = random.nextInt(inputs.rows());
            }
            rows[i] = row;
            System.arraycopy(inputs.row(row), 0, batch.entries(), i * inputs.columns(), inputs.columns());
        }
        return batch;
    }

    private static boolean contains(int[] rows, int count, int row) {
        for (int i = 0; i < count; i++) {
            if (rows[i] == row) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the condition number of the compensating features.
     *
     * @param batch shape (k, n); not modified
     * @return at least 1; infinite where they are dependent
     */
    public double condition(Matrix batch) {
        return CompensatorFeatures.condition(Svd.valuesOf(block.features(block.augmented(batch), compensators)));
    }

    /**
     * Draws admissible batches until there is one.
     *
     * @param random the stream to draw from; modified
     * @return what the site sees of it
     * @throws IllegalArgumentException when none of a thousand is admissible
     */
    public BatchView draw(SplittableRandom random) {
        for (int attempt = 0; attempt < MOST_DRAWS; attempt++) {
            Matrix batch = batch(random);
            if (condition(batch) <= CompensatorFeatures.LARGEST_CONDITION) {
                return BatchView.of(block, batch, moving, compensators, reduced);
            }
        }
        throw new IllegalArgumentException(
                "pool: the site is singular on %d batches in a row, condition of the compensating features above %.0e; give a pool whose inputs differ more"
                        .formatted(MOST_DRAWS, CompensatorFeatures.LARGEST_CONDITION));
    }

    /**
     * Counts the batches that are left out.
     *
     * @param random the stream to draw from; modified
     * @param count how many are drawn
     * @return how many of them are not admissible
     */
    public int leftOut(SplittableRandom random, int count) {
        int out = 0;
        for (int i = 0; i < count; i++) {
            out += condition(batch(random)) <= CompensatorFeatures.LARGEST_CONDITION ? 0 : 1;
        }
        return out;
    }

    /**
     * Returns the coordinates of the site on a batch.
     *
     * @param batch shape (k, n), as it enters the block; not modified
     * @return with the units of this pool
     * @throws IllegalArgumentException when the batch is not admissible
     */
    public SiteCoordinates coordinates(Matrix batch) {
        CompensationSite site = CompensationSite.of(block, batch, new int[] {moving}, compensators);
        return reduced ? SiteCoordinates.reduced(site) : SiteCoordinates.plain(site);
    }

    /**
     * Returns how far a batch is from the pool.
     *
     * @param batch shape (k, n); not modified
     * @return the largest distance of an input from the nearest one of the pool, over the root mean square norm of the pool; empty
     *     where the pool is all zero
     */
    public OptionalDouble distance(Matrix batch) {
        double scale = inputs.frobeniusNorm() / Math.sqrt(inputs.rows());
        double largest = 0;
        for (int i = 0; i < batch.rows(); i++) {
            double nearest = Double.POSITIVE_INFINITY;
            for (int row = 0; row < inputs.rows(); row++) {
                double square = 0;
                for (int j = 0; j < inputs.columns(); j++) {
                    double difference = batch.get(i, j) - inputs.get(row, j);
                    square += difference * difference;
                }
                nearest = Math.min(nearest, square);
            }
            largest = Math.max(largest, Math.sqrt(nearest));
        }
        return scale > 0 ? OptionalDouble.of(largest / scale) : OptionalDouble.empty();
    }

    /** {@return the number of inputs of a batch, k} */
    public int size() {
        return size;
    }
}
