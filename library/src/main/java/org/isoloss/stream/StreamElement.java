package org.isoloss.stream;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.stream.ChannelMap.Factors;
import org.isoloss.stream.ChannelMap.Shift;
import org.isoloss.stream.ChannelMap.Step;
import org.isoloss.stream.ChannelMap.Turn;

/** Maps of the channels of some spaces of a model, by the number and name of each space. */
public final class StreamElement {
    private static final String TURN = "turn";
    private static final String FACTORS = "factors";
    private static final String SHIFT = "shift";

    private final SequencedMap<String, ChannelMap> maps;

    StreamElement(SequencedMap<String, ChannelMap> maps) {
        this.maps = new LinkedHashMap<>(maps);
    }

    /** The maps, by space. */
    SequencedMap<String, ChannelMap> maps() {
        return Collections.unmodifiableSequencedMap(maps);
    }

    /** {@return the element that takes this one back, for the model that this one makes} */
    public StreamElement inverse() {
        SequencedMap<String, ChannelMap> all = new LinkedHashMap<>();
        maps.forEach((space, map) -> all.put(space, map.inverse()));
        return new StreamElement(all);
    }

    /**
     * Tells whether an array is a step of such an element.
     *
     * @param name of the array
     * @return whether it ends as {@link #arrays} names steps
     */
    public static boolean isStep(String name) {
        return name.matches(".*/\\d+ (%s|%s|%s)".formatted(TURN, FACTORS, SHIFT));
    }

    /**
     * Returns the steps as arrays: {@code SPACE/K turn}, a matrix Q of shape (n, n) that takes v to Q v; {@code SPACE/K factors} and
     * {@code SPACE/K shift}, shape (1, n).
     *
     * @return in the order in which they act
     */
    public SequencedMap<String, Matrix> arrays() {
        SequencedMap<String, Matrix> arrays = new LinkedHashMap<>();
        maps.forEach((space, map) -> {
            for (int k = 0; k < map.steps().size(); k++) {
                Step step = map.steps().get(k);
                String name = "%s/%d ".formatted(space, k);
                switch (step) {
                    case Turn turn -> arrays.put(name + TURN, turn.matrix());
                    case Factors factors -> arrays.put(name + FACTORS, row(factors.factors()));
                    case Shift shift -> arrays.put(name + SHIFT, row(shift.added()));
                }
            }
        });
        return arrays;
    }

    private static Matrix row(double[] numbers) {
        return Matrix.over(1, numbers.length, numbers);
    }

    /**
     * Makes an element of arrays.
     *
     * @param arrays as {@link #arrays} gives them
     * @return the element
     * @throws IllegalArgumentException when a rotation is none, a factor is 0, or an array has another shape, with its name
     */
    public static StreamElement of(SequencedMap<String, Matrix> arrays) {
        SequencedMap<String, ChannelMap> maps = new LinkedHashMap<>();
        SequencedMap<Matrix, Rotation> turns = new LinkedHashMap<>();
        arrays.forEach((name, array) -> {
            int slash = name.lastIndexOf('/');
            String space = name.substring(0, slash);
            String kind = name.substring(name.indexOf(' ', slash) + 1);
            Step step = switch (kind) {
                case TURN -> new Turn(rotation(name, array, turns), false);
                case FACTORS -> new Factors(finite(name, array, true));
                default -> new Shift(finite(name, array, false));
            };
            maps.merge(space, ChannelMap.IDENTITY.then(step), (before, _) -> before.then(step));
        });
        return new StreamElement(maps);
    }

    private static double[] finite(String name, Matrix array, boolean isFactor) {
        for (double entry : array.entries()) {
            if (array.rows() != 1 || !Double.isFinite(entry) || (isFactor && entry == 0)) {
                throw new IllegalArgumentException(
                        "the array '%s' of the element has shape (%d, %d) and an entry %s, expected (1, n) and finite numbers%s"
                                .formatted(
                                        name, array.rows(), array.columns(), entry, isFactor ? " other than 0" : ""));
            }
        }
        return array.entries();
    }

    /** One rotation for equal matrices, so that tensors used by several spaces are turned alike. */
    private static Rotation rotation(String name, Matrix matrix, SequencedMap<Matrix, Rotation> known) {
        for (var one : known.entrySet()) {
            if (java.util.Arrays.equals(one.getKey().entries(), matrix.entries())) {
                return one.getValue();
            }
        }
        double off = matrix.rows() == matrix.columns()
                ? matrix.times(matrix.transpose())
                        .minus(Matrix.identity(matrix.rows()))
                        .largestMagnitude()
                : Double.NaN;
        if (!(off < 1e-9)) {
            throw new IllegalArgumentException(
                    "the array '%s' of the element, shape (%d, %d), is no rotation: Q Q' differs from 1 by %.1e"
                            .formatted(name, matrix.rows(), matrix.columns(), off));
        }
        Rotation rotation = new DenseRotation(matrix);
        known.put(matrix, rotation);
        return rotation;
    }
}
