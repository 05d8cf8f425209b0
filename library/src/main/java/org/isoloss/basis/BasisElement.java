package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/** What is added to the parameters of a model unseen, and a change of basis for each class of its channels. */
public final class BasisElement {
    private static final String SHIFT = "shift";
    private static final String INVERSE = "inverse ";

    private final SequencedMap<String, AxisClass> classes;
    private final Map<AxisClass, ClassElement> changes;
    private final SequencedMap<String, FreeShift> shifts;
    private final Map<FreeShift, double[]> added;
    private final boolean isInverse;

    BasisElement(
            SequencedMap<String, AxisClass> classes,
            Map<AxisClass, ClassElement> changes,
            SequencedMap<String, FreeShift> shifts,
            Map<FreeShift, double[]> added,
            boolean isInverse) {
        this.classes = classes;
        this.changes = changes;
        this.shifts = shifts;
        this.added = added;
        this.isInverse = isInverse;
    }

    /** The same changes of basis after some shifts. */
    BasisElement adding(Map<FreeShift, double[]> more) {
        return new BasisElement(classes, changes, shifts, more, false);
    }

    /** Whether it adds anything. */
    boolean isShifting() {
        return added.values().stream()
                .anyMatch(numbers -> Arrays.stream(numbers).anyMatch(x -> x != 0));
    }

    /** Whether nothing moves. */
    boolean isIdentity() {
        return added.isEmpty() && changes.values().stream().allMatch(ClassElement::isIdentity);
    }

    /** Whether the changes of basis come first. */
    boolean isInverse() {
        return isInverse;
    }

    /** Adds the shifts to parameters, in the order in which they leave each other's effect alone, or takes them away again. */
    SequencedMap<String, Numbers> shifted(Model model, SequencedMap<String, Numbers> before) {
        ShiftedWeights weights = new ShiftedWeights(model, before);
        List<FreeShift> order = added.keySet().stream()
                .sorted(Comparator.comparingInt(BasisElement::stage))
                .toList();
        for (FreeShift shift : isInverse ? order.reversed() : order) {
            weights.add(shift, Objects.requireNonNull(added.get(shift)), isInverse ? -1 : 1);
        }
        return weights.changed();
    }

    private static int stage(FreeShift shift) {
        return switch (shift) {
            case FreeShift.Balanced _, FreeShift.Opposed _ -> 0; // by weights as they are
            case FreeShift.Written _ -> 1;
            case FreeShift.Entries _ -> 2;
            case FreeShift.Read _ -> 3; // by biases as they become
        };
    }

    /** What happens to one class. */
    ClassElement of(AxisClass channels) {
        return changes.getOrDefault(channels, ClassElement.identity(channels));
    }

    /**
     * Returns the arrays of the element: {@code CLASS/matrices} of shape (count n, n), {@code CLASS/orders} of shape (count, n), {@code
     * CLASS/scales}, logarithms, and {@code CLASS/signs}, 0 or 1, of shape (count k, n), and {@code TENSOR/shift}, shape (1, n). All names
     * of an element whose shifts come last begin with {@code inverse}.
     *
     * @return by the number and name of the class or tensor
     */
    public SequencedMap<String, Matrix> arrays() {
        SequencedMap<String, Matrix> arrays = new LinkedHashMap<>();
        String prefix = isInverse ? INVERSE : "";
        classes.forEach((name, channels) -> of(channels)
                .arrays()
                .forEach((kind, array) -> arrays.put("%s%s/%s".formatted(prefix, name, kind), array)));
        shifts.forEach((name, shift) -> {
            double[] numbers = added.get(shift);
            if (numbers != null) {
                arrays.put("%s%s/%s".formatted(prefix, name, SHIFT), Matrix.over(1, numbers.length, numbers));
            }
        });
        return arrays;
    }

    /** Makes an element of arrays as {@link #arrays} gives them. */
    static BasisElement of(
            SequencedMap<String, AxisClass> classes,
            SequencedMap<String, FreeShift> shifts,
            SequencedMap<String, Matrix> arrays) {
        Map<AxisClass, ClassElement> changes = new LinkedHashMap<>();
        Map<FreeShift, double[]> added = new LinkedHashMap<>();
        boolean isInverse = !arrays.isEmpty() && arrays.firstEntry().getKey().startsWith(INVERSE);
        arrays.forEach((name, array) -> {
            if (name.startsWith(INVERSE) != isInverse) {
                throw new IllegalArgumentException(
                        "the array '%s' of the element and '%s' do not go together: expected all names or none to begin with '%s'"
                                .formatted(name, arrays.firstEntry().getKey(), INVERSE.strip()));
            }
            String own = isInverse ? name.substring(INVERSE.length()) : name;
            int slash = own.lastIndexOf('/');
            String where = own.substring(0, Math.max(0, slash));
            AxisClass channels = classes.get(where);
            FreeShift shift = shifts.get(where);
            if (own.endsWith("/" + SHIFT) && shift != null) {
                added.put(shift, numbers(name, array, shift.dimension()));
            } else if (channels != null) {
                ClassElement before = changes.getOrDefault(channels, ClassElement.identity(channels));
                changes.put(channels, before.with(own.substring(slash + 1), array, name));
            } else {
                throw new IllegalArgumentException("the element moves '%s', and the model has %s"
                        .formatted(
                                name,
                                classes.isEmpty() && shifts.isEmpty() ? "nothing that moves" : first(classes, shifts)));
            }
        });
        return new BasisElement(classes, changes, shifts, added, isInverse);
    }

    private static String first(SequencedMap<String, AxisClass> classes, SequencedMap<String, FreeShift> shifts) {
        String one = classes.isEmpty()
                ? shifts.firstEntry().getKey()
                : classes.firstEntry().getKey();
        return "%d classes of channels and %d shifts, of which the first is '%s'"
                .formatted(classes.size(), shifts.size(), one);
    }

    private static double[] numbers(String name, Matrix array, int dimension) {
        if (array.rows() != 1 || array.columns() != dimension) {
            throw new IllegalArgumentException("the array '%s' of the element has shape (%d, %d), expected (1, %d)"
                    .formatted(name, array.rows(), array.columns(), dimension));
        }
        for (double number : array.entries()) {
            if (!Double.isFinite(number)) {
                throw new IllegalArgumentException(
                        "the array '%s' of the element has an entry %s, which is not finite".formatted(name, number));
            }
        }
        return array.entries();
    }

    /** {@return the element that takes this one back, for the model that this one makes} */
    public BasisElement inverse() {
        Map<AxisClass, ClassElement> back = new LinkedHashMap<>();
        changes.forEach((channels, change) -> back.put(channels, change.inverse(sources(channels))));
        return new BasisElement(classes, back, shifts, added, !isInverse);
    }

    /** Where each index of a class was before the orders of the classes that number it changed. */
    int[] sources(AxisClass channels) {
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
        List<Integer> places =
                own.index().stream().map(outer -> before(outer, after)).toList();
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
