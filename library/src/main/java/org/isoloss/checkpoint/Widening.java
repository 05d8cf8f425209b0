package org.isoloss.checkpoint;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Widens stretches of stored F16 and BF16 in loops that the compiler vectorises; exact, signalling NaNs included. Codes are
 * copied to the heap first, where a loop over them needs no checks.
 */
final class Widening {
    private static final ValueLayout.OfShort INT16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfInt PAIR = ValueLayout.JAVA_INT_UNALIGNED;
    /** Codes at a time: the arrays that they are copied to are new at each call, and longer ones are not in the cache. */
    private static final int STRETCH = 2048;
    /** Two F16 codes without their signs. */
    private static final int MAGNITUDES = 0x7FFF_7FFF;
    /** What takes the code after that of infinity to the sign. */
    private static final int TO_SIGN = 0x03FF_03FF;

    private static final int SIGNS = 0x8000_8000;

    private Widening() {}

    /**
     * Widens elements that follow one another.
     *
     * @param bytes two a code, little-endian
     * @param from first element
     * @param target modified from {@code at} on
     * @param half whether the codes are F16 rather than BF16
     */
    static void widen(MemorySegment bytes, long from, float[] target, int at, int count, boolean half) {
        int pairs = (Math.min(count, STRETCH) + 1) / 2;
        short[] codes = new short[2 * pairs];
        int[] joined = new int[half ? pairs : 0];
        for (int done = 0; done < count; done += STRETCH) {
            int n = Math.min(STRETCH, count - done);
            MemorySegment.copy(bytes, INT16, 2 * (from + done), codes, 0, n);
            if (half) {
                widenHalf(codes, joined, target, at + done, n);
            } else {
                widenBfloat(codes, target, at + done, n);
            }
        }
    }

    private static void widenHalf(short[] codes, int[] joined, float[] target, int at, int n) {
        for (int i = 0; i < n; i++) {
            target[at + i] = Float.float16ToFloat(codes[i]);
        }
        if (mayHaveNan(codes, joined, (n + 1) / 2)) { // the processor's conversion quiets a signalling NaN
            for (int i = 0; i < n; i++) {
                long wide = FloatFormat.BINARY16.decode(codes[i] & 0xFFFF);
                target[at + i] = Float.intBitsToFloat((int) FloatFormat.BINARY32.encode(wide));
            }
        }
    }

    /**
     * Tells whether one of the codes is NaN, two codes at a time: the compiler does not vectorise a loop that compares
     * single ones, which took seven times as long as the conversion. After an odd number a code that was there counts too.
     */
    private static boolean mayHaveNan(short[] codes, int[] joined, int pairs) {
        MemorySegment.copy(MemorySegment.ofArray(codes), PAIR, 0, joined, 0, pairs);
        int beyond = 0;
        for (int i = 0; i < pairs; i++) {
            beyond |= (joined[i] & MAGNITUDES) + TO_SIGN;
        }
        return (beyond & SIGNS) != 0;
    }

    private static void widenBfloat(short[] codes, float[] target, int at, int n) {
        for (int i = 0; i < n; i++) {
            target[at + i] = Float.intBitsToFloat(codes[i] << 16);
        }
    }
}
