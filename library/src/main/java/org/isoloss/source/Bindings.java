package org.isoloss.source;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a file leaves open and whoever opens it says: sizes of axes, shapes of inputs, and inputs that are fixed. */
public final class Bindings {
    /** Nothing is said. */
    public static final Bindings NONE = new Bindings(Map.of(), Map.of(), Map.of());

    private final Map<String, Integer> axes;
    private final Map<String, List<Integer>> shapes;
    private final Map<String, double[]> numbers;

    private Bindings(Map<String, Integer> axes, Map<String, List<Integer>> shapes, Map<String, double[]> numbers) {
        this.axes = axes;
        this.shapes = shapes;
        this.numbers = numbers;
    }

    private static <T> Map<String, T> with(Map<String, T> map, String name, T value) {
        Map<String, T> more = new LinkedHashMap<>(map);
        more.put(name, value);
        return Collections.unmodifiableMap(more);
    }

    /**
     * Binds an axis by its name.
     *
     * @param name as the file has it, such as {@code batch}; of an axis without a name {@code INPUT:AXIS}, such as
     *     {@code x:0}
     * @param size at least 1
     * @return these bindings and this one
     */
    public Bindings axis(String name, int size) {
        return new Bindings(with(axes, name, size), shapes, numbers);
    }

    /**
     * Binds all axes of an input.
     *
     * @param input its name
     * @param sizes one an axis
     * @return these bindings and this one
     */
    public Bindings shape(String input, List<Integer> sizes) {
        return new Bindings(axes, with(shapes, input, List.copyOf(sizes)), numbers);
    }

    /**
     * Says what an input will be, for the case that the shape of something, or which branch is taken, depends on it: it is
     * a constant of the model then, and no input.
     *
     * @param input its name
     * @param sizes one an axis
     * @param entries row-major; copied
     * @return these bindings and this one
     */
    public Bindings numbers(String input, List<Integer> sizes, double... entries) {
        return new Bindings(axes, with(shapes, input, List.copyOf(sizes)), with(numbers, input, entries.clone()));
    }

    Map<String, Integer> axes() {
        return axes;
    }

    Map<String, List<Integer>> shapes() {
        return shapes;
    }

    Map<String, double[]> numbers() {
        return numbers;
    }
}
