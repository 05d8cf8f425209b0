package org.isoloss.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ChannelSpace;
import org.isoloss.model.ChannelSpace.Read;
import org.isoloss.model.ChannelSpace.Scale;
import org.isoloss.model.ChannelSpace.Use;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.stream.MappedTensor.AxisMap;

/**
 * What an element does to the tensors of a model: where v goes to A v, what makes v is multiplied by A, what reads v by the inverse of A,
 * factors between two spaces go to A' f A^-1, which must be factors again, and what A adds goes into the biases after it.
 */
final class StreamChange {
    private static final double SAME = 1e-9;
    private static final double ROUNDING = 1e-12;

    private final Model model;
    private final Map<String, ChannelMap> maps = new LinkedHashMap<>();
    private final Map<String, ChannelSpace> spaces;
    private final Map<String, Map<Value, Map<Integer, ChannelMap>>> uses = new LinkedHashMap<>();
    private final MappedTensor.Whole whole = new MappedTensor.Whole();
    private final SequencedMap<String, Numbers> changed = new LinkedHashMap<>();

    private StreamChange(Model model, Map<String, ChannelSpace> spaces, StreamElement element) {
        this.model = model;
        this.spaces = spaces;
        element.maps().forEach((name, map) -> {
            ChannelSpace space = spaces.get(name);
            if (space == null || map.steps().stream().anyMatch(step -> step.width() != space.width())) {
                throw new IllegalArgumentException("the element moves '%s' of %d channels, and the model has %s"
                        .formatted(
                                name,
                                map.steps().getFirst().width(),
                                space == null
                                        ? spaces.size() + " spaces, none of this name"
                                        : space.width() + " channels there"));
            }
            maps.put(name, map);
        });
        TensorUses.of(model).forEach((tensor, results) -> {
            Map<Value, Map<Integer, ChannelMap>> own = new LinkedHashMap<>();
            results.forEach(result -> own.put(result, new TreeMap<>()));
            uses.put(tensor, own);
        });
    }

    /**
     * Applies an element.
     *
     * @param model with the spaces
     * @param spaces of it, by number and name
     * @param element whose maps are of these
     * @return the tensors that change, with what they become
     * @throws IllegalArgumentException when a tensor would have to change in two ways, or factors would be none
     */
    static SequencedMap<String, Numbers> of(Model model, Map<String, ChannelSpace> spaces, StreamElement element) {
        return new StreamChange(model, spaces, element).changed();
    }

    private SequencedMap<String, Numbers> changed() {
        maps.forEach((name, map) -> {
            ChannelSpace space = Objects.requireNonNull(spaces.get(name));
            space.made().forEach(use -> add(use, map.linear()));
            space.read().forEach(read -> add(read.use(), map.dual()));
        });
        uses.forEach((tensor, own) -> {
            Map<Integer, ChannelMap> first = own.values().iterator().next();
            if (!own.values().stream().allMatch(first::equals)) {
                throw new IllegalArgumentException(
                        "the tensor '%s' is used %d times, and would have to change in different ways: a head that is tied to the embedding needs --untie"
                                .formatted(tensor, own.size()));
            }
            if (!first.isEmpty()) {
                List<AxisMap> axes = new ArrayList<>();
                first.forEach((axis, map) -> axes.add(new AxisMap(axis, map)));
                Value parameter = model.parameter(tensor);
                changed.put(tensor, new MappedTensor(numbers(tensor), parameter.shape(), axes, whole));
            }
        });
        scales();
        maps.forEach((name, map) -> shift(Objects.requireNonNull(spaces.get(name)), map));
        return changed;
    }

    private Numbers numbers(String tensor) {
        return ((Leaf) model.parameter(tensor).operation()).numbers();
    }

    private void add(Use use, ChannelMap map) {
        Objects.requireNonNull(Objects.requireNonNull(uses.get(use.tensor())).get(use.result()))
                .put(use.axis(), map);
    }

    private void scales() {
        Map<Use, ChannelMap> before = new LinkedHashMap<>();
        Map<Use, ChannelMap> after = new LinkedHashMap<>();
        Map<Use, Scale> all = new LinkedHashMap<>();
        spaces.forEach((name, space) -> {
            ChannelMap map = maps.getOrDefault(name, ChannelMap.IDENTITY);
            space.scaledTo().forEach(scale -> before.put(scale.use(), map));
            space.scaledFrom().forEach(scale -> after.put(scale.use(), map));
            space.scaledTo().forEach(scale -> all.put(scale.use(), scale));
            space.scaledFrom().forEach(scale -> all.put(scale.use(), scale));
        });
        Map<String, double[]> factors = new LinkedHashMap<>();
        all.forEach((use, scale) -> {
            ChannelMap from = before.getOrDefault(use, ChannelMap.IDENTITY);
            ChannelMap to = after.getOrDefault(use, ChannelMap.IDENTITY);
            double[] moved = factors(scale, from, to);
            double[] other = factors.putIfAbsent(use.tensor(), moved);
            if (other != null && !Arrays.equals(other, moved)) {
                throw new IllegalArgumentException(
                        "the factors '%s' are used twice, and would have to change in different ways"
                                .formatted(use.tensor()));
            }
        });
        factors.forEach((tensor, moved) -> {
            if (!Arrays.equals(moved, numbers(tensor).asFloat64())) {
                changed.put(tensor, Numbers.of(moved));
            }
        });
    }

