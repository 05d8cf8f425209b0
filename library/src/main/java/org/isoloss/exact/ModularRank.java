package org.isoloss.exact;

import java.util.ArrayList;
import java.util.List;

/**
 * The rank of integer rows modulo a prime, row by row. It never exceeds the rank over the rationals, so it proves lower
 * bounds of ranks and upper bounds of dimensions of null spaces, without rounding and without large integers.
 */
public final class ModularRank {
    /** The Mersenne prime 2^31 - 1: products of residues fit into a long. */
    public static final long PRIME = Integer.MAX_VALUE;

    private final int columns;
    private final List<long[]> rows = new ArrayList<>();
    private final List<Integer> pivots = new ArrayList<>();

    /**
     * Begins with no row.
     *
     * @param columns the length of every row, at least 0
     */
    public ModularRank(int columns) {
        this.columns = columns;
    }

    /**
     * Returns the residue of a fraction.
     *
     * @param numerator any
     * @param denominator not a multiple of {@link #PRIME}
     * @return from 0, below {@link #PRIME}
     */
    public static long residue(long numerator, long denominator) {
        long divisor = Math.floorMod(denominator, PRIME);
        if (divisor == 0) {
            throw new IllegalArgumentException(
                    "ModularRank: the denominator %d is divisible by the prime".formatted(denominator));
        }
        return Math.floorMod(numerator, PRIME) * inverse(divisor) % PRIME;
    }

    /**
     * Adjoins a row.
     *
     * @param row residues from 0, below {@link #PRIME}, of the length of all rows; modified
     * @return true when the rank grew
     */
    public boolean add(long[] row) {
        if (row.length != columns) {
            throw new IllegalArgumentException(
                    "ModularRank: row of length %d, expected %d".formatted(row.length, columns));
        }
        for (int i = 0; i < rows.size(); i++) {
            long factor = row[pivots.get(i)];
            if (factor != 0) {
                subtract(factor, rows.get(i), pivots.get(i), row);
            }
        }
        int pivot = 0;
        while (pivot < columns && row[pivot] == 0) {
            pivot++;
        }
        if (pivot == columns) {
            return false;
        }
        long scale = inverse(row[pivot]);
        for (int j = pivot; j < columns; j++) {
            row[j] = row[j] * scale % PRIME;
        }
        rows.add(row);
        pivots.add(pivot);
        return true;
    }

    /** {@return the rank so far, 0 to the number of columns} */
    public int rank() {
        return rows.size();
    }

    /** {@code row -= factor * pivotRow} from the pivot on; before it the pivot row is zero. */
    private static void subtract(long factor, long[] pivotRow, int from, long[] row) {
        long opposite = PRIME - factor;
        for (int j = from; j < row.length; j++) {
            row[j] = (row[j] + opposite * pivotRow[j]) % PRIME;
        }
    }

    private static long inverse(long residue) {
        long inverse = 1;
        long power = residue;
        for (long exponent = PRIME - 2; exponent > 0; exponent >>= 1) {
            if ((exponent & 1) == 1) {
                inverse = inverse * power % PRIME;
            }
            power = power * power % PRIME;
        }
        return inverse;
    }
}
