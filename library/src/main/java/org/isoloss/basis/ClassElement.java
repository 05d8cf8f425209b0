package org.isoloss.basis;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.jspecify.annotations.Nullable;

/**
 * What happens to one class of channels, for each index of it: a matrix, or an order, the logarithms of scales and signs. The matrix and
 * the scales come first, then the order.
 */
final class ClassElement {
    private static final String MATRICES = "matrices";
    private static final String ORDERS = "orders";
    private static final String SCALES = "scales";
    private static final String SIGNS = "signs";

    private final AxisClass channels;
    private final SequencedMap<String, Matrix> arrays;

    private ClassElement(AxisClass channels, SequencedMap<String, Matrix> arrays) {
        this.channels = channels;
        this.arrays = arrays;
    }

    static ClassElement identity(AxisClass channels) {
        return new ClassElement(channels, new LinkedHashMap<>());
    }

    /** With a matrix for each index, one below the other. */
    ClassElement withMatrices(Matrix matrices) {
        return with(MATRICES, matrices);
    }

    /** With an order for each index: channel i comes from the one that the row names. */
    ClassElement withOrders(Matrix orders) {
        return with(ORDERS, orders);
    }

    /** With logarithms of scales, a row for each scale of each index. */
    ClassElement withScales(Matrix scales) {
        return with(SCALES, scales);
    }

    /** With signs, 0 or 1, a row for each sign of each index. */
    ClassElement withSigns(Matrix signs) {
        return with(SIGNS, signs);
    }

    private ClassElement with(String kind, Matrix array) {
        SequencedMap<String, Matrix> all = new LinkedHashMap<>(arrays);
        all.put(kind, array);
        return new ClassElement(channels, all);
    }

    SequencedMap<String, Matrix> arrays() {
        return arrays;
    }

    /** Whether nothing moves. */
    boolean isIdentity() {
        Matrix matrices = arrays.get(MATRICES);
        Matrix orders = arrays.get(ORDERS);
        boolean isIdentity = true;
        for (int i = 0; matrices != null && i < matrices.entries().length; i++) {
            boolean isDiagonal = i / channels.size() % channels.size() == i % channels.size();
            isIdentity &= matrices.entries()[i] == (isDiagonal ? 1 : 0);
        }
        for (int i = 0; orders != null && i < orders.entries().length; i++) {
            isIdentity &= orders.entries()[i] == i % channels.size();
        }
        return isIdentity && isZero(SCALES) && isZero(SIGNS);
    }

    private boolean isZero(String kind) {
        Matrix array = arrays.get(kind);
        return array == null || array.largestMagnitude() == 0;
    }

    /** Whether channels may change that carry scales and signs to some powers. */
    boolean isMoved(double[] scales, double[] signs) {
        return arrays.containsKey(MATRICES)
                || arrays.containsKey(ORDERS)
                || (arrays.containsKey(SCALES) && Arrays.stream(scales).anyMatch(power -> power != 0))
                || (arrays.containsKey(SIGNS) && Arrays.stream(signs).anyMatch(power -> power != 0));
    }

