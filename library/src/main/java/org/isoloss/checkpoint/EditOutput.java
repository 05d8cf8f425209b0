package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import org.HdrHistogram.Histogram;
import org.isoloss.checkpoint.CheckpointEdit.NewValues;

/** Writes the new values of one tensor, rounded to its type, and counts what that changed. */
final class EditOutput {
    /** Distances are told apart to as many digits. */
    private static final int DIGITS = 4;

    private static final double MIDDLE = 50;

    private final StoredTensor tensor;
    private final ElementType type;
    private final FloatFormat format;
    private final NewValues values;
    private final double[] piece;
    private int pieceFrom;
    private int pieceTo;
    private final Histogram distances = new Histogram(DIGITS);
    private long largest;
    private long changed;
    private long requested;
    private double meant;
    private double lost;

    EditOutput(StoredTensor tensor, NewValues values) {
        this(tensor, values, tensor.type());
    }

    /** Counts in another type, in which the stored numbers are exact. */
    EditOutput(StoredTensor tensor, NewValues values, ElementType type) {
        this.tensor = tensor;
        this.type = type;
        this.format = type.format();
        this.values = values;
        this.piece = new double[Math.min(TensorOutput.PIECE, values.count())];
    }

    void writeTo(WritableByteChannel channel) throws IOException {
        TensorOutput.write(channel, type.bits(), values.count(), this::newCode);
    }

    private double value(int index) {
        if (index < pieceFrom || index >= pieceTo) {
            pieceFrom = index;
            pieceTo = index + Math.min(piece.length, values.count() - index);
            values.numbers().read(pieceFrom, piece, 0, pieceTo - pieceFrom);
        }
        return piece[index - pieceFrom];
    }

    /** Counts a new value and returns its code; each is asked for once, in order. */
    long newCode(int index) {
        double value = value(index);
        long stored = tensor.code(index);
        if (type != tensor.type()) {
            stored = format.encode(tensor.type().format().decode(stored));
        }
        long bits = Double.doubleToRawLongBits(value);
        long code = format.encode(bits);
        double old = Double.longBitsToDouble(format.decode(stored));
        if (bits != Double.doubleToRawLongBits(old)) {
            requested++;
            if (Double.isFinite(old)) {
                meant = with(meant, value - old);
                lost = with(lost, value - Double.longBitsToDouble(format.decode(code)));
            }
        }
        if (code != stored) {
            if (!format.isFinite(code)) {
                throw new IllegalArgumentException("edit: new value %d of tensor %s is %s, %s"
                        .formatted(
                                index,
                                quoted(tensor.name()),
                                value,
                                Double.isFinite(value)
                                        ? "beyond the range of its type " + type
                                        : "expected a finite number"));
            }
            add(format.distance(stored, code));
        }
        return code;
    }

    /** Adds to a norm: to its square, where no square of the type is beyond float64. */
    private double with(double sum, double difference) {
        return type == ElementType.F64 ? Math.hypot(sum, difference) : sum + difference * difference;
    }

    private double norm(double sum) {
        return type == ElementType.F64 ? sum : Math.sqrt(sum);
    }

    private void add(long distance) {
        changed++;
        largest = Math.max(largest, distance);
        // a histogram holds numbers below half of the largest long
        distances.recordValue(Math.min(distance, Long.MAX_VALUE / 4));
    }

    /** Counts without writing. */
    EditReport.EditedTensor count() {
        for (int i = 0; i < values.count(); i++) {
            newCode(i);
        }
        return report();
    }

    /** Returns the counts, once everything is written. */
    EditReport.EditedTensor report() {
        return new EditReport.EditedTensor(
                tensor.name(),
                type,
                values.count(),
                requested,
                changed,
                changed == 0 ? 0 : Math.min(largest, distances.getValueAtPercentile(MIDDLE)),
                largest,
                norm(meant),
                norm(lost));
    }
}
