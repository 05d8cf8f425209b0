package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WideningTest {
    private static final int CODES = 1 << 16;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void widensEveryCodeAsItsFormatSays(boolean half) {
        FloatFormat format = half ? FloatFormat.BINARY16 : ElementType.BF16.format();
        short[] codes = new short[CODES];
        int[] expected = new int[CODES];
        for (int code = 0; code < CODES; code++) {
            codes[code] = (short) code;
            expected[code] = (int) FloatFormat.BINARY32.encode(format.decode(code));
        }
        assertThat(widened(codes, 0, CODES, half)).isEqualTo(expected);
    }

    /** A signalling NaN among ordinary numbers is kept wherever it lies, at the ends of odd stretches too. */
    @Test
    void keepsASignallingNanAnywhere() {
        var random = new SplittableRandom(1);
        short[] codes = new short[5001];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = Float.floatToFloat16((float) random.nextDouble(-2, 2));
        }
        int[] places = {0, 1, 2046, 2047, 2048, 4095, 4096, 4999, 5000};
        for (int place : places) {
            short ordinary = codes[place];
            for (int nan : new int[] {0x7C01, 0xFC01, 0x7FFF, 0xFDFF}) {
                codes[place] = (short) nan;
                int[] bits = widened(codes, 0, codes.length, true);
                assertThat(bits[place]).isEqualTo((int) FloatFormat.BINARY32.encode(FloatFormat.BINARY16.decode(nan)));
            }
            codes[place] = ordinary;
        }
    }

    @Test
    void stretchesFitTogether() {
        var random = new SplittableRandom(2);
        short[] codes = new short[10_000];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = (short) random.nextInt();
        }
        int[] whole = widened(codes, 0, codes.length, true);
        int[] parts = new int[codes.length];
        for (int from = 0; from < codes.length; ) {
            int count = Math.min(random.nextInt(1, 5000), codes.length - from);
            System.arraycopy(widened(codes, from, count, true), 0, parts, from, count);
            from += count;
        }
        assertThat(parts).isEqualTo(whole);
    }

    private static int[] widened(short[] codes, int from, int count, boolean half) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * codes.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asShortBuffer().put(codes);
        float[] floats = new float[count + 1];
        Widening.widen(MemorySegment.ofBuffer(bytes), from, floats, 1, count, half);
        int[] bits = new int[count];
        for (int i = 0; i < count; i++) {
            bits[i] = Float.floatToRawIntBits(floats[1 + i]);
        }
        return bits;
    }
}