    /**
     * Adds an array of a file.
     *
     * @param kind as {@link #arrays} names it
     * @param array its numbers
     * @param name for messages
     * @throws IllegalArgumentException when it has another shape, numbers that cannot be, or a matrix that the class does not allow
     */
    ClassElement with(String kind, Matrix array, String name) {
        int n = channels.size();
        boolean isMonomial = channels.kind() == AxisClass.Kind.MONOMIAL;
        boolean isScaled = isMonomial || channels.kind() == AxisClass.Kind.SCALED;
        int rows = switch (kind) {
            case MATRICES -> isScaled ? 0 : channels.count() * n;
            case ORDERS -> isMonomial && !channels.isOrdered() ? channels.count() : 0;
            case SCALES -> isScaled ? channels.count() * channels.scales() : 0;
            case SIGNS -> isScaled ? channels.count() * channels.signs() : 0;
            default -> 0;
        };
        int columns = kind.equals(SCALES) || kind.equals(SIGNS) ? channels.scaled() : n;
        if (array.rows() != rows || array.columns() != columns || rows == 0) {
            throw new IllegalArgumentException("the array '%s' of the element has shape (%d, %d), expected %s"
                    .formatted(
                            name,
                            array.rows(),
                            array.columns(),
                            rows == 0
                                    ? "none: nothing of that kind moves there"
                                    : "(%d, %d)".formatted(rows, columns)));
        }
        for (int i = 0; i < array.entries().length; i++) {
            double entry = array.entries()[i];
            boolean fits = switch (kind) {
                case ORDERS -> entry == Math.rint(entry) && entry >= 0 && entry < n;
                case SIGNS -> entry == 0 || entry == 1;
                default -> Double.isFinite(entry);
            };
            if (!fits) {
                throw new IllegalArgumentException("the array '%s' of the element has an entry %s, which %s"
                        .formatted(
                                name,
                                entry,
                                switch (kind) {
                                    case ORDERS -> "is none of the channels 0 to " + (n - 1);
                                    case SIGNS -> "is not 0 or 1";
                                    default -> "is not finite";
                                }));
            }
        }
        for (int row = 0; kind.equals(ORDERS) && row < rows; row++) {
            if (Arrays.stream(array.row(row)).distinct().count() != n) {
                throw new IllegalArgumentException(
                        "the array '%s' of the element names a channel twice in row %d".formatted(name, row));
            }
        }
        for (int index = 0; kind.equals(MATRICES) && index < channels.count(); index++) {
            String broken = MatrixLimits.broken(
                    channels, array.rows(index * n, (index + 1) * n).copy());
            if (broken != null) {
                throw new IllegalArgumentException("the array '%s' of the element has rows %d to %d, a matrix which %s"
                        .formatted(name, index * n, (index + 1) * n - 1, broken));
            }
        }
        return with(kind, array);
    }

    /** The matrices of this after what another does, before its order. */
    ClassElement after(ClassElement other) {
        return other.thenMatrices(Objects.requireNonNull(arrays.get(MATRICES)));
    }

    /** With a matrix at each index that acts after what acts there before the order. */
    ClassElement thenMatrices(Matrix matrices) {
        Matrix before = arrays.get(MATRICES);
        if (before == null) {
            return withMatrices(matrices);
        }
        int n = channels.size();
        Matrix all = Matrix.zeros(matrices.rows(), n);
        for (int index = 0; index < channels.count(); index++) {
            Matrix own = matrices.rows(index * n, (index + 1) * n).times(before.rows(index * n, (index + 1) * n));
            System.arraycopy(own.entries(), 0, all.entries(), index * n * n, n * n);
        }
        return withMatrices(all);
    }

    /** With more scales. */
    ClassElement thenScales(Matrix scales) {
        Matrix before = arrays.get(SCALES);
        return withScales(before == null ? scales : before.plus(scales));
    }

    AxisClass channels() {
        return channels;
    }

    /** With what another of the same class does, which does something else. */
    ClassElement and(ClassElement other) {
        SequencedMap<String, Matrix> all = new LinkedHashMap<>(arrays);
        all.putAll(other.arrays);
        return new ClassElement(channels, all);
    }

    /**
     * Gives each index what another has.
     *
     * @param targets for each index the one that gets what it has
     */
    ClassElement moved(int[] targets) {
        SequencedMap<String, Matrix> all = new LinkedHashMap<>();
        arrays.forEach((kind, array) -> {
            Matrix own = Matrix.zeros(array.rows(), array.columns());
            int length = array.entries().length / targets.length;
            for (int index = 0; index < targets.length; index++) {
                System.arraycopy(array.entries(), index * length, own.entries(), targets[index] * length, length);
            }
            all.put(kind, own);
        });
        return new ClassElement(channels, all);
    }

