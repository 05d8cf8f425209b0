package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;

/**
 * What parameters demand of the maps of one block: what a parameter only shifts keeps its basis, one weight that is used at
 * several steps changes bases once, and what is scaled by a parameter moves off the diagonal as what it was, with the scales
 * about it.
 */
final class UseConditions {
    /** A direction in which what comes out varies less than this share of the largest is a constant. */
    private static final double VARIES = 1e-9;

    private final Part part;
    private final SequencedMap<Value, int[]> block;
    private final Map<Value, double[]> weights;
    private final Map<Value, GaugePoint> points;
    private final Map<Value, Matrix> endNumbers;

    /**
     * Prepares conditions.
     *
     * @param part that the block belongs to
     * @param block for each value its channels
     * @param weights the numbers of what scales
     * @param points all values
     * @param endNumbers what comes out of the block on random values, one sample a row
     */
    UseConditions(
            Part part,
            SequencedMap<Value, int[]> block,
            Map<Value, double[]> weights,
            Map<Value, GaugePoint> points,
            Map<Value, Matrix> endNumbers) {
        this.endNumbers = endNumbers;
        this.part = part;
        this.block = block;
        this.weights = weights;
        this.points = points;
    }

    /**
     * Writes them as conditions on the entries of the maps of what goes in.
     *
     * @param first for each value that moves the place of the first entry of its map; its others follow row by row
     * @param ends what each entry makes of the maps of what comes out
     */
    List<Matrix> rows(Map<Value, Integer> first, Map<Value, List<Matrix>> ends) {
        int entries = first.keySet().stream()
                .mapToInt(value -> width(value) * (width(value) + 1))
                .sum();
        List<Matrix> rows = new ArrayList<>();
        Map<Value, ParameterUse> earlier = new HashMap<>();
        for (ParameterUse use : part.cut().uses()) {
            Value data = use.data().getFirst();
            if (use.kind() == Kind.SHIFT) {
                use.data().forEach(other -> rows.addAll(equal(first, entries, other, use.result())));
                if (use.data().size() == 1
                        && first.containsKey(use.result())
                        && ends.containsKey(data)
                        && width(data) == width(use.result())) {
                    rows.add(shifted(use, first, entries, Objects.requireNonNull(ends.get(data))));
                }
            }
            ParameterUse other = earlier.putIfAbsent(use.weight(), use);
            if (other != null && other.kind() == use.kind() && other.kind() == Kind.CONTRACTION) {
                rows.addAll(equal(first, entries, other.result(), use.result()));
                rows.addAll(equal(first, entries, other.data().getFirst(), data));
            }
            Value scaled = part.cut().scaled(use);
            if (use.kind() == Kind.SCALE && first.containsKey(scaled) && !points.containsKey(data)) {
                rows.add(diagonal(first, entries, scaled));
            }
            if (use.kind() == Kind.SCALE
                    && first.containsKey(scaled)
                    && block.containsKey(data)
                    && (first.containsKey(data) || ends.containsKey(data))
                    && width(data) == width(scaled)) {
                rows.add(scaled(use, first, entries, ends));
            }
        }
        return rows;
    }

    private int width(Value value) {
        return Objects.requireNonNull(block.get(value)).length;
    }

    private List<Matrix> equal(Map<Value, Integer> first, int entries, Value left, Value right) {
        Integer a = first.get(left);
        Integer b = first.get(right);
        if (a == null || b == null || left == right || width(left) != width(right)) {
            return List.of();
        }
        int n = width(left);
        Matrix rows = Matrix.zeros(n * n, entries);
        for (int i = 0; i < n * n; i++) {
            int at = i / n * (n + 1) + i % n;
            rows.set(i, a + at, 1);
            rows.set(i, b + at, -1);
        }
        return List.of(rows);
    }

    /** An input stays, so that what it is scaled to keeps its axes. */
    private Matrix diagonal(Map<Value, Integer> first, int entries, Value scaled) {
        int n = width(scaled);
        int own = Objects.requireNonNull(first.get(scaled));
        Matrix rows = Matrix.zeros(n * n, entries);
        for (int i = 0; i < n * n; i++) {
            rows.set(i, own + i / n * (n + 1) + i % n, i / n == i % n ? 0 : 1);
        }
        return rows;
    }

    /** What comes out of the part and is shifted moves as the result does, but for a constant. */
    private Matrix shifted(ParameterUse use, Map<Value, Integer> first, int entries, List<Matrix> maps) {
        int n = width(use.result());
        int own = Objects.requireNonNull(first.get(use.result()));
        Matrix numbers = Objects.requireNonNull(endNumbers.get(use.data().getFirst()));
        Svd svd = Svd.of(centred(numbers));
        double[] singular = svd.singularValues();
        Matrix right = svd.right();
        Matrix rows = Matrix.zeros(n * n, entries);
        for (int f = 0; f < Math.min(n, singular.length); f++) {
            double weight = singular[0] == 0 ? 0 : singular[f] / singular[0];
            if (weight < VARIES) {
                continue;
            }
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    double along = weight * right.get(j, f);
                    int row = i * n + f;
                    int at = own + i * (n + 1) + j;
                    rows.set(row, at, rows.get(row, at) + along);
                    for (int entry = 0; entry < entries; entry++) {
                        rows.set(
                                row,
                                entry,
                                rows.get(row, entry) - along * maps.get(entry).get(i, j));
                    }
                }
            }
        }
        return rows;
    }

    /** Each column without its mean. */
    private static Matrix centred(Matrix numbers) {
        Matrix centred = numbers.copy();
        for (int j = 0; j < numbers.columns(); j++) {
            double mean = 0;
            for (int row = 0; row < numbers.rows(); row++) {
                mean += numbers.get(row, j) / numbers.rows();
            }
            for (int row = 0; row < numbers.rows(); row++) {
                centred.set(row, j, numbers.get(row, j) - mean);
            }
        }
        return centred;
    }

    private Matrix scaled(ParameterUse use, Map<Value, Integer> first, int entries, Map<Value, List<Matrix>> ends) {
        Value data = use.data().getFirst();
        Value scaled = part.cut().scaled(use);
        int[] channels = Objects.requireNonNull(block.get(scaled));
        int n = channels.length;
        double[] numbers = Objects.requireNonNull(weights.get(use.weight()));
        Matrix scales = Objects.requireNonNull(points.get(scaled))
                .arranged(Arrays.stream(use.weightPlaces())
                        .mapToDouble(place -> numbers[place])
                        .toArray());
        List<Matrix> ofEnd = ends.get(data);
        int own = Objects.requireNonNull(first.get(scaled));
        Matrix rows = Matrix.zeros(n * n, entries);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (i == j) {
                    continue;
                }
                double size = Math.hypot(scales.get(0, channels[i]), scales.get(0, channels[j]));
                if (size == 0) {
                    continue;
                }
                double ratio = scales.get(0, channels[i]) / size;
                rows.set(i * n + j, own + i * (n + 1) + j, scales.get(0, channels[j]) / size);
                if (ofEnd == null) {
                    rows.set(i * n + j, Objects.requireNonNull(first.get(data)) + i * (n + 1) + j, -ratio);
                }
                for (int entry = 0; ofEnd != null && entry < entries; entry++) {
                    rows.set(
                            i * n + j,
                            entry,
                            rows.get(i * n + j, entry)
                                    - ratio * ofEnd.get(entry).get(i, j));
                }
            }
        }
        return rows;
    }
}
