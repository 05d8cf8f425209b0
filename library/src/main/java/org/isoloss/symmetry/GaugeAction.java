package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * What changes of basis and shifts of the values of a model do to its parameters: where a weight W takes x to y, and x goes to
 * G x + c and y to H y + d, the weight becomes H W G^-1, a bias H b + d - W' c, a table's rows H e + d.
 */
final class GaugeAction {
    private final ValueCut cut;
    private final Map<Value, GaugePoint> points = new HashMap<>();
    private final Map<ParameterUse, ContractionLayout> layouts = new HashMap<>();
    private final Map<GaugePoint, Matrix> constants = new HashMap<>();
    private final WeightsOfParameters weights;

    /**
     * Prepares the action.
     *
     * @param moving the parameters that may change
     * @param cut the uses of parameters
     * @param points the values that may be moved
     * @param inputs any of the model
     */
    GaugeAction(Moving moving, ValueCut cut, List<GaugePoint> points, Map<String, double[]> inputs) {
        this.cut = cut;
        points.forEach(point -> this.points.put(point.value(), point));
        Set<Value> used = new LinkedHashSet<>();
        cut.uses().forEach(use -> used.add(use.weight()));
        this.weights = new WeightsOfParameters(moving, List.copyOf(used), inputs);
    }

    /**
     * Moves the parameters.
     *
     * @param maps of values; the others stay
     * @return the parameters, in the order of {@link Moving}
     */
    double[] moved(Map<Value, Affine> maps) {
        return weights.parametersOf(movedWeights(maps));
    }

    /**
     * Moves the weights, which are made of the parameters.
     *
     * @param maps of values; the others stay
     * @return the numbers of those that change
     */
    Map<Value, double[]> movedWeights(Map<Value, Affine> maps) {
        Map<Value, Affine> all = new HashMap<>(maps);
        for (ParameterUse use : cut.uses()) {
            Affine shifted = maps.get(use.result());
            if (shifted != null) {
                var still = new Affine(shifted.matrix(), new double[shifted.shift().length]);
                use.data().stream().filter(cut.inner()::contains).forEach(data -> all.put(data, still));
            }
        }
        Map<Value, double[]> inner =
                new HashMap<>(); // how far values are shifted on the way to the parameter that shifts them
        Map<Value, double[]> targets = new LinkedHashMap<>();
        for (ParameterUse use : cut.uses()) {
            double @Nullable [] target = target(use, all, inner);
            if (target != null) {
                targets.put(use.weight(), target);
            }
        }
        return targets;
    }

    /**
     * Makes the elements of scaled values follow from those of what is scaled: where x goes to G x and the scales change by
     * factors d, what is scaled by c goes to d c G c^-1 times itself.
     *
     * @param maps near the identity
     * @param scale how far they are followed
     * @param elements that were followed each for itself; modified
     */
    void throughScales(Map<Value, Matrix> maps, double scale, Map<Value, Affine> elements) {
        for (ParameterUse use : cut.uses()) {
            Value data = use.data().getFirst();
            boolean isShifted = cut.inner().contains(use.result());
            Value result = cut.scaled(use);
            Affine before = elements.get(data);
            Affine after = elements.get(result);
            if (use.kind() != ParameterUse.Kind.SCALE
                    || before == null
                    || after == null
                    || before.shift().length != after.shift().length) {
                continue;
            }
            int n = before.shift().length;
            double[] numbers = weights.numbers(use.weight());
            Matrix scales = Objects.requireNonNull(points.get(result))
                    .arranged(Arrays.stream(use.weightPlaces())
                            .mapToDouble(place -> numbers[place])
                            .toArray());
            Matrix ofData = Affine.of(Objects.requireNonNull(maps.get(data))).matrix();
            Matrix ofResult =
                    Affine.of(Objects.requireNonNull(maps.get(result))).matrix();
            Matrix matrix = Matrix.zeros(n, n);
            double[] shift = after.shift().clone();
            for (int i = 0; i < n; i++) {
                double factor = Math.exp(scale * (ofResult.get(i, i) - ofData.get(i, i)));
                for (int j = 0; j < n; j++) {
                    double ratio = ratio(scales.get(0, i), scales.get(0, j));
                    matrix.set(i, j, factor * before.matrix().get(i, j) * (i == j ? 1 : ratio));
                }
                shift[i] = isShifted ? shift[i] : factor * scales.get(0, i) * before.shift()[i];
            }
            elements.put(result, new Affine(matrix, shift));
        }
    }

    /** What is scaled by nothing moves nothing else. */
    private static double ratio(double above, double below) {
        return below == 0 ? 0 : above / below;
    }

