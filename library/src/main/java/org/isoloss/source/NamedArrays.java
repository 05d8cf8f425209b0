package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Predicate;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Numbers;

/** Arrays by name: what is given to a model, or what is expected of it. */
public final class NamedArrays {
    /** No arrays. */
    public static final NamedArrays NONE = new NamedArrays(new LinkedHashMap<>());

    private static final Set<String> BESIDE_TOKENS = Set.of("attention_mask", "token_type_ids", "position_ids");

    private final SequencedMap<String, Entry> arrays;

    private NamedArrays(SequencedMap<String, Entry> arrays) {
        this.arrays = arrays;
    }

    private record Entry(List<Integer> sizes, Numbers held) {
        double[] numbers() {
            return held.asFloat64();
        }
    }

    /**
     * Reads a file.
     *
     * @param file npz, npy or safetensors
     * @return its arrays; that of an npy file is called as the file
     * @throws IOException when it cannot be read
     */
    public static NamedArrays read(Path file) throws IOException {
        SequencedMap<String, Entry> arrays = new LinkedHashMap<>();
        if (Npz.isArray(file)) {
            StoredTensor only = Npz.readArray(file);
            arrays.put(only.name(), entry(only));
        } else {
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                for (String name : checkpoint.names()) {
                    arrays.put(name, entry(checkpoint.tensor(name)));
                }
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
        return new NamedArrays(arrays);
    }

    private static Entry entry(StoredTensor tensor) {
        List<Integer> sizes =
                tensor.shape().sizes().stream().map(Math::toIntExact).toList();
        double[] all = tensor.toDoubles();
        return new Entry(sizes, () -> all);
    }

    /**
     * Takes one array and gives it another name.
     *
     * @param array its name here
     * @param input its name from now on
     * @return that array alone
     */
    public NamedArrays only(String array, String input) {
        return new NamedArrays(new LinkedHashMap<>(Map.of(input, entry(array))));
    }

    /**
     * Adds an array.
     *
     * @param name of it
     * @param sizes one an axis
     * @param numbers row-major; kept
     * @return these and that
     */
    public NamedArrays with(String name, List<Integer> sizes, double... numbers) {
        SequencedMap<String, Entry> more = new LinkedHashMap<>(arrays);
        more.put(name, new Entry(List.copyOf(sizes), () -> numbers));
        return new NamedArrays(more);
    }

    /** {@return the names} */
    public List<String> names() {
        return List.copyOf(arrays.keySet());
    }

    /**
     * Returns the sizes of an array.
     *
     * @param name of it
     * @return one an axis
     */
    public List<Integer> sizes(String name) {
        return entry(name).sizes;
    }

    /**
     * Returns the numbers of an array.
     *
     * @param name of it
     * @return row-major; not to be modified
     */
    public double[] numbers(String name) {
        return entry(name).numbers();
    }

    private Entry entry(String name) {
        Entry entry = arrays.get(name);
        if (entry == null) {
            throw new IllegalArgumentException(
                    "no array '%s'; there are %s".formatted(name, String.join(", ", arrays.keySet())));
        }
        return entry;
    }

    /**
     * Adds what comes with tokens and is wanted, but not there: a mask of ones, types of zeros, and the order as positions.
     *
     * @param wanted names of inputs
     * @return these and those; these where there are no {@code input_ids}
     */
    public NamedArrays withTokenInputs(List<String> wanted) {
        NamedArrays more = this;
        for (String name : wanted) {
            if (arrays.containsKey("input_ids") && !arrays.containsKey(name) && BESIDE_TOKENS.contains(name)) {
                double[] numbers = new double[numbers("input_ids").length];
                int length = sizes("input_ids").getLast();
                Arrays.setAll(numbers, i -> switch (name) {
                    case "attention_mask" -> 1;
                    case "position_ids" -> i % length;
                    default -> 0;
                });
                more = more.with(name, sizes("input_ids"), numbers);
            }
        }
        return more;
    }

    /**
     * Writes the arrays: floats in a precision, whole numbers and truth values as i8.
     *
     * @param target an npz file
     * @param precision of floats
     * @param whole tells which arrays hold no floats
     * @throws IOException when it cannot be written
     */
    public void saveTo(Path target, Precision precision, Predicate<String> whole) throws IOException {
        var writer = new NpzWriter();
        for (String name : arrays.keySet()) {
            double[] numbers = numbers(name);
            var shape = new Shape(sizes(name).stream().map(Integer::longValue).toList());
            if (whole.test(name)) {
                writer.add(
                        name,
                        shape,
                        Arrays.stream(numbers)
                                .mapToLong(number -> (long) number)
                                .toArray());
            } else if (precision == Precision.FLOAT64) {
                writer.add(name, shape, numbers);
            } else {
                writer.add(name, shape, Numbers.of(numbers).asFloat32());
            }
        }
        writer.saveTo(target);
    }

    /**
     * Compares with what another program computed.
     *
     * @param expected some arrays, by name; a single one for a single array under any name
     * @param tolerance largest difference of an entry, relative to the array's largest magnitude
     * @return one line for each array that is compared
     * @throws IllegalArgumentException when one differs, with the first place and the largest difference
     */
    public List<String> confirm(NamedArrays expected, double tolerance) {
        NamedArrays named = arrays.size() == 1 && expected.arrays.size() == 1
                ? expected.only(expected.names().getFirst(), names().getFirst())
                : expected;
        List<String> lines = new ArrayList<>();
        for (String name : named.names()) {
            if (!arrays.containsKey(name)) {
                throw new IllegalArgumentException(
                        "the model has no output '%s'; it has %s".formatted(name, String.join(", ", arrays.keySet())));
            }
            lines.add(confirm(name, named, tolerance));
        }
        return lines;
    }

    /** {@return all numbers by name} */
    public Map<String, double[]> all() {
        Map<String, double[]> all = new LinkedHashMap<>();
        arrays.forEach((name, entry) -> all.put(name, entry.numbers()));
        return all;
    }

    /**
     * Binds the shapes of inputs to those of the arrays, and their numbers where these decide about the model.
     *
     * @param bindings what is bound already
     * @return these bindings and one for each array
     */
    public Bindings bind(Bindings bindings) {
        Bindings more = bindings;
        for (Map.Entry<String, Entry> array : arrays.entrySet()) {
            more = more.numbers(
                    array.getKey(), array.getValue().sizes, array.getValue().numbers());
        }
        return more;
    }

    private String confirm(String name, NamedArrays expected, double tolerance) {
        double[] computed = numbers(name);
        double[] wanted = expected.numbers(name);
        var shape = new Dimensions(sizes(name));
        if (!shape.sizes().equals(expected.sizes(name))) {
            throw new IllegalArgumentException(
                    "output '%s' has shape %s, but %s is expected".formatted(name, shape, expected.sizes(name)));
        }
        double scale = 0;
        for (double number : wanted) {
            scale = Double.isFinite(number) ? Math.max(scale, Math.abs(number)) : scale;
        }
        int first = -1;
        double largest = 0;
        for (int i = 0; i < wanted.length; i++) {
            double difference = difference(computed[i], wanted[i]);
            largest = Math.max(largest, difference);
            if (first < 0 && !(difference <= tolerance * scale)) {
                first = i;
            }
        }
        double share = scale == 0 ? largest : largest / scale;
        if (first >= 0) {
            throw new IllegalArgumentException(
                    "output '%s' differs first at %s: %s, expected %s; largest difference %.2e, %.1e of its largest magnitude; tolerance %s"
                            .formatted(
                                    name,
                                    place(shape, first),
                                    computed[first],
                                    wanted[first],
                                    largest,
                                    share,
                                    tolerance));
        }
        return "output '%s' agrees: largest difference %.1e of its largest magnitude".formatted(name, share);
    }

    /** How far two numbers are apart; two infinities of one sign, or two that are none, not at all. */
    private static double difference(double computed, double wanted) {
        if (computed == wanted || (Double.isNaN(computed) && Double.isNaN(wanted))) {
            return 0;
        }
        double difference = Math.abs(computed - wanted);
        return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
    }

    private static List<Integer> place(Dimensions shape, int index) {
        List<Integer> place = new ArrayList<>();
        int[] strides = shape.strides();
        for (int axis = 0; axis < strides.length; axis++) {
            place.add(index / strides[axis] % shape.size(axis));
        }
        return place;
    }
}
