package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What undoes an edit: the places of the weights that it changed, with their stored numbers before and after. Rounding
 * cannot be undone by another edit, only by what was there.
 *
 * <p>As a file it is a safetensors file with three tensors for each changed tensor, {@code NAME.places} (indices of the
 * flattened tensor, from 0), {@code NAME.before} and {@code NAME.after}, these two in the type of the tensor.
 */
public final class EditRecord {
    /** Version of the file. */
    public static final String FORMAT = "1";

    private static final String KEY = "isoloss.undo";
    private static final String PLACES = ".places";
    private static final String BEFORE = ".before";
    private static final String AFTER = ".after";

    private final List<Changed> tensors;

    /** One tensor; a class, because records compare arrays by identity. */
    private static final class Changed {
        private final String name;
        private final ElementType type;
        private final int[] places;
        private final double[] before;
        private final double[] after;

        Changed(String name, ElementType type, int[] places, double[] before, double[] after) {
            this.name = name;
            this.type = type;
            this.places = places;
            this.before = before;
            this.after = after;
        }
    }

    private EditRecord(List<Changed> tensors) {
        this.tensors = List.copyOf(tensors);
    }

    /** The numbers of some tensors before an edit. */
    public static final class Before {
        private final Map<String, double[]> values;

        private Before(Map<String, double[]> values) {
            this.values = values;
        }

        /**
         * Compares with what an edit made of the tensors.
         *
         * @param edited the file that the edit wrote
         * @return what undoes it
         * @throws IOException when the file cannot be read
         */
        public EditRecord after(Path edited) throws IOException {
            List<Changed> changed = new ArrayList<>();
            try (Checkpoint file = Checkpoint.open(edited)) {
                for (String name : values.keySet()) {
                    double[] before = requireNonNull(values.get(name));
                    StoredTensor tensor = file.tensor(name);
                    double[] after = tensor.toDoubles();
                    int[] places = IntStream.range(0, after.length)
                            .filter(i -> bits(before[i]) != bits(after[i]))
                            .toArray();
                    if (places.length > 0) {
                        changed.add(new Changed(name, tensor.type(), places, at(places, before), at(places, after)));
                    }
                }
            }
            return new EditRecord(changed);
        }
    }

    /**
     * Reads the tensors that an edit is going to change.
     *
     * @param edit of a file, not yet saved
     * @return their numbers
     * @throws IOException when the file cannot be read
     */
    public static Before before(CheckpointEdit edit) throws IOException {
        Map<String, double[]> values = new LinkedHashMap<>();
        try (Checkpoint file = Checkpoint.open(edit.source())) {
            for (String name : edit.names()) {
                values.put(name, file.tensor(name).toDoubles());
            }
        }
        return new Before(values);
    }

    /**
     * Writes the record, whole or not at all.
     *
     * @param target the file
     * @throws IOException when it cannot be written
     */
    public void saveTo(Path target) throws IOException {
        SafetensorsWriter writer = new SafetensorsWriter().metadata(KEY, FORMAT);
        for (Changed tensor : tensors) {
            Shape shape = Shape.of(tensor.places.length);
            writer.add(
                            tensor.name + PLACES,
                            shape,
                            Arrays.stream(tensor.places).asLongStream().toArray())
                    .add(tensor.name + BEFORE, tensor.type, shape, tensor.before)
                    .add(tensor.name + AFTER, tensor.type, shape, tensor.after);
        }
        writer.saveTo(target);
    }

    /**
     * Reads a record.
     *
     * @param source what {@link #saveTo} wrote
     * @return the record
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when it is no such file
     */
    public static EditRecord open(Path source) throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(source)) {
            if (!FORMAT.equals(file.metadata().get(KEY))) {
                throw new CheckpointFormatException(
                        source,
                        "is no record of an edit: its metadata has no '%s' of %s; give what 'isoloss compensate --report' wrote"
                                .formatted(KEY, FORMAT));
            }
            List<Changed> tensors = new ArrayList<>();
            for (String key : file.names()) {
                if (key.endsWith(PLACES)) {
                    String name = key.substring(0, key.length() - PLACES.length());
                    tensors.add(read(file, name));
                }
            }
            return new EditRecord(tensors);
        }
    }

    private static Changed read(SafetensorsFile file, String name) {
        int[] places = Arrays.stream(file.tensor(name + PLACES).toLongs())
                .mapToInt(Math::toIntExact)
                .toArray();
        double[] before = file.tensor(name + BEFORE).toDoubles();
        double[] after = file.tensor(name + AFTER).toDoubles();
        if (before.length != places.length || after.length != places.length) {
            throw new CheckpointFormatException(
                    file.path(),
                    "has %d places of tensor %s with %d numbers before and %d after, expected as many"
                            .formatted(places.length, quoted(name), before.length, after.length));
        }
        return new Changed(name, file.tensor(name + BEFORE).type(), places, before, after);
    }

    /**
     * Brings the old weights back, bit for bit, or number for number where the edit wrote wider types; every other byte stays.
     *
     * @param edited a file with the weights that the edit wrote, at each recorded place
     * @param target the new file; may be the edited one itself
     * @return what changed in the stored weights
     * @throws IOException when a file cannot be read or written
     * @throws IllegalArgumentException when the file has other weights at a recorded place; nothing is written then
     */
    public EditReport undo(Path edited, Path target) throws IOException {
        Map<String, double[]> restored = new LinkedHashMap<>();
        try (Checkpoint file = Checkpoint.open(edited)) {
            for (Changed tensor : tensors) {
                restored.put(tensor.name, restored(file, tensor));
            }
        }
        return Checkpoint.edit(edited).with(restored).saveAs(target);
    }

    private static double[] restored(Checkpoint file, Changed change) throws IOException {
        StoredTensor tensor = file.tensor(change.name);
        double[] values = tensor.toDoubles();
        int other = 0;
        for (int i = 0; i < change.places.length; i++) {
            int place = change.places[i];
            boolean same = tensor.type() == change.type
                    && place >= 0
                    && place < values.length
                    && bits(values[place]) == bits(change.after[i]);
            if (same) {
                values[place] = change.before[i];
            } else {
                other++;
            }
        }
        if (other > 0) {
            throw new IllegalArgumentException(
                    "%s: %d of the %d weights of tensor %s that the edit changed are not those that it wrote; undo later edits first, or give the file that it wrote"
                            .formatted(file.path(), other, change.places.length, quoted(change.name)));
        }
        return values;
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    private static double[] at(int[] places, double[] values) {
        return Arrays.stream(places).mapToDouble(place -> values[place]).toArray();
    }
}
