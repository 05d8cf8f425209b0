package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Value;

/**
 * A value of a model whose channels may be moved by an affine map, the same at every other place of it, such as every token:
 * v goes to G v + c. Of what moves only the part counts that some output sees.
 */
final class GaugePoint {
    /** Singular values below this share of the largest are taken for zeros. */
    static final double RANK = 1e-9;

    private final Value value;
    private final int[] channels;
    private final int[] order;
    private final int[] places;
    private final int width;
    private final int carried;
    private final double[] samples;
    private final Matrix numbers;
    private final Matrix seen;
    private final boolean[] read;
    private final Matrix functions; // an orthonormal basis of the channels and ones as functions on the samples
    private final Matrix coefficients; // of the channels and ones in that basis
    private final double size;

    /**
     * Prepares a point.
     *
     * @param value of the model
     * @param channels the axes that are moved
     * @param numbers of the value on all samples, one sample after the other
     * @param gradients of some outputs in the value, each of its shape, on some samples, one a row
     */
    static GaugePoint of(Value value, Set<Integer> channels, double[] numbers, Matrix gradients) {
        int[] axes = channels.stream().mapToInt(Integer::intValue).toArray();
        Dimensions shape = value.shape();
        int[] order = order(shape, axes);
        int[] places = places(shape, order);
        int width = Arrays.stream(axes).map(shape::size).reduce(1, (a, b) -> a * b);
        int carried = shape.count() / width;
        Matrix seenBy = Matrix.over(
                gradients.rows() * carried,
                width,
                arranged(gradients.entries(), places, width).entries());
        boolean[] read = new boolean[carried];
        double largest = gradients.largestMagnitude();
        for (int row = 0; row < seenBy.rows(); row++) {
            for (double entry : seenBy.row(row)) {
                read[row % carried] |= Math.abs(entry) > RANK * largest;
            }
        }
        return new GaugePoint(value, axes, order, numbers, rowSpace(seenBy), read);
    }

    private GaugePoint(Value value, int[] channels, int[] order, double[] samples, Matrix seen, boolean[] read) {
        this.value = value;
        this.channels = channels;
        this.order = order;
        this.places = places(value.shape(), order);
        this.width = seen.rows();
        this.carried = value.shape().count() / width;
        this.samples = samples;
        this.numbers = arranged(samples);
        this.seen = seen;
        this.read = read;
        Svd svd = Svd.of(withOnes(readRows(this.numbers)));
        double[] singular = svd.singularValues();
        int rank = singular.length == 0 || singular[0] == 0 ? 0 : svd.rank(RANK);
        this.size = rank == 0 ? 1 : singular[0];
        this.functions = columns(svd.left(), rank);
        this.coefficients = columns(svd.right(), rank);
        for (int i = 0; i < coefficients.rows(); i++) {
            for (int f = 0; f < rank; f++) {
                coefficients.set(i, f, coefficients.get(i, f) / singular[f]);
            }
        }
    }

    /** The same value on other samples, all of it counted. */
    GaugePoint resampled(double[] others) {
        boolean[] all = new boolean[carried];
        Arrays.fill(all, true);
        return new GaugePoint(value, channels, order, others, Matrix.identity(width), all);
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

    /** Coordinates of what is seen of the motion that a map makes, as {@link Fit#motion} has them. */
    double[] motion(Matrix map) {
        Matrix moved = withOnes(readRows(numbers)).times(map.transpose());
        return functions.transpose().times(moved).times(seen).scaled(1 / size).entries();
    }

    /** Orthonormal columns that span the rows: what is seen. */
    private static Matrix rowSpace(Matrix rows) {
        Svd svd = Svd.of(rows);
        int rank = svd.singularValues().length == 0 || svd.singularValues()[0] == 0 ? 0 : svd.rank(RANK);
        return columns(svd.right(), rank);
    }

    private static Matrix columns(Matrix matrix, int count) {
        Matrix first = Matrix.zeros(matrix.rows(), count);
        for (int i = 0; i < matrix.rows(); i++) {
            for (int j = 0; j < count; j++) {
                first.set(i, j, matrix.get(i, j));
            }
        }
        return first;
    }

    private Matrix readRows(Matrix all) {
        int count = 0;
        for (int row = 0; row < all.rows(); row++) {
            count += read[row % carried] ? 1 : 0;
        }
        Matrix kept = Matrix.zeros(count, all.columns());
        int next = 0;
        for (int row = 0; row < all.rows(); row++) {
            if (read[row % carried]) {
                System.arraycopy(
                        all.entries(), row * all.columns(), kept.entries(), next++ * all.columns(), all.columns());
            }
        }
        return kept;
    }

    private static Matrix withOnes(Matrix rows) {
        Matrix wide = Matrix.zeros(rows.rows(), rows.columns() + 1);
        for (int i = 0; i < rows.rows(); i++) {
            System.arraycopy(rows.entries(), i * rows.columns(), wide.entries(), i * wide.columns(), rows.columns());
            wide.set(i, rows.columns(), 1);
        }
        return wide;
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

    /** An orthonormal basis of the directions of the channels that some output sees, one a column. */
    Matrix seen() {
        return seen;
    }

    /** Whether samples have enough rows to tell which maps move the value as it moves. */
    boolean isSampled() {
        return numbers.rows() > width + 1;
    }

    /**
     * Explains a motion of the value by an affine map of its channels.
     *
     * @param motion of the value on all samples, one sample after the other
     * @return the map and what it leaves
     */
    Fit fit(double[] motion) {
        Matrix all = arranged(motion);
        Matrix moved = readRows(all);
        Matrix inner = functions.transpose().times(moved);
        Matrix residual = moved.minus(functions.times(inner));
        Matrix map = coefficients.times(inner).transpose();
        return new Fit(
                map,
                inner.times(seen).scaled(1 / size).entries(),
                residual.times(seen).scaled(1 / size).entries(),
                residual.scaled(1 / size).entries(),
                all.frobeniusNorm() / size);
    }

    /**
     * An affine map near the identity.
     *
     * @param map shape (n, n + 1): what is added to v is its first n columns times v, and its last
     * @param motion coordinates of what is seen of the motion that the map makes, in an orthonormal basis, over the value's size
     * @param residual what the map leaves of the motion that is seen, over the value's size
     * @param whole what the map leaves of the motion, seen or not, over the value's size
     * @param distance how far the value moves, seen or not, over its size
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Fit(Matrix map, double[] motion, double[] residual, double[] whole, double distance) {}
}
