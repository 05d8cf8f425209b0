package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;

/** Ranks modulo a prime for the verifier; not the prime of {@link org.isoloss.exact.ModularRank}, and not its code. */
final class PrimeElimination {
    /** 2^31 - 19. */
    static final long PRIME = 2_147_483_629L;

    private final int columns;
    private final List<long[]> pivotRows = new ArrayList<>();
    private final List<Integer> pivotColumns = new ArrayList<>();

    PrimeElimination(int columns) {
        this.columns = columns;
    }

    /** Adjoins a row, which is modified; pivots are taken from the right. */
    void add(long[] row) {
        for (int k = 0; k < pivotRows.size(); k++) {
            long[] pivotRow = pivotRows.get(k);
            int column = pivotColumns.get(k);
            long factor = row[column];
            for (int j = 0; j <= column && factor != 0; j++) {
                long reduced = (row[j] - factor * pivotRow[j]) % PRIME;
                row[j] = reduced < 0 ? reduced + PRIME : reduced;
            }
        }
        int lead = columns - 1;
        while (lead >= 0 && row[lead] == 0) {
            lead--;
        }
        if (lead < 0) {
            return;
        }
        long inverse = inverse(row[lead]);
        for (int j = 0; j <= lead; j++) {
            row[j] = row[j] * inverse % PRIME;
        }
        pivotRows.add(row);
        pivotColumns.add(lead);
    }

    int rank() {
        return pivotRows.size();
    }

    /** By the extended Euclidean algorithm. */
    static long inverse(long residue) {
        long a = PRIME;
        long b = residue;
        long x = 0;
        long y = 1;
        while (b != 0) {
            long quotient = a / b;
            long rest = a - quotient * b;
            a = b;
            b = rest;
            long next = x - quotient * y;
            x = y;
            y = next;
        }
        return Math.floorMod(x, PRIME);
    }
}
