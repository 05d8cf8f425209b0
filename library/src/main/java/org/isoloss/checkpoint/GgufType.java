package org.isoloss.checkpoint;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How GGUF stores elements: plainly, or in blocks of quantised numbers that share a scale. Blocks are widened with the
 * operations of ggml in their order, each in float32, so every bit is the same.
 *
 * @see "ggml, ggml-common.h and ggml-quants.c: the blocks and their dequantize_row functions"
 */
enum GgufType {
    F32(0, ElementType.F32),
    F16(1, ElementType.F16),
    Q4_0(2, 32, 18) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            float scale = half(blocks, at);
            for (int i = 0; i < 16; i++) {
                int pair = unsigned(blocks, at + 2 + i);
                to[i] = ((pair & 15) - 8) * scale;
                to[i + 16] = ((pair >> 4) - 8) * scale;
            }
        }
    },
    Q4_1(3, 32, 20) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            float scale = half(blocks, at);
            float least = half(blocks, at + 2);
            for (int i = 0; i < 16; i++) {
                int pair = unsigned(blocks, at + 4 + i);
                to[i] = (pair & 15) * scale + least;
                to[i + 16] = (pair >> 4) * scale + least;
            }
        }
    },
    Q5_0(6, 32, 22) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q5(blocks, at, false, to);
        }
    },
    Q5_1(7, 32, 24) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q5(blocks, at, true, to);
        }
    },
    Q8_0(8, 32, 34) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            float scale = half(blocks, at);
            for (int i = 0; i < 32; i++) {
                to[i] = blocks.get(ValueLayout.JAVA_BYTE, at + 2 + i) * scale;
            }
        }
    },
    Q8_1(9, 32, 36),
    Q2_K(10, 256, 84) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q2K(blocks, at, to);
        }
    },
    Q3_K(11, 256, 110) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q3K(blocks, at, to);
        }
    },
    Q4_K(12, 256, 144) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q4K(blocks, at, to);
        }
    },
    Q5_K(13, 256, 176) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.q5K(blocks, at, to);
        }
    },
    Q6_K(14, 256, 210) {
        // 128 bytes of low halves, 64 of upper quarters, 16 scales, and the scale of the scales
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            float scale = half(blocks, at + 208);
            for (int half = 0; half < 2; half++) {
                long low = at + 64L * half;
                long high = at + 128 + 32L * half;
                long scales = at + 192 + 8L * half;
                for (int i = 0; i < 32; i++) {
                    int first = unsigned(blocks, low + i);
                    int second = unsigned(blocks, low + 32 + i);
                    int upper = unsigned(blocks, high + i);
                    int[] codes = {
                        (first & 15) | (upper & 3) << 4,
                        (second & 15) | (upper >> 2 & 3) << 4,
                        (first >> 4) | (upper >> 4 & 3) << 4,
                        (second >> 4) | (upper >> 6 & 3) << 4
                    };
                    for (int part = 0; part < 4; part++) {
                        float own = scale * blocks.get(ValueLayout.JAVA_BYTE, scales + i / 16 + 2L * part);
                        to[128 * half + 32 * part + i] = own * (codes[part] - 32);
                    }
                }
            }
        }
    },
    Q8_K(15, 256, 292),
    IQ4_NL(20, 32, 18) {
        @Override
        void widen(MemorySegment blocks, long at, float[] to) {
            GgufBlocks.iq4Nl(blocks, at, to);
        }
    },
    I8(24, ElementType.I8),
    I16(25, ElementType.I16),
    I32(26, ElementType.I32),
    I64(27, ElementType.I64),
    F64(28, ElementType.F64),
    BF16(30, ElementType.BF16);

    private static final ValueLayout.OfShort INT16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private final int id;
    private final @Nullable ElementType plain;
    private final int blockElements;
    private final int blockBytes;

    GgufType(int id, ElementType plain) {
        this.id = id;
        this.plain = plain;
        this.blockElements = 1;
        this.blockBytes = plain.bits() / 8;
    }

    GgufType(int id, int blockElements, int blockBytes) {
        this.id = id;
        this.plain = null;
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    static Optional<GgufType> of(int id) {
        return Arrays.stream(values()).filter(type -> type.id == id).findFirst();
    }

    /** Returns the type that elements are read as: their own, or F32 when they are widened. */
    ElementType elements() {
        return plain == null ? ElementType.F32 : plain;
    }

    boolean isPlain() {
        return plain != null;
    }

    /** Tells whether elements can be read at all; the others are carried in the list of tensors alone. */
    boolean isRead() {
        return switch (this) {
            case Q8_1, Q8_K -> false;
            default -> true;
        };
    }

    int blockElements() {
        return blockElements;
    }

    int blockBytes() {
        return blockBytes;
    }

    /**
     * Widens one block.
     *
     * @param blocks stored bytes
     * @param at first byte of the block
     * @param to receives {@link #blockElements} numbers; modified
     */
    void widen(MemorySegment blocks, long at, float[] to) {
        throw new IllegalStateException(this + " is not stored in blocks that are read");
    }

    /** Widens whole blocks into little-endian float32. */
    void widen(MemorySegment blocks, MemorySegment floats) {
        ValueLayout.OfFloat binary32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);
        float[] block = new float[blockElements];
        long count = blocks.byteSize() / blockBytes;
        for (long i = 0; i < count; i++) {
            widen(blocks, i * blockBytes, block);
            MemorySegment.copy(block, 0, floats, binary32, i * blockElements * Float.BYTES, blockElements);
        }
    }

    static float half(MemorySegment bytes, long at) {
        return Float.float16ToFloat(bytes.get(INT16, at));
    }

    static int unsigned(MemorySegment bytes, long at) {
        return bytes.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
    }
}