    /** The factors of A' f A^-1. */
    private double[] factors(Scale scale, ChannelMap from, ChannelMap to) {
        double[] own = numbers(scale.use().tensor()).asFloat64();
        if (from.steps().isEmpty() && to.steps().isEmpty()) {
            return own;
        }
        int n = own.length;
        var random = new SplittableRandom(n);
        double[] ones = new double[n];
        Arrays.fill(ones, 1);
        double[] drawn = new double[n];
        Arrays.setAll(drawn, _ -> random.nextGaussian());
        double[] factors = through(ones, own, scale.offset(), from, to);
        double[] image = through(drawn, own, scale.offset(), from, to);
        double size = Arrays.stream(image).map(Math::abs).max().orElse(0);
        for (int i = 0; i < n; i++) {
            if (!(Math.abs(image[i] - factors[i] * drawn[i]) <= SAME * size)) {
                throw new IllegalArgumentException(
                        "the factors '%s' differ from channel to channel, so that the element does not go through them"
                                .formatted(scale.use().tensor()));
            }
        }
        for (int i = 0; i < n; i++) {
            double stored = whole(factors[i]) - scale.offset();
            factors[i] = Math.abs(stored - own[i]) <= ROUNDING * Math.abs(own[i]) ? own[i] : stored;
        }
        return factors;
    }

    /** What is a whole number up to rounding, as a factor of 1 is, is one. */
    private static double whole(double factor) {
        double whole = Math.rint(factor);
        return Math.abs(factor - whole) <= ROUNDING ? whole : factor;
    }

    private static double[] through(double[] vector, double[] factors, double offset, ChannelMap from, ChannelMap to) {
        double[] moved = vector.clone();
        from.linear().inverse().apply(moved, 1);
        Arrays.setAll(moved, i -> moved[i] * (factors[i] + offset));
        to.linear().apply(moved, 1);
        return moved;
    }

    /** What a map adds: the shift of the space takes it up, and the biases of what reads it take it back. */
    private void shift(ChannelSpace space, ChannelMap map) {
        if (map.steps().stream().noneMatch(ChannelMap.Shift.class::isInstance)) {
            return;
        }
        Use made = shift(space)
                .orElseThrow(() -> new IllegalArgumentException(
                        "the element shifts '%s', where no tensor of its size alone is added".formatted(space.name())));
        double[] shifted = numbers(made.tensor()).asFloat64().clone();
        map.apply(shifted, 1);
        Arrays.setAll(shifted, i -> shifted[i] + 0.0); // no negative zero
        changed.put(made.tensor(), Numbers.of(shifted));
        double[] back = new double[space.width()];
        map.inverse().apply(back, 1);
        for (Read read : space.read()) {
            String bias = read.bias()
                    .filter(name -> Objects.requireNonNull(uses.get(name)).size() == 1)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "the element shifts '%s', and '%s', which reads it, has no bias of its own"
                                    .formatted(space.name(), read.use().tensor())));
            double[] moved = numbers(bias).asFloat64().clone();
            double[] added = product(read.use(), back);
            Arrays.setAll(moved, i -> moved[i] + added[i]);
            changed.put(bias, Numbers.of(moved));
        }
    }

    /** The one tensor that shifts a space, of as many numbers as there are channels. */
    static Optional<Use> shift(ChannelSpace space) {
        List<Use> shifts = space.made().stream().filter(Use::isShift).toList();
        return shifts.size() == 1 ? Optional.of(shifts.getFirst()) : Optional.empty();
    }

    /** A weight of two axes times a vector. */
    private double[] product(Use use, double[] vector) {
        Value parameter = model.parameter(use.tensor());
        Matrix weight = Matrix.over(
                parameter.shape().size(0),
                parameter.shape().size(1),
                numbers(use.tensor()).asFloat64());
        Matrix column = Matrix.over(vector.length, 1, vector);
        return (use.axis() == 1 ? weight : weight.transpose()).times(column).entries();
    }
}