    private double @Nullable [] target(ParameterUse use, Map<Value, Affine> maps, Map<Value, double[]> inner) {
        GaugePoint result = points.get(use.result());
        return switch (use.kind()) {
            case CONTRACTION -> contracted(use, maps, inner);
            case SCALE -> scaled(use, maps, inner);
            case SHIFT -> result == null ? null : shifted(use, result, maps, inner);
            case TABLE -> result == null || !maps.containsKey(use.result()) ? null : rows(use, result, maps);
            case OTHER -> null;
        };
    }

    private Affine map(Value value, int width, Map<Value, Affine> maps) {
        return maps.getOrDefault(value, Affine.identity(width));
    }

    private double @Nullable [] contracted(ParameterUse use, Map<Value, Affine> maps, Map<Value, double[]> inner) {
        Value data = use.data().getFirst();
        if (!maps.containsKey(data) && !maps.containsKey(use.result())) {
            return null;
        }
        double[] numbers = weights.numbers(use.weight());
        int[] places = layout(use).places();
        Matrix full = layout(use).matrix(numbers);
        int out = full.rows();
        int in = full.columns();
        Affine before = map(data, in, maps);
        boolean isInner = cut.inner().contains(use.result());
        Affine after = maps.get(use.result());
        Matrix moved = after == null ? full : Blas.gemm(after.matrix(), false, full, false);
        if (!before.isIdentity()) {
            moved = LinearSolve.of(before.matrix())
                    .solveTransposed(moved.transpose())
                    .transpose();
        }
        double[] carried = times(moved, before.shift());
        GaugePoint point = points.get(data);
        if (isInner) {
            inner.put(use.result(), carried);
        } else if (point != null) {
            double[] missing = new double[out];
            Arrays.setAll(missing, i -> (after == null ? 0 : after.shift()[i]) - carried[i]);
            if (Arrays.stream(missing).anyMatch(shift -> shift != 0)) {
                moved = moved.plus(Matrix.over(out, 1, missing).times(constant(point, before)));
            }
        }
        return averaged(moved.entries(), places, numbers);
    }

    private ContractionLayout layout(ParameterUse use) {
        return layouts.computeIfAbsent(use, _ -> new ContractionLayout(use, points));
    }

    /** The row that is 1 on everything that a moved value is; zero where there is none. */
    private Matrix constant(GaugePoint point, Affine map) {
        Matrix row = constants.computeIfAbsent(point, GaugeAction::constant);
        if (row.largestMagnitude() == 0 || map.isIdentity()) {
            return row;
        }
        // row v = 1 for all v, so row G^-1 (G v + c) = 1 + row G^-1 c
        Matrix moved =
                LinearSolve.of(map.matrix()).solveTransposed(row.transpose()).transpose();
        double sum = 1 + times(moved, map.shift())[0];
        return Math.abs(sum) < 1e-9 ? Matrix.zeros(1, point.width()) : moved.scaled(1 / sum);
    }

    /** The row that is 1 on everything that a value is, as nearly as least squares can, where that is known of more rows than channels. */
    private static Matrix constant(GaugePoint point) {
        if (point.numbers().rows() <= point.width()) {
            return Matrix.zeros(1, point.width());
        }
        Matrix ones = Matrix.zeros(point.numbers().rows(), 1);
        Arrays.fill(ones.entries(), 1);
        Matrix row = LeastSquares.of(point.numbers(), ones, 1e-9).solution();
        return point.numbers().times(row).minus(ones).largestMagnitude() <= 1e-9
                ? row.transpose()
                : Matrix.zeros(1, point.width());
    }

    /** Means of the entries that stand for the same number; the numbers that stand for none stay. */
    private static double[] averaged(double[] entries, int[] places, double[] numbers) {
        double[] sums = new double[numbers.length];
        int[] counts = new int[numbers.length];
        for (int at = 0; at < places.length; at++) {
            if (places[at] >= 0) {
                sums[places[at]] += entries[at];
                counts[places[at]]++;
            }
        }
        double[] means = new double[numbers.length];
        Arrays.setAll(means, i -> counts[i] == 0 ? numbers[i] : sums[i] / counts[i]);
        return means;
    }

    static double[] times(Matrix matrix, double[] vector) {
        double[] product = new double[matrix.rows()];
        for (int i = 0; i < product.length; i++) {
            for (int j = 0; j < vector.length; j++) {
                product[i] += matrix.get(i, j) * vector[j];
            }
        }
        return product;
    }

