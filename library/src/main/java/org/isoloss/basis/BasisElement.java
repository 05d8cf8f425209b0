package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;

/** A change of basis for each class of channels of a model. */
public final class BasisElement {
    private final SequencedMap<String, AxisClass> names;
    private final Map<AxisClass, ClassElement> changes;

    BasisElement(SequencedMap<String, AxisClass> names, Map<AxisClass, ClassElement> changes) {
        this.names = names;
        this.changes = changes;
    }

    /** What happens to one class. */
    ClassElement of(AxisClass channels) {
        return changes.getOrDefault(channels, ClassElement.identity(channels));
    }

    /**
     * Returns the arrays of the element: {@code CLASS/matrices} of shape (count n, n), {@code CLASS/orders} of shape (count, n), {@code
     * CLASS/scales}, logarithms, and {@code CLASS/signs}, 0 or 1, of shape (count k, n).
     *
     * @return by the number and name of the class
     */
    public SequencedMap<String, Matrix> arrays() {
        SequencedMap<String, Matrix> arrays = new LinkedHashMap<>();
        names.forEach((name, channels) ->
                of(channels).arrays().forEach((kind, array) -> arrays.put(name + "/" + kind, array)));
        return arrays;
    }

    /**
     * Tells whether an array is one of such an element.
     *
     * @param name of the array
     * @return whether it ends as {@link #arrays} names them
     */
    public static boolean isOfClass(String name) {
        return name.matches(".*/(matrices|orders|scales|signs)");
    }

    /** Makes an element of arrays as {@link #arrays} gives them. */
    static BasisElement of(SequencedMap<String, AxisClass> names, SequencedMap<String, Matrix> arrays) {
        Map<AxisClass, ClassElement> changes = new LinkedHashMap<>();
        arrays.forEach((name, array) -> {
            int slash = name.lastIndexOf('/');
            AxisClass channels = slash < 0 ? null : names.get(name.substring(0, slash));
            if (channels == null) {
                throw new IllegalArgumentException("the element moves '%s', and the model has %s"
                        .formatted(
                                name,
                                names.isEmpty()
                                        ? "no class of channels that moves"
                                        : "%d classes, from '%s' to '%s'"
                                                .formatted(
                                                        names.size(),
                                                        names.firstEntry().getKey(),
                                                        names.lastEntry().getKey())));
            }
            ClassElement before = changes.getOrDefault(channels, ClassElement.identity(channels));
            changes.put(channels, before.with(name.substring(slash + 1), array, name));
        });
        return new BasisElement(names, changes);
    }

    /** {@return the element that takes this one back, for the model that this one makes} */
    public BasisElement inverse() {
        Map<AxisClass, ClassElement> back = new LinkedHashMap<>();
        changes.forEach((channels, change) -> back.put(channels, change.inverse(sources(channels))));
        return new BasisElement(names, back);
    }

    /** Where each index of a class was before the orders of the classes that number it changed. */
    private int[] sources(AxisClass channels) {
        int[] sources = new int[channels.count()];
        for (int index = 0; index < sources.length; index++) {
            int[] places = places(channels.index(), index);
            Map<AxisClass, Integer> after = new LinkedHashMap<>();
            for (int i = 0; i < places.length; i++) {
                after.put(channels.index().get(i), places[i]);
            }
            List<Integer> before = new ArrayList<>();
            channels.index().forEach(own -> before.add(before(own, after)));
            sources[index] = index(channels.index(), before);
        }
        return sources;
    }

    private int before(AxisClass own, Map<AxisClass, Integer> after) {
        List<Integer> places = own.index().stream().map(outer -> before(outer, after)).toList();
        int place = after.getOrDefault(own, 0);
        BasisMap.Monomial order = of(own).order(index(own.index(), places));
        double[] numbers = new double[own.size()];
        Arrays.setAll(numbers, i -> i);
        order.apply(numbers, 1);
        return (int) numbers[place];
    }

    /** The number of a combination of channels, the last changing fastest. */
    static int index(List<AxisClass> index, List<Integer> places) {
        int number = 0;
        for (int i = 0; i < index.size(); i++) {
            number = number * index.get(i).size() + places.get(i);
        }
        return number;
    }

    static int[] places(List<AxisClass> index, int number) {
        int[] places = new int[index.size()];
        int left = number;
        for (int i = places.length - 1; i >= 0; i--) {
            places[i] = left % index.get(i).size();
            left /= index.get(i).size();
        }
        return places;
    }
}