    /** The same order, without matrices, scales and signs. */
    ClassElement orderAlone() {
        Matrix orders = arrays.get(ORDERS);
        return orders == null ? identity(channels) : identity(channels).withOrders(orders);
    }

    /** The same without scales. */
    ClassElement unscaled() {
        SequencedMap<String, Matrix> all = new LinkedHashMap<>(arrays);
        all.remove(SCALES);
        return new ClassElement(channels, all);
    }

    /** The order at an index. */
    BasisMap.Monomial order(int index) {
        Matrix orders = arrays.get(ORDERS);
        return orders == null
                ? BasisMap.Monomial.identity(channels.size())
                : BasisMap.Monomial.ordered(Arrays.stream(orders.row(index))
                        .mapToInt(entry -> (int) entry)
                        .toArray());
    }

    /** The matrix at an index, or scales and signs to some powers. */
    BasisMap fixedOrder(int index, double[] scales, double[] signs) {
        int n = channels.size();
        Matrix matrices = arrays.get(MATRICES);
        if (matrices != null) {
            return new BasisMap.Dense(matrices.rows(index * n, (index + 1) * n).copy());
        }
        double[] logarithms = sum(arrays.get(SCALES), index, scales);
        double[] parities = sum(arrays.get(SIGNS), index, signs);
        double[] factors = new double[n];
        Arrays.setAll(factors, i -> {
            int at = block(channels, i);
            return Math.exp(logarithms[at]) * (Math.floorMod(Math.round(parities[at]), 2) == 0 ? 1 : -1);
        });
        return BasisMap.Monomial.scaled(factors);
    }

    /** The number of the block of a channel: channels that are rotated together are scaled together. */
    static int block(AxisClass channels, int channel) {
        for (int block = 0; block < channels.blocks().size(); block++) {
            for (int own : channels.blocks().get(block)) {
                if (own == channel) {
                    return block;
                }
            }
        }
        return channel;
    }

    /** The sum of the rows of an index, each times a power. */
    private double[] sum(@Nullable Matrix rows, int index, double[] powers) {
        double[] sum = new double[channels.scaled()];
        for (int k = 0; rows != null && k < powers.length; k++) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += powers[k] * rows.get(index * powers.length + k, i);
            }
        }
        return sum;
    }

    /**
     * Returns what takes this back, where indices have changed their order too.
     *
     * @param sources for each index where it was before
     */
    ClassElement inverse(int[] sources) {
        SequencedMap<String, Matrix> back = new LinkedHashMap<>();
        arrays.forEach((kind, array) -> {
            Matrix own = Matrix.zeros(array.rows(), array.columns());
            for (int index = 0; index < sources.length; index++) {
                inverse(kind, array, sources[index], index, own);
            }
            back.put(kind, own);
        });
        return new ClassElement(channels, back);
    }

    private void inverse(String kind, Matrix array, int source, int index, Matrix into) {
        int n = array.columns();
        int rows = array.rows() / channels.count();
        if (kind.equals(MATRICES)) {
            double[] inverse = LinearSolve.of(
                            array.rows(source * n, (source + 1) * n).copy())
                    .solve(Matrix.identity(n))
                    .entries();
            System.arraycopy(inverse, 0, into.entries(), index * n * n, n * n);
            return;
        }
        BasisMap.Monomial order = order(source);
        for (int row = 0; row < rows; row++) {
            double[] numbers = array.row(source * rows + row);
            if (kind.equals(ORDERS)) {
                for (int i = 0; i < n; i++) {
                    into.set(index, (int) numbers[i], i);
                }
                continue;
            }
            if (channels.blocks().isEmpty()) {
                order.apply(numbers, 1); // scales act before the order, there and back
            }
            for (int i = 0; i < n; i++) {
                into.set(index * rows + row, i, kind.equals(SCALES) ? -numbers[i] : numbers[i]);
            }
        }
    }
}