    /** Each factor by least squares over the samples, with a shift beside it where a parameter adds one. */
    private double @Nullable [] scaled(ParameterUse use, Map<Value, Affine> maps, Map<Value, double[]> inner) {
        double[] numbers = weights.numbers(use.weight());
        ParameterUse shift = cut.inner().contains(use.result()) ? cut.reader(use.result()) : null;
        GaugePoint before = points.get(use.data().getFirst());
        GaugePoint after = points.get(shift == null ? use.result() : shift.result());
        if (after == null
                || (before != null && (before.width() != after.width() || before.carried() != after.carried()))) {
            return null;
        }
        if ((before == null || !maps.containsKey(before.value())) && !maps.containsKey(after.value())) {
            return null;
        }
        int width = after.width();
        Affine out = map(after.value(), width, maps);
        Matrix x = before == null
                ? unscaled(use, shift, after)
                : map(before.value(), width, maps).applied(before.numbers());
        Matrix y = out.applied(after.numbers());
        Matrix places = after.arranged(
                Arrays.stream(use.weightPlaces()).asDoubleStream().toArray());
        Regression[] factors = new Regression[numbers.length];
        Arrays.setAll(factors, _ -> new Regression(shift != null));
        for (int row = 0; row < x.rows(); row++) {
            for (int i = 0; i < width; i++) {
                factors[(int) places.get(row % places.rows(), i)].add(x.get(row, i), y.get(row, i));
            }
        }
        double[] moved = new double[numbers.length];
        Arrays.setAll(moved, i -> factors[i].slope(numbers[i]));
        if (shift != null) {
            double[] left = out.shift().clone();
            Matrix biases = after.arranged(Arrays.stream(shift.weightPlaces())
                    .mapToDouble(i -> weights.numbers(shift.weight())[i])
                    .toArray());
            for (int i = 0; i < width; i++) {
                for (int j = 0; j < width; j++) {
                    left[i] += out.matrix().get(i, j) * biases.get(0, j) * shift.factor(shift.weight());
                }
                left[i] -= factors[(int) places.get(0, i)].intercept();
            }
            inner.put(use.result(), left);
        }
        return moved;
    }

    /** What an input is, from what it becomes. */
    private Matrix unscaled(ParameterUse use, @Nullable ParameterUse shift, GaugePoint after) {
        Matrix scales = spread(use, after);
        Matrix shifts = shift == null ? Matrix.zeros(scales.rows(), scales.columns()) : spread(shift, after);
        Matrix x = after.numbers().copy();
        for (int row = 0; row < x.rows(); row++) {
            for (int i = 0; i < x.columns(); i++) {
                double added = shifts.get(row % shifts.rows(), i);
                x.set(row, i, ratio(x.get(row, i) - added, scales.get(row % scales.rows(), i)));
            }
        }
        return x;
    }

    /** For each carried place and channel the number of a weight that is multiplied or added there. */
    private Matrix spread(ParameterUse use, GaugePoint at) {
        double[] numbers = weights.numbers(use.weight());
        double factor = use.factor(use.weight());
        return at.arranged(Arrays.stream(use.weightPlaces())
                .mapToDouble(place -> factor * numbers[place])
                .toArray());
    }

    private double @Nullable [] shifted(
            ParameterUse use, GaugePoint result, Map<Value, Affine> maps, Map<Value, double[]> inner) {
        double[] numbers = weights.numbers(use.weight());
        int width = result.width();
        Affine out = maps.get(use.result());
        double factor = use.factor(use.weight());
        double[] shift = out == null ? new double[width] : out.shift().clone();
        for (Value data : use.data()) {
            Affine in = maps.get(data);
            double[] own = inner.getOrDefault(data, in == null ? new double[0] : in.shift());
            for (int i = 0; i < width && own.length == width; i++) {
                shift[i] -= use.factor(data) * own[i];
            }
        }
        if (out == null && Arrays.stream(shift).allMatch(own -> own == 0)) {
            return null;
        }
        int[] places = use.weightPlaces();
        Matrix arranged = result.arranged(Arrays.stream(places).asDoubleStream().toArray());
        double[] entries = new double[places.length];
        int[] own = new int[places.length];
        for (int row = 0; row < arranged.rows(); row++) {
            for (int i = 0; i < width; i++) {
                int place = (int) arranged.get(row, i);
                double entry = shift[i] / factor + (out == null ? numbers[place] : 0);
                for (int j = 0; out != null && j < width; j++) {
                    entry += out.matrix().get(i, j) * numbers[(int) arranged.get(row, j)];
                }
                entries[row * width + i] = entry;
                own[row * width + i] = place;
            }
        }
        return averaged(entries, own, numbers);
    }

    private double @Nullable [] rows(ParameterUse use, GaugePoint result, Map<Value, Affine> maps) {
        double[] numbers = weights.numbers(use.weight());
        int width = result.width();
        if (use.weight().shape().rank() < 2
                || numbers.length / use.weight().shape().size(0) != width) {
            return null;
        }
        Affine out = map(use.result(), width, maps);
        double[] rows = new double[numbers.length];
        for (int at = 0; at < numbers.length; at++) {
            int i = at % width;
            rows[at] = out.shift()[i];
            for (int j = 0; j < width; j++) {
                rows[at] += out.matrix().get(i, j) * numbers[at - i + j];
            }
        }
        return rows;
    }
}
