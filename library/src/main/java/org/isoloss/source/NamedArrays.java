package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.model.Numbers;

/** Arrays by name: what is given to a model, or what is expected of it. */
public final class NamedArrays {
    /** No arrays. */
    public static final NamedArrays NONE = new NamedArrays(new LinkedHashMap<>());

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
}
