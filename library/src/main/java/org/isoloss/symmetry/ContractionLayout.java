package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/** Where the numbers of a weight lie in the matrix that a contraction takes from the channels of its data to those of its result. */
final class ContractionLayout {
    private final int[] places;
    private final int rows;

    /**
     * Finds them.
     *
     * @param use a contraction
     * @param points values whose channels are known
     */
    ContractionLayout(ParameterUse use, Map<Value, GaugePoint> points) {
        Value data = use.data().getFirst();
        Map<Character, Integer> sizes = new HashMap<>();
        label(sizes, use, data);
        label(sizes, use, use.result());
        label(sizes, use, use.weight());
        String rowLabels = channelLabels(use, use.result(), points);
        this.rows = product(rowLabels, sizes);
        this.places = places(
                rowLabels,
                channelLabels(use, data, points),
                Objects.requireNonNull(use.axisLabels(use.weight())),
                sizes);
    }

    private static String channelLabels(ParameterUse use, Value value, Map<Value, GaugePoint> points) {
        String labels = Objects.requireNonNull(use.axisLabels(value));
        GaugePoint point = points.get(value);
        Set<Integer> own = value == use.result() ? use.channelsOfResult() : use.channelsOf(value);
        int[] axes = point == null ? own.stream().mapToInt(Integer::intValue).toArray() : point.channels();
        StringBuilder chosen = new StringBuilder();
        Arrays.stream(axes).forEach(axis -> chosen.append(labels.charAt(axis)));
        return chosen.toString();
    }

    private static void label(Map<Character, Integer> sizes, ParameterUse use, Value value) {
        String labels = Objects.requireNonNull(use.axisLabels(value));
        for (int axis = 0; axis < labels.length(); axis++) {
            sizes.put(labels.charAt(axis), value.shape().size(axis));
        }
    }

    private static int product(String labels, Map<Character, Integer> sizes) {
        return labels.chars().map(label -> sizes.getOrDefault((char) label, 1)).reduce(1, (a, b) -> a * b);
    }

    private static int[] places(String rows, String columns, String weight, Map<Character, Integer> sizes) {
        int out = product(rows, sizes);
        int in = product(columns, sizes);
        int[] places = new int[out * in];
        Map<Character, Integer> at = new HashMap<>();
        for (int row = 0; row < out; row++) {
            for (int column = 0; column < in; column++) {
                at.clear();
                spread(rows, row, sizes, at);
                boolean agrees = spread(columns, column, sizes, at);
                int place = 0;
                for (int i = 0; i < weight.length(); i++) {
                    char label = weight.charAt(i);
                    place = place * sizes.getOrDefault(label, 1) + at.getOrDefault(label, 0);
                }
                places[row * in + column] = agrees ? place : -1;
            }
        }
        return places;
    }

    private static boolean spread(String labels, int index, Map<Character, Integer> sizes, Map<Character, Integer> at) {
        int rest = index;
        boolean agrees = true;
        for (int i = labels.length() - 1; i >= 0; i--) {
            char label = labels.charAt(i);
            int size = sizes.getOrDefault(label, 1);
            Integer other = at.putIfAbsent(label, rest % size);
            agrees &= other == null || other == rest % size;
            rest /= size;
        }
        return agrees;
    }

    /** For each entry of the matrix, row-major, its place in the weight; -1 where it is zero whatever the weight. */
    int[] places() {
        return places;
    }

    /** The matrix, one row for each channel of the result, for the numbers of a weight. */
    Matrix matrix(double[] numbers) {
        Matrix matrix = Matrix.zeros(rows, places.length / rows);
        for (int at = 0; at < places.length; at++) {
            matrix.entries()[at] = places[at] >= 0 ? numbers[places[at]] : 0;
        }
        return matrix;
    }
}
