package org.isoloss.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.checkpoint.OnnxValue;
import org.jspecify.annotations.Nullable;

/** The shapes of a graph's inputs: what the file says, and where it leaves sizes open, what is bound. */
final class InputShapes {
    private final Bindings bindings;
    private final Map<String, Integer> axes;
    /** Names that some exports give to all axes of an input, though data has other sizes along each: they name no size. */
    private final Set<String> nameless = new HashSet<>();

    InputShapes(List<OnnxValue> inputs, Bindings bindings) {
        this.bindings = bindings;
        this.axes = new HashMap<>(bindings.axes());
        inputs.forEach(this::findNameless);
        requireKnown(inputs);
        inputs.forEach(this::learn);
    }

    /** Refuses sizes of axes that no input has. */
    private void requireKnown(List<OnnxValue> inputs) {
        Set<String> names = new LinkedHashSet<>();
        for (OnnxValue input : inputs) {
            for (int axis = 0; axis < input.sizes().size(); axis++) {
                names.add(name(input, axis));
            }
        }
        for (String axis : bindings.axes().keySet()) {
            if (!names.contains(axis)) {
                throw new IllegalArgumentException("no input has an axis '%s' whose size could be bound; there are %s"
                        .formatted(axis, String.join(", ", names)));
            }
        }
    }

    private String name(OnnxValue input, int axis) {
        String label = label(input, axis);
        return label.isEmpty() ? "%s:%d".formatted(input.name(), axis) : label;
    }

    private void findNameless(OnnxValue input) {
        List<Integer> given = bindings.shapes().getOrDefault(input.name(), List.of());
        Map<String, Integer> own = new HashMap<>();
        for (int axis = 0; axis < Math.min(given.size(), input.sizes().size()); axis++) {
            Integer other = own.putIfAbsent(input.labels().get(axis), given.get(axis));
            if (other != null && !other.equals(given.get(axis))) {
                nameless.add(input.labels().get(axis));
            }
        }
    }

    private String label(OnnxValue input, int axis) {
        String label = input.labels().get(axis);
        return nameless.contains(label) ? "" : label;
    }

    /** Takes the sizes of named axes from an input whose shape is bound. */
    private void learn(OnnxValue input) {
        List<Integer> given = bindings.shapes().get(input.name());
        for (int axis = 0;
                given != null && axis < Math.min(given.size(), input.sizes().size());
                axis++) {
            String label = label(input, axis);
            Integer other = label.isEmpty() ? null : axes.putIfAbsent(label, given.get(axis));
            if (other != null && !other.equals(given.get(axis))) {
                throw new IllegalArgumentException(
                        "the axis %s has size %d along axis %d of input '%s', but size %d elsewhere"
                                .formatted(label, given.get(axis), axis, input.name(), other));
            }
        }
    }

    List<Integer> of(OnnxValue input) {
        List<Integer> given = bindings.shapes().get(input.name());
        if (!input.shaped()) {
            if (given == null) {
                throw new IllegalArgumentException("has no shape in the file; bind it by data");
            }
            return given;
        }
        if (given != null && given.size() != input.sizes().size()) {
            throw new IllegalArgumentException("has data of shape %s, expected %d axes"
                    .formatted(given, input.sizes().size()));
        }
        List<Integer> sizes = new ArrayList<>();
        for (int axis = 0; axis < input.sizes().size(); axis++) {
            sizes.add(size(input, axis, given));
        }
        return sizes;
    }

    private int size(OnnxValue input, int axis, @Nullable List<Integer> given) {
        int stored = Math.toIntExact(Math.max(0, input.sizes().get(axis)));
        String label = label(input, axis);
        String name = name(input, axis);
        Integer bound = given != null ? given.get(axis) : axes.get(name);
        if (stored > 0) {
            if (bound != null && bound != stored) {
                throw new IllegalArgumentException(
                        "has data of shape %s, but size %d along axis %d in the file".formatted(given, stored, axis));
            }
            return stored;
        }
        if (bound == null) {
            throw new IllegalArgumentException("axis %d%s has no size in the file; bind it by data, or by --bind %s=1"
                    .formatted(axis, label.isEmpty() ? "" : " (%s)".formatted(label), name));
        }
        return bound;
    }
}
