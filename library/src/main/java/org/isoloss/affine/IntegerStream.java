package org.isoloss.affine;

import java.util.Arrays;

/** The verifier's stream of integers, which {@link IntegerPoints} documents. */
final class IntegerStream {
    private long state;

    IntegerStream(long seed) {
        this.state = seed;
    }

    int[] next(int count) {
        int[] integers = new int[count];
        Arrays.setAll(integers, _ -> {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return (int) Long.remainderUnsigned(state >>> 33, 101) - 50;
        });
        return integers;
    }
}
