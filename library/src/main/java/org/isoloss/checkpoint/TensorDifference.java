package org.isoloss.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one tensor of a checkpoint differs from the tensor of the same name in another.
 *
 * @param name its name
 * @param first type and shape in the first file; null where it is missing there
 * @param second type and shape in the second file; null where it is missing there
 * @param numbers how the numbers differ; null where the two cannot be compared one by one
 */
public record TensorDifference(
        String name,
        @Nullable String first,
        @Nullable String second,
        @Nullable Numbers numbers) {
    /**
     * How the numbers of two tensors of one shape differ.
     *
     * @param weights how many there are
     * @param changed how many differ in value; 0 and -0 do not
     * @param largest the largest difference, infinite where one of the two is no finite number
     * @param relative {@code largest} over the largest magnitude in the first; 0 where nothing differs
     * @param medianUlps the middle distance of those that differ, the lower of two, in units in the last place of their
     *     type; null for tensors of two types
     * @param maxUlps the largest such distance; null for tensors of two types
     */
    public record Numbers(
            long weights,
            long changed,
            double largest,
            double relative,
            @Nullable Long medianUlps,
            @Nullable Long maxUlps) {}

    /**
     * Compares all tensors of two checkpoints by name.
     *
     * @param first an open checkpoint
     * @param second an open checkpoint
     * @return one entry a name: those of the first in their order, then those that only the second has
     * @throws IOException when a file cannot be read
     */
    public static List<TensorDifference> between(Checkpoint first, Checkpoint second) throws IOException {
        Set<String> names = new LinkedHashSet<>(first.names());
        names.addAll(second.names());
        List<TensorDifference> differences = new ArrayList<>();
        for (String name : names) {
            StoredTensor left = first.names().contains(name) ? first.tensor(name) : null;
            StoredTensor right = second.names().contains(name) ? second.tensor(name) : null;
            differences.add(new TensorDifference(name, kind(left), kind(right), numbers(left, right)));
        }
        return differences;
    }

    /** {@return whether both files hold this tensor with equal numbers: false also where the two cannot be compared} */
    public boolean isSame() {
        return numbers != null && numbers.changed == 0;
    }

    private static @Nullable String kind(@Nullable StoredTensor tensor) {
        return tensor == null ? null : tensor.type() + " " + tensor.shape();
    }

    private static @Nullable Numbers numbers(@Nullable StoredTensor left, @Nullable StoredTensor right) {
        if (left == null || right == null || !left.shape().equals(right.shape())) {
            return null;
        }
        if (left.type().isFloat() && right.type().isFloat()) {
            return floats(left, right);
        }
        boolean equal = left.type() == right.type()
                && MemorySegment.mismatch(
                                left.bytes(),
                                0,
                                left.bytes().byteSize(),
                                right.bytes(),
                                0,
                                right.bytes().byteSize())
                        == -1;
        return equal ? new Numbers(left.shape().count(), 0, 0, 0, 0L, 0L) : null;
    }

    private static Numbers floats(StoredTensor left, StoredTensor right) {
        FloatFormat format = left.type() == right.type() ? left.type().format() : null;
        double[] before = left.toDoubles();
        double[] after = right.toDoubles();
        long[] distances = new long[before.length];
        int changed = 0;
        double largest = 0;
        double magnitude = 0;
        for (int i = 0; i < before.length; i++) {
            double difference = Math.abs(after[i] - before[i]);
            boolean sameBits = Double.doubleToRawLongBits(before[i]) == Double.doubleToRawLongBits(after[i]);
            magnitude = Double.isNaN(before[i]) ? magnitude : Math.max(magnitude, Math.abs(before[i]));
            if (difference != 0 && !sameBits) { // also where one is NaN
                largest = Math.max(largest, Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference);
                distances[changed++] = format == null ? 0 : distance(format, left.code(i), right.code(i));
            }
        }
        Arrays.sort(distances, 0, changed);
        boolean counted = format != null;
        return new Numbers(
                before.length,
                changed,
                largest,
                largest == 0 ? 0 : largest / magnitude,
                counted ? Long.valueOf(changed == 0 ? 0 : distances[(changed - 1) / 2]) : null,
                counted ? Long.valueOf(changed == 0 ? 0 : distances[changed - 1]) : null);
    }

    private static long distance(FloatFormat format, long code, long other) {
        return format.isFinite(code) && format.isFinite(other) ? format.distance(code, other) : Long.MAX_VALUE;
    }
}
