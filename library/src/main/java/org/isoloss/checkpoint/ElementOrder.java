package org.isoloss.checkpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.LongUnaryOperator;

/** Tensors whose elements lie in another order than the file's; nothing is copied before the elements are asked for. */
public final class ElementOrder {
    private static final ValueLayout.OfDouble BINARY64 =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ElementOrder() {}

    /**
     * Returns a tensor with its rows, which are its first axis, in another order.
     *
     * @param stored with at least one axis and elements of whole bytes
     * @param source the row of {@code stored} that each row of the result is; a permutation
     * @return the reordered tensor
     */
    public static StoredTensor ofRows(StoredTensor stored, LongUnaryOperator source) {
        return stored.with(stored.type(), stored.shape(), () -> {
            MemorySegment from = stored.bytes();
            MemorySegment to = Arena.ofAuto().allocate(from.byteSize(), Double.BYTES);
            long rows = stored.shape().size(0);
            long row = rows == 0 ? 0 : from.byteSize() / rows;
            for (long i = 0; i < rows; i++) {
                MemorySegment.copy(from, source.applyAsLong(i) * row, to, i * row, row);
            }
            return to;
        });
    }

    /**
     * Returns a matrix with rows and columns exchanged.
     *
     * @param stored with two axes and elements of whole bytes
     * @return the transposed matrix
     */
    public static StoredTensor transposed(StoredTensor stored) {
        long rows = stored.shape().size(0);
        long columns = stored.shape().size(1);
        return stored.with(stored.type(), Shape.of(columns, rows), () -> {
            MemorySegment from = stored.bytes();
            MemorySegment to = Arena.ofAuto().allocate(from.byteSize(), Double.BYTES);
            int bytes = stored.type().bits() / 8;
            for (long row = 0; row < rows; row++) {
                for (long column = 0; column < columns; column++) {
                    MemorySegment.copy(
                            from, (row * columns + column) * bytes, to, (column * rows + row) * bytes, bytes);
                }
            }
            return to;
        });
    }

    /**
     * Returns a tensor of float64 whose elements are one less; of float32 numbers from 0.5 up, exactly.
     *
     * @param stored of any type of float
     * @return the lessened tensor
     */
    public static StoredTensor lessOne(StoredTensor stored) {
        return stored.with(ElementType.F64, stored.shape(), () -> {
            double[] values = stored.toDoubles();
            MemorySegment to = Arena.ofAuto().allocate((long) values.length * Double.BYTES, Double.BYTES);
            for (int i = 0; i < values.length; i++) {
                to.setAtIndex(BINARY64, i, values[i] - 1);
            }
            return to;
        });
    }
}
