package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Value;

/**
 * A value of a model whose channels may be moved by an affine map, the same at every other place of it, such as every token:
 * v goes to G v + c.
 */
final class GaugePoint {
    private final Value value;
    private final int[] channels;
    private final int[] order;
    private final int[] places;
    private final int width;
    private final int carried;
    private final double[] samples;
    private final Matrix numbers;

    /**
     * Prepares a point.
     *
     * @param value of the model
     * @param channels the axes that are moved
     * @param samples the value on all samples, one after the other
     */
    GaugePoint(Value value, Set<Integer> channels, double[] samples) {
        this.value = value;
        this.channels = channels.stream().mapToInt(Integer::intValue).toArray();
        this.order = order(value.shape(), this.channels);
        this.places = places(value.shape(), order);
        this.width = Arrays.stream(this.channels).map(value.shape()::size).reduce(1, (a, b) -> a * b);
        this.carried = value.shape().count() / width;
        this.samples = samples;
        this.numbers = arranged(samples);
    }

    /** The axes that are not moved, then those that are. */
    private static int[] order(Dimensions shape, int[] channels) {
        List<Integer> order = new ArrayList<>();
        for (int axis = 0; axis < shape.rank(); axis++) {
            int wanted = axis;
            if (Arrays.stream(channels).noneMatch(channel -> channel == wanted)) {
                order.add(axis);
            }
        }
        Arrays.stream(channels).forEach(order::add);
        return order.stream().mapToInt(Integer::intValue).toArray();
    }

    /** For each place of the value row-major, its place with its axes in an order. */
    private static int[] places(Dimensions shape, int[] order) {
        int[] strides = new int[shape.rank()];
        int stride = 1;
        for (int i = order.length - 1; i >= 0; i--) {
            strides[order[i]] = stride;
            stride *= shape.size(order[i]);
        }
        int[] own = shape.strides();
        int[] places = new int[shape.count()];
        for (int at = 0; at < places.length; at++) {
            for (int axis = 0; axis < shape.rank(); axis++) {
                places[at] += at / own[axis] % shape.size(axis) * strides[axis];
            }
        }
        return places;
    }

    private static Matrix arranged(double[] samples, int[] places, int width) {
        double[] arranged = new double[samples.length];
        int size = places.length;
        for (int at = 0; at < samples.length; at++) {
            arranged[at / size * size + places[at % size]] = samples[at];
        }
        return Matrix.over(samples.length / width, width, arranged);
    }

    /** One row for each sample and carried place, one column a channel. */
    Matrix arranged(double[] all) {
        return arranged(all, places, width);
    }

    /** The value on one sample, row-major. */
    double[] sample(int index) {
        int size = value.shape().count();
        return Arrays.copyOfRange(samples, index * size, (index + 1) * size);
    }

    /** The axes of the value, those that are moved last. */
    int[] order() {
        return order.clone();
    }

    Value value() {
        return value;
    }

    int[] channels() {
        return channels.clone();
    }

    /** The number of channels. */
    int width() {
        return width;
    }

    /** How many other places a sample has. */
    int carried() {
        return carried;
    }

    /** What the value is on the samples: one row for each sample and carried place. */
    Matrix numbers() {
        return numbers;
    }
}
