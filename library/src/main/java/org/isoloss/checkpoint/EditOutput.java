package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** Writes the new values of one tensor, rounded to its type, and counts what that changed. */
final class EditOutput {
    private static final int FIRST_CAPACITY = 64;

    private final StoredTensor tensor;
    private final ElementType type;
    private final FloatFormat format;
    private final double[] values;
    private long[] distances = new long[FIRST_CAPACITY];
    private int changed;
    private long requested;
    private double meantNorm;
    private double lostNorm;

    EditOutput(StoredTensor tensor, double[] values) {
        this(tensor, values, tensor.type());
    }

    /** Counts in another type, in which the stored numbers are exact. */
    EditOutput(StoredTensor tensor, double[] values, ElementType type) {
        this.tensor = tensor;
        this.type = type;
        this.format = type.format();
        this.values = values;
    }

    void writeTo(WritableByteChannel channel) throws IOException {
        TensorOutput.write(channel, type.bits(), values.length, this::newCode);
    }

    /** Counts a new value and returns its code; each is asked for once. */
    long newCode(int index) {
        double value = values[index];
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
                meantNorm = Math.hypot(meantNorm, value - old);
                lostNorm = Math.hypot(lostNorm, value - Double.longBitsToDouble(format.decode(code)));
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

    private void add(long distance) {
        if (changed == distances.length) {
            int doubled = (int) Math.min(2L * changed, values.length);
            distances = Arrays.copyOf(distances, doubled);
        }
        distances[changed++] = distance;
    }

    /** Counts without writing. */
    EditReport.EditedTensor count() {
        for (int i = 0; i < values.length; i++) {
            newCode(i);
        }
        return report();
    }

    /** Returns the counts, once everything is written. */
    EditReport.EditedTensor report() {
        Arrays.sort(distances, 0, changed);
        return new EditReport.EditedTensor(
                tensor.name(),
                type,
                values.length,
                requested,
                changed,
                changed == 0 ? 0 : distances[(changed - 1) / 2],
                changed == 0 ? 0 : distances[changed - 1],
                meantNorm,
                lostNorm);
    }
}
