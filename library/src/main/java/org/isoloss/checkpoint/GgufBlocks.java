package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.GgufType.half;
import static org.isoloss.checkpoint.GgufType.unsigned;

import java.lang.foreign.MemorySegment;

/**
 * Widens blocks whose codes lie in several planes, or whose scales are themselves quantised.
 *
 * @see "ggml, ggml-common.h and ggml-quants.c: the dequantize_row functions"
 */
final class GgufBlocks {
    /** What the sixteen codes of IQ4_NL stand for. */
    private static final int[] UNEVEN = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

    private GgufBlocks() {}

    /** A scale, a least number or none, 32 upper bits and 32 halves of bytes. */
    static void q5(MemorySegment blocks, long at, boolean withLeast, float[] to) {
        float scale = half(blocks, at);
        float least = withLeast ? half(blocks, at + 2) : 0;
        long upper = at + (withLeast ? 4 : 2);
        for (int i = 0; i < 32; i++) {
            int pair = unsigned(blocks, upper + 4 + i % 16);
            int bit = unsigned(blocks, upper + i / 8) >> (i % 8) & 1;
            int code = (i < 16 ? pair & 15 : pair >> 4) | bit << 4;
            to[i] = withLeast ? code * scale + least : (code - 16) * scale;
        }
    }

    /** 16 pairs of a scale and a least number in four bits each, 64 bytes of quarters, and the scales of both. */
    static void q2K(MemorySegment blocks, long at, float[] to) {
        float scale = half(blocks, at + 80);
        float least = half(blocks, at + 82);
        for (int i = 0; i < 256; i++) {
            int pair = unsigned(blocks, at + i / 16);
            int code = unsigned(blocks, at + 16 + 32L * (i / 128) + i % 32) >> (2 * (i % 128 / 32)) & 3;
            to[i] = scale * (pair & 15) * code - least * (pair >> 4);
        }
    }

    /** 256 upper bits, 64 bytes of quarters, 16 scales of six bits, and the scale of the scales. */
    static void q3K(MemorySegment blocks, long at, float[] to) {
        float scale = half(blocks, at + 108);
        for (int i = 0; i < 256; i++) {
            int number = i / 16;
            int low = unsigned(blocks, at + 96 + number % 8) >> (number < 8 ? 0 : 4) & 15;
            int high = unsigned(blocks, at + 104 + number % 4) >> (2 * (number / 4)) & 3;
            int code = unsigned(blocks, at + 32 + 32L * (i / 128) + i % 32) >> (2 * (i % 128 / 32)) & 3;
            int bit = unsigned(blocks, at + i % 32) >> (i / 32) & 1;
            to[i] = scale * ((low | high << 4) - 32) * (code - (bit == 1 ? 0 : 4));
        }
    }

    /** The scales of scales and least numbers, 8 of both in six bits, and 128 bytes of halves. */
    static void q4K(MemorySegment blocks, long at, float[] to) {
        halves(blocks, at, at + 16, -1, to);
    }

    /** The same with 256 upper bits before the halves. */
    static void q5K(MemorySegment blocks, long at, float[] to) {
        halves(blocks, at, at + 48, at + 16, to);
    }

    private static void halves(MemorySegment blocks, long at, long codes, long upper, float[] to) {
        float scale = half(blocks, at);
        float least = half(blocks, at + 2);
        for (int part = 0; part < 8; part++) {
            float own = scale * sixBits(blocks, at + 4, part, false);
            float from = least * sixBits(blocks, at + 4, part, true);
            for (int i = 0; i < 32; i++) {
                int pair = unsigned(blocks, codes + 32L * (part / 2) + i);
                int bit = upper < 0 ? 0 : unsigned(blocks, upper + i) >> part & 1;
                to[32 * part + i] = own * ((part % 2 == 0 ? pair & 15 : pair >> 4) | bit << 4) - from;
            }
        }
    }

    /** The first four of each are whole; of the others the upper two bits are above those. */
    private static int sixBits(MemorySegment blocks, long at, int part, boolean least) {
        if (part < 4) {
            return unsigned(blocks, at + part + (least ? 4 : 0)) & 63;
        }
        int pair = unsigned(blocks, at + part + 4);
        int upper = unsigned(blocks, at + part - (least ? 0 : 4)) >> 6;
        return (least ? pair >> 4 : pair & 15) | upper << 4;
    }

    /** A scale and halves of bytes that stand for numbers at uneven distances. */
    static void iq4Nl(MemorySegment blocks, long at, float[] to) {
        float scale = half(blocks, at);
        for (int i = 0; i < 32; i++) {
            int pair = unsigned(blocks, at + 2 + i % 16);
            to[i] = scale * UNEVEN[i < 16 ? pair & 15 : pair >> 4];
        }
    }
}
