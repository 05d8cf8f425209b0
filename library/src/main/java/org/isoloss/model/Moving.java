package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a model that move, as one vector: whole tensors, or parts of them, one after the other.
 *
 * <p>A part is written as the tensor with indices and ranges in brackets: {@code conv1.weight[0:4]} are the first four
 * output channels, {@code fc.weight[:, 3]} is what leaves unit 3.
 */
public final class Moving {
    private static final Pattern FORM = Pattern.compile("\\s*([^\\[\\]]+?)\\s*(?:\\[([^\\[\\]]*)\\])?\\s*");
    private static final Pattern RANGE = Pattern.compile("\\s*(\\d{0,9})\\s*(?:(:)\\s*(\\d{0,9}))?\\s*");

    private final Model model;
    private final SequencedMap<String, int[]> places;
    private final SequencedMap<String, double[]> numbers = new LinkedHashMap<>();
    private final int count;

    private Moving(Model model, SequencedMap<String, int[]> places) {
        this.model = model;
        this.places = places;
        places.keySet().forEach(name -> numbers.put(name, model.numbers(name).clone()));
        this.count =
                places.values().stream().mapToInt(indices -> indices.length).sum();
    }

    /**
     * Chooses parameters.
     *
     * @param model that has them
     * @param parts tensors, or parts of them; each entry once
     * @return the choice
     */
    public static Moving of(Model model, List<String> parts) {
        SequencedMap<String, List<Integer>> chosen = new LinkedHashMap<>();
        for (String part : parts) {
            Matcher form = FORM.matcher(part);
            if (!form.matches()) {
                throw unclear(part);
            }
            String name = form.group(1);
            Dimensions shape = model.parameter(name).shape();
            chosen.computeIfAbsent(name, _ -> new ArrayList<>()).addAll(indices(part, form.group(2), shape));
        }
        chosen.values().forEach(indices -> indices.sort(null));
        return distinct(model, chosen, String.join(", ", parts));
    }

    private static Moving distinct(Model model, SequencedMap<String, List<Integer>> chosen, String words) {
        SequencedMap<String, int[]> places = new LinkedHashMap<>();
        chosen.forEach((name, indices) -> {
            int[] distinct =
                    indices.stream().mapToInt(Integer::intValue).distinct().toArray();
            if (distinct.length < indices.size()) {
                throw new IllegalArgumentException("%s: an entry of %s is chosen twice".formatted(words, name));
            }
            places.put(name, distinct);
        });
        if (places.isEmpty()) {
            throw new IllegalArgumentException("no parameter moves; name a tensor, one of %s"
                    .formatted(String.join(", ", model.parameters().keySet())));
        }
        return new Moving(model, places);
    }

    /**
     * Chooses all parameters.
     *
     * @param model that has them
     * @return the choice
     */
    public static Moving all(Model model) {
        return of(model, List.copyOf(model.parameters().keySet()));
    }

    /**
     * Leaves out tensors that some values do not depend on.
     *
     * @param values of the model
     * @return of the same parts those that can move one of them, in the same order
     */
    public Moving reaching(Collection<Value> values) {
        SequencedMap<String, int[]> reaching = new LinkedHashMap<>(places);
        Set<Value> before = Set.copyOf(Execution.order(List.copyOf(values), Set.of()));
        reaching.keySet().removeIf(name -> !before.contains(model.parameter(name)));
        return new Moving(model, reaching);
    }

    /**
     * Chooses the same parameters of the same model with other outputs.
     *
     * @param values by the names of the outputs that they become
     * @return the choice
     */
    public Moving observing(SequencedMap<String, Value> values) {
        return new Moving(model.observing(values), places);
    }

    /**
     * Chooses parameters by their places in the vector of all parameters.
     *
     * @param model that has them
     * @param places all different, those of one tensor one after the other; the vector holds them in this order
     * @return the choice
     */
    public static Moving at(Model model, int... places) {
        NavigableMap<Integer, String> begins = new TreeMap<>();
        offsets(model).forEach((name, offset) -> begins.put(offset, name));
        SequencedMap<String, List<Integer>> chosen = new LinkedHashMap<>();
        for (int place : places) {
            Map.Entry<Integer, String> tensor = begins.floorEntry(place);
            boolean again = tensor != null
                    && chosen.containsKey(tensor.getValue())
                    && !tensor.getValue().equals(chosen.lastEntry().getKey());
            if (tensor == null || place >= model.parameterCount() || again) {
                throw new IllegalArgumentException(
                        "places %s of %d parameters, expected those of one tensor one after the other"
                                .formatted(Arrays.toString(places), model.parameterCount()));
            }
            chosen.computeIfAbsent(tensor.getValue(), _ -> new ArrayList<>()).add(place - tensor.getKey());
        }
        return distinct(model, chosen, Arrays.toString(places));
    }

    private static SequencedMap<String, Integer> offsets(Model model) {
        SequencedMap<String, Integer> offsets = new LinkedHashMap<>();
        int next = 0;
        for (Map.Entry<String, Value> parameter : model.parameters().entrySet()) {
            offsets.put(parameter.getKey(), next);
            next = Math.addExact(next, parameter.getValue().shape().count());
        }
        return offsets;
    }

