package org.isoloss.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;

/** Writes elements little-endian in pieces, so that no second copy of a tensor is held. */
final class TensorOutput {
    /** Elements or bytes at a time. */
    static final int PIECE = 1 << 16;

    private static final long LARGEST_COPY = 1L << 26;

    /** The stored bits of the element at an index, in the low end. */
    @FunctionalInterface
    interface Codes {
        long at(int index);
    }

    private TensorOutput() {}

    /** Copies bytes as they are, also beyond 2 GiB. */
    static void copy(MemorySegment bytes, WritableByteChannel channel) throws IOException {
        for (long at = 0; at < bytes.byteSize(); at += LARGEST_COPY) {
            channel.write(bytes.asSlice(at, Math.min(LARGEST_COPY, bytes.byteSize() - at))
                    .asByteBuffer());
        }
    }

    /**
     * Writes elements of 16, 32 or 64 bits.
     *
     * @param bits width of an element
     * @param codes asked for 0 to {@code count - 1}, once each, in order
     */
    static void write(WritableByteChannel channel, int bits, int count, Codes codes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE).order(ByteOrder.LITTLE_ENDIAN);
        for (int index = 0; index < count; index++) {
            long code = codes.at(index);
            switch (bits) {
                case 64 -> piece.putLong(code);
                case 32 -> piece.putInt((int) code);
                default -> piece.putShort((short) code);
            }
            if (!piece.hasRemaining()) {
                channel.write(piece.flip());
                piece.clear();
            }
        }
        channel.write(piece.flip());
    }
}
