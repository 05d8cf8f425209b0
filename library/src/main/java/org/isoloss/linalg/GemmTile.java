package org.isoloss.linalg;

import java.util.Locale;
import java.util.Set;

/**
 * How much of a matrix product is computed at a time. OpenBLAS copies both factors of a large product into an order of its
 * own first; on processors with AVX-512 it computes a small one, of up to a million multiplications, from where its factors
 * lie. A large product that is cut into small ones saves the copies, up to a third of its time, and most where it has few
 * rows. One of more rows than a tile is cut only where each entry is then summed up in the same order: no bit depends on it.
 *
 * @param rows of the product, at least 1 where it has any
 * @param columns of the product, at least 1 where it has any
 */
public record GemmTile(int rows, int columns) {
    /** Multiplications of a tile that is computed from where its factors lie. */
    public static final int MULTIPLICATIONS = 1 << 19;

    private static final Set<String> CORES_WITH_SMALL_PRODUCTS = Set.of("skylakex", "cooperlake", "sapphirerapids");
    private static final boolean SMALL_PRODUCTS =
            CORES_WITH_SMALL_PRODUCTS.contains(Blas.coreName().toLowerCase(Locale.ROOT));
    private static final long SMALL_PRODUCT = 1_000_000;
    /** Longer sums are added up in parts where the factors are copied. */
    private static final int LONGEST_SUM = 256;

    /** Rows of a tile, and those where the rows of the first factor lie side by side. */
    private static final int ROWS = 32;

    private static final int ROWS_OF_TRANSPOSED = 64;
    /** Columns come in multiples of this, as the kernels compute them; what is left over they add up in another order. */
    private static final int STEP = 16;

    /**
     * Chooses the tile of a product {@code C = op(A) op(B)}.
     *
     * @param m rows of C
     * @param n columns of C
     * @param k the summed dimension
     * @param transposedA whether A is stored as (k, m)
     * @param transposedB whether B is stored as (n, k)
     * @return the tile; the whole of a product of many rows where cutting it saves nothing or would change bits
     */
    public static GemmTile of(int m, int n, int k, boolean transposedA, boolean transposedB) {
        if (m <= ROWS) {
            return ofRows(m, n, k);
        }
        boolean sameOrder = !transposedB && n % STEP == 0 && k <= LONGEST_SUM;
        boolean large = (long) m * n * k > SMALL_PRODUCT;
        return SMALL_PRODUCTS && sameOrder && large
                ? ofRows(Math.min(m, transposedA ? ROWS_OF_TRANSPOSED : ROWS), n, k)
                : new GemmTile(m, n);
    }

    private static GemmTile ofRows(int rows, int n, int k) {
        long columns = MULTIPLICATIONS / Math.max(1, (long) rows * k);
        return new GemmTile(rows, (int) Math.min(n, Math.max(STEP, columns / STEP * STEP)));
    }
}
