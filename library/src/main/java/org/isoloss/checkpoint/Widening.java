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
    private static final int STRETCH = 4096;
    private static final int INFINITY = 0x7C00;
    private static final int MAGNITUDE = 0x7FFF;

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
        short[] codes = new short[Math.min(count, STRETCH)];
        for (int done = 0; done < count; done += STRETCH) {
            int n = Math.min(STRETCH, count - done);
            MemorySegment.copy(bytes, INT16, 2 * (from + done), codes, 0, n);
            if (half) {
                widenHalf(codes, target, at + done, n);
            } else {
                widenBfloat(codes, target, at + done, n);
            }
        }
    }

    private static void widenHalf(short[] codes, float[] target, int at, int n) {
        for (int i = 0; i < n; i++) {
            target[at + i] = Float.float16ToFloat(codes[i]);
        }
        int largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, codes[i] & MAGNITUDE);
        }
        if (largest > INFINITY) { // the processor's conversion quiets a signalling NaN
            for (int i = 0; i < n; i++) {
                long wide = FloatFormat.BINARY16.decode(codes[i] & 0xFFFF);
                target[at + i] = Float.intBitsToFloat((int) FloatFormat.BINARY32.encode(wide));
            }
        }
    }

    private static void widenBfloat(short[] codes, float[] target, int at, int n) {
        for (int i = 0; i < n; i++) {
            target[at + i] = Float.intBitsToFloat(codes[i] << 16);
        }
    }
}
