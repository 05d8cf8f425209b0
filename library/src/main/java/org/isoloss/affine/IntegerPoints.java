package org.isoloss.affine;

/**
 * A reproducible stream of small integers, the coordinates of the points at which exact constraints are taken. Any points
 * prove the bound that comes out of them; these are easy to make again: {@code x -> 6364136223846793005 x +
 * 1442695040888963407} modulo 2^64 (Knuth's MMIX), whose upper 31 bits modulo 101, less 50, are the next integer.
 */
final class IntegerPoints {
    static final int LARGEST = 50;

    private long state;

    IntegerPoints(long seed) {
        this.state = seed;
    }

    int next() {
        state = 6364136223846793005L * state + 1442695040888963407L;
        return (int) ((state >>> 33) % (2 * LARGEST + 1)) - LARGEST;
    }

    int[] next(int count) {
        int[] integers = new int[count];
        for (int i = 0; i < count; i++) {
            integers[i] = next();
        }
        return integers;
    }
}