    private static List<Integer> indices(String part, @Nullable String brackets, Dimensions shape) {
        String[] texts = brackets == null ? new String[0] : brackets.split(",", -1);
        if (texts.length > shape.rank()) {
            throw new IllegalArgumentException(
                    "'%s': %d places in brackets for a tensor of shape %s".formatted(part, texts.length, shape));
        }
        int[] begins = new int[shape.rank()];
        int[] sizes = shape.toArray();
        for (int axis = 0; axis < texts.length; axis++) {
            Matcher range = RANGE.matcher(texts[axis]);
            if (!range.matches() || (range.group(2) == null && range.group(1).isEmpty())) {
                throw unclear(part);
            }
            begins[axis] = range.group(1).isEmpty() ? 0 : Integer.parseInt(range.group(1));
            int end = range.group(2) == null
                    ? begins[axis] + 1
                    : range.group(3).isEmpty() ? shape.size(axis) : Integer.parseInt(range.group(3));
            if (begins[axis] >= end || end > shape.size(axis)) {
                throw new IllegalArgumentException("'%s': '%s' is outside 0 to %d or selects nothing"
                        .formatted(part, texts[axis].strip(), shape.size(axis) - 1));
            }
            sizes[axis] = end - begins[axis];
        }
        int[] ones = new int[shape.rank()];
        Arrays.fill(ones, 1);
        return Arrays.stream(IndexMap.sliced(shape, begins, ones, sizes).table())
                .boxed()
                .toList();
    }

    private static IllegalArgumentException unclear(String part) {
        return new IllegalArgumentException(
                "'%s' selects no parameters; expected a tensor such as conv1.weight, or a part such as conv1.weight[0:4] or fc.weight[:, 3]"
                        .formatted(part));
    }

    /** {@return the model} */
    public Model model() {
        return model;
    }

    /** {@return how many numbers move} */
    public int count() {
        return count;
    }

    /** {@return the places of the moving numbers in the vector of all parameters, which {@link #at} takes} */
    public int[] within() {
        Map<String, Integer> offsets = offsets(model);
        return places.entrySet().stream()
                .flatMapToInt(entry -> {
                    int offset = offsets.getOrDefault(entry.getKey(), 0);
                    return Arrays.stream(entry.getValue()).map(place -> offset + place);
                })
                .toArray();
    }

    /** {@return for each tensor that moves the places of its entries that do, row-major} */
    public SequencedMap<String, int[]> places() {
        return Collections.unmodifiableSequencedMap(places);
    }

    private double[] stored(String name) {
        return Objects.requireNonNull(numbers.get(name));
    }

    /** {@return the moving numbers as the model has them, length {@link #count}} */
    public double[] origin() {
        double[] origin = new double[count];
        int next = 0;
        for (Map.Entry<String, int[]> entry : places.entrySet()) {
            double[] numbers = stored(entry.getKey());
            for (int index : entry.getValue()) {
                origin[next++] = numbers[index];
            }
        }
        return origin;
    }

    /** {@return the root mean square of the moving numbers as the model has them} */
    public double scale() {
        double[] origin = origin();
        return Matrix.over(1, origin.length, origin).frobeniusNorm() / Math.sqrt(origin.length);
    }

    /**
     * Returns the tensors that a vector stands for.
     *
     * @param point length {@link #count}; not modified
     * @return by name, row-major, with the entries that do not move as they are
     */
    public SequencedMap<String, double[]> tensors(double[] point) {
        SequencedMap<String, double[]> tensors = new LinkedHashMap<>();
        int next = 0;
        for (Map.Entry<String, int[]> entry : places.entrySet()) {
            double[] numbers = stored(entry.getKey()).clone();
            for (int index : entry.getValue()) {
                numbers[index] = point[next++];
            }
            tensors.put(entry.getKey(), numbers);
        }
        return tensors;
    }

    /** The moving tensors as values made of one vector. */
    Map<Value, Value> madeOf(ModelBuilder builder, Value vector) {
        Map<Value, Value> made = new LinkedHashMap<>();
        int next = 0;
        for (Map.Entry<String, int[]> entry : places.entrySet()) {
            Value parameter = model.parameter(entry.getKey());
            Dimensions shape = parameter.shape();
            int[] indices = entry.getValue();
            Value part = builder.slice(vector, 0, next, indices.length);
            next += indices.length;
            if (Arrays.equals(indices, IntStream.range(0, shape.count()).toArray())) {
                made.put(parameter, builder.reshape(part, shape));
                continue;
            }
            double[] still = stored(entry.getKey()).clone();
            double[] chosen = new double[indices.length];
            for (int i = 0; i < indices.length; i++) {
                still[indices[i]] = 0;
                chosen[i] = indices[i];
            }
            Value spread = builder.add(
                    new Accumulation(0, shape.count()),
                    part,
                    builder.constant(Dimensions.of(indices.length), () -> chosen));
            made.put(parameter, builder.plus(builder.reshape(spread, shape), builder.constant(shape, () -> still)));
        }
        return made;
    }
}
