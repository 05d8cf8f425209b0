package org.isoloss.stream;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.model.ComputedNumbers;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Numbers;
import org.jspecify.annotations.Nullable;

/**
 * A tensor of which some axes are mapped. Along its last axis it is made in blocks of whole vectors, so that it is never held whole;
 * along another it is made at once.
 */
final class MappedTensor implements ComputedNumbers {
    /** As many numbers as a block has, about; blocks begin at fixed places, so that their bits do not depend on who asks. */
    private static final int BLOCK = 1 << 18;
    /** As many blocks are kept, for threads that read side by side. */
    private static final int KEPT = 8;

    private final Numbers source;
    private final Dimensions shape;
    private final List<AxisMap> maps;
    private final Whole whole;
    private final Map<Integer, double[]> blocks = new LinkedHashMap<>(KEPT, 1, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, double[]> eldest) {
            return size() > KEPT;
        }
    };

    /** A place for the one tensor that was last made at once, shared by all tensors of a model. */
    static final class Whole {
        private @Nullable MappedTensor owner;
        private double @Nullable [] numbers;

        private synchronized double[] of(MappedTensor tensor) {
            if (owner != tensor || numbers == null) {
                numbers = null; // before there are two
                numbers = tensor.made();
                owner = tensor;
            }
            return numbers;
        }
    }

    /**
     * A map along an axis.
     *
     * @param axis from 0
     * @param map of the vectors along it
     */
    record AxisMap(int axis, ChannelMap map) {}

    /**
     * Wraps a tensor.
     *
     * @param source its numbers
     * @param shape of them
     * @param maps one after the other
     * @param whole where it is kept when it is made at once
     */
    MappedTensor(Numbers source, Dimensions shape, List<AxisMap> maps, Whole whole) {
        this.source = source;
        this.shape = shape;
        this.maps = List.copyOf(maps);
        this.whole = whole;
    }

    private boolean isInBlocks() {
        return maps.stream().allMatch(map -> map.axis == shape.rank() - 1);
    }

    @Override
    public int count() {
        return shape.count();
    }

    @Override
    public void read(int from, double[] target, int at, int count) {
        if (!isInBlocks()) {
            System.arraycopy(whole.of(this), from, target, at, count);
            return;
        }
        int row = shape.size(shape.rank() - 1);
        int size = Math.max(1, BLOCK / row) * row;
        int done = 0;
        while (done < count) {
            int first = (from + done) / size * size;
            double[] numbers = block(first, Math.min(size, shape.count() - first), row);
            int offset = from + done - first;
            int some = Math.min(count - done, numbers.length - offset);
            System.arraycopy(numbers, offset, target, at + done, some);
            done += some;
        }
    }

    private double[] block(int first, int size, int row) {
        synchronized (blocks) {
            return blocks.computeIfAbsent(first, _ -> {
                double[] block = new double[size];
                source.read(first, block, 0, size);
                for (AxisMap map : maps) {
                    map.map.apply(block, size / row);
                }
                return block;
            });
        }
    }

    private double[] made() {
        double[] numbers = new double[shape.count()];
        source.read(0, numbers, 0, numbers.length);
        for (AxisMap map : maps) {
            along(numbers, map);
        }
        return numbers;
    }

    /** Maps all vectors along an axis, some of them gathered at a time. */
    private void along(double[] numbers, AxisMap mapped) {
        int n = shape.size(mapped.axis);
        int stride = shape.strides()[mapped.axis];
        int vectors = numbers.length / n;
        int some = Math.max(1, BLOCK / n);
        double[] rows = new double[Math.min(some, vectors) * n];
        for (int first = 0; first < vectors; first += some) {
            int count = Math.min(some, vectors - first);
            move(numbers, rows, first, count, n, stride, true);
            mapped.map.apply(rows, count);
            move(numbers, rows, first, count, n, stride, false);
        }
    }

    private static void move(
            double[] numbers, double[] rows, int first, int count, int n, int stride, boolean isGathered) {
        for (int vector = 0; vector < count; vector++) {
            int index = first + vector;
            int begin = index / stride * stride * n + index % stride;
            for (int i = 0; i < n; i++) {
                if (isGathered) {
                    rows[vector * n + i] = numbers[begin + i * stride];
                } else {
                    numbers[begin + i * stride] = rows[vector * n + i];
                }
            }
        }
    }
}
