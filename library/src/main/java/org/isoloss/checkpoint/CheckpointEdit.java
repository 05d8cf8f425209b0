package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * New values for some tensors of a safetensors file, of a folder with one or several, of an ONNX file, in which only their
 * bytes then differ, or of an npz file, whose arrays are then written anew in their types and order. Saving a safetensors file writes a file in which only those differ: the text of the header
 * (names, types, order, metadata, unknown fields), the order of the data and every other byte are the source's; a header
 * whose length is no multiple of 8 gets spaces at its end. An edit that is {@link #widened} writes F16 and BF16 tensors as F32
 * instead, each number exactly, with a header of its own.
 *
 * <p>An edit is immutable: {@link #with} returns another one.
 */
public final class CheckpointEdit {
    private final Path source;
    private final SequencedMap<String, NewValues> changes;
    private final boolean wide;
    private final boolean untied;

    /** New elements row by row; a shape when the stored tensor must have it. */
    record NewValues(NewNumbers numbers, int count, Optional<Shape> shape) {
        static NewValues of(double[] values, Optional<Shape> shape) {
            return new NewValues(NewNumbers.of(values), values.length, shape);
        }

        boolean sameAs(NewValues other) {
            return numbers.equals(other.numbers)
                    || (count == other.count && Arrays.equals(numbers.read(0, count), other.numbers.read(0, count)));
        }
    }

    private CheckpointEdit(Path source, SequencedMap<String, NewValues> changes, boolean wide, boolean untied) {
        this.source = source;
        this.changes = changes;
        this.wide = wide;
        this.untied = untied;
    }

    static CheckpointEdit of(Path source) {
        return of(source, new LinkedHashMap<>(), false);
    }

    static CheckpointEdit of(Path source, SequencedMap<String, NewValues> changes, boolean wide) {
        return new CheckpointEdit(source, changes, wide, false);
    }

    boolean writesNothing() {
        return changes.isEmpty() && !wide;
    }

    /**
     * Returns this edit with F16 and BF16 tensors stored as F32, the edited and all others. All else keeps its type.
     *
     * @return an edit that rounds new values to wider types; a folder is then written as a new one
     */
    public CheckpointEdit widened() {
        return new CheckpointEdit(source, changes, true, untied);
    }

    /**
     * Returns this edit with a tensor of its own for the head that the configuration ties to the embedding: a copy of it, or the new
     * values that are given under the name of the head.
     *
     * @return an edit whose folder is written as a new one
     */
    public CheckpointEdit untied() {
        return new CheckpointEdit(source, changes, wide, true);
    }

    /**
     * Returns this edit with new values for one more tensor.
     *
     * @param name a tensor of the source of type F64, F32, F16 or BF16, not given before
     * @param values all its elements, row-major, finite; kept, not copied: must stay as they are until saved
     * @return the larger edit
     */
    public CheckpointEdit with(String name, double... values) {
        return with(name, NewValues.of(values, Optional.empty()));
    }

    /**
     * Returns this edit with new values for one more tensor, which must have the shape of the matrix.
     *
     * @param name a tensor of the source of type F64, F32, F16 or BF16, not given before
     * @param values shape (rows, columns) as stored, finite; kept, not copied: must stay as they are until saved
     * @return the larger edit
     */
    public CheckpointEdit with(String name, Matrix values) {
        return with(name, NewValues.of(values.entries(), Optional.of(Shape.of(values.rows(), values.columns()))));
    }

    /**
     * Returns this edit with new values for one more tensor, which are made while it is written.
     *
     * @param name a tensor of the source of type F64, F32, F16 or BF16, not given before
     * @param count of all its elements
     * @param values gives them, finite
     * @return the larger edit
     */
    public CheckpointEdit with(String name, int count, NewNumbers values) {
        return with(name, new NewValues(values, count, Optional.empty()));
    }

    /**
     * Returns this edit with new values for more tensors.
     *
     * @param values by name, as for {@link #with(String, double...)}
     * @return the larger edit
     */
    public CheckpointEdit with(Map<String, double[]> values) {
        CheckpointEdit edit = this;
        for (var change : values.entrySet()) {
            edit = edit.with(change.getKey(), change.getValue());
        }
        return edit;
    }

    private CheckpointEdit with(String name, NewValues values) {
        var more = new LinkedHashMap<>(changes);
        if (more.put(name, values) != null) {
            throw new IllegalArgumentException("edit of %s: tensor %s is given twice".formatted(source, quoted(name)));
        }
        return new CheckpointEdit(source, more, wide, untied);
    }

    /** {@return the file or folder that is edited} */
    Path source() {
        return source;
    }

    /** {@return the names of the tensors with new values} */
    Set<String> names() {
        return changes.keySet();
    }

    /**
     * Says what saving would change, and writes nothing.
     *
     * @return as {@link #saveAs} would return it, but for weights that only a configuration ties to these
     * @throws IOException when the source cannot be read
     * @throws CheckpointFormatException when a tensor is missing, of another size, or of a type that is not edited
     * @throws IllegalArgumentException when a new value is not finite or beyond the type
     */
    public EditReport report() throws IOException {
        var tensors = new ArrayList<EditReport.EditedTensor>();
        try (Checkpoint checkpoint = Checkpoint.open(source)) {
            String head = untied ? TiedWeights.of(source, checkpoint).untied().head() : "";
            for (var change : changes.entrySet()) {
                StoredTensor tensor = change.getKey().equals(head)
                        ? TiedWeights.of(source, checkpoint).head()
                        : checkpoint.tensor(change.getKey());
                requireFitting(tensor, change.getValue());
                tensors.add(new EditOutput(tensor, change.getValue(), type(tensor)).count());
            }
        }
        return new EditReport(tensors);
    }

    private ElementType type(StoredTensor tensor) {
        return wide ? tensor.type().widened() : tensor.type();
    }

    /**
     * Writes the edited file or folder, whole or not at all (see {@link AtomicFile}). A folder's other files are copied as
     * they are, and weights that its configuration ties are edited as one.
     *
     * @param target where to; may be the source itself, otherwise a folder that is not there or is empty where the source
     *     is a folder
     * @return what changed in the stored weights
     * @throws IOException when the source cannot be read or the target not be written, which is then as before
     * @throws CheckpointFormatException when the source is no valid file, or a tensor is missing, of another size, or of a
     *     type that is not edited
     * @throws IllegalArgumentException when a new value is not finite or beyond the stored type, unless the stored bits
     *     stay the same
     */
    public EditReport saveAs(Path target) throws IOException {
        if (Files.isDirectory(source)) {
            return FolderEdit.save(source, changes, new FolderEdit.Rewriting(wide, untied), target);
        }
        if (untied) {
            throw new IllegalArgumentException(source + ": no folder with a configuration, so no head is tied");
        }
        requireTarget(target);
        if (OnnxFile.isOnnx(source)) {
            return saveOnnx(target);
        }
        if (Npz.isZip(source)) {
            return saveNpz(target);
        }
        try (SafetensorsFile file = SafetensorsFile.open(source)) {
            requireFitting(file);
            var report = new ArrayList<EditReport>();
            AtomicFile.write(target, channel -> {
                report.add(writeTo(file, channel));
                file.release(); // Windows replaces no file that is mapped
            });
            return report.getFirst();
        }
    }

    /**
     * Refuses a target that is not named like a file of the source's format.
     *
     * @param target where to
     * @throws IOException when the source cannot be read
     * @throws IllegalArgumentException when it is no such file
     */
    public void requireTarget(Path target) throws IOException {
        if (Files.isDirectory(source)) {
            return;
        }
        if (source.toString().endsWith(ShardIndex.SUFFIX)) {
            throw new CheckpointFormatException(source, "is an index, edit the folder it lies in");
        }
        boolean npz = Npz.isZip(source);
        String name = target.toString();
        if (OnnxFile.isOnnx(source) != OnnxFile.isOnnx(target)) {
            throw new IllegalArgumentException(
                    "%s: an edit keeps the format of its source, and %s is %s; name the new file accordingly"
                            .formatted(target, source, OnnxFile.isOnnx(source) ? "ONNX" : npz ? "npz" : "safetensors"));
        }
        if (npz ? name.endsWith(".safetensors") : name.endsWith(".npz")) {
            throw new IllegalArgumentException(
                    "%s: an edit keeps the format of its source, and %s is %s; name the new file accordingly"
                            .formatted(target, source, npz ? "npz" : "safetensors"));
        }
    }

    private void requireFitting(Checkpoint file) throws IOException {
        requireFitting(file, "");
    }

    /** Checks all new values but those of a tensor that is still to come. */
    void requireFitting(Checkpoint file, String coming) throws IOException {
        for (var change : changes.entrySet()) {
            if (!change.getKey().equals(coming)) {
                requireFitting(file.tensor(change.getKey()), change.getValue());
            }
        }
    }

    void requireFitting(StoredTensor tensor, NewValues values) {
        String problem = "";
        if (!tensor.type().isFloat()) {
            problem = "has type %s; only F64, F32, F16 and BF16 are edited".formatted(tensor.type());
        } else if (values.count() != tensor.shape().count()) {
            problem = "has shape %s, %d elements, but %d new values are given"
                    .formatted(tensor.shape(), tensor.shape().count(), values.count());
        } else if (!values.shape().orElse(tensor.shape()).equals(tensor.shape())) {
            problem = "has shape %s, but a matrix of shape %s is given"
                    .formatted(tensor.shape(), values.shape().orElseThrow());
        }
        if (!problem.isEmpty()) {
            throw new CheckpointFormatException(source, "tensor %s %s".formatted(quoted(tensor.name()), problem));
        }
    }

    /** The same file with other elements in the same places. */
    private EditReport saveOnnx(Path target) throws IOException {
        var edited = new ArrayList<EditReport.EditedTensor>();
        byte[] image;
        try (OnnxFile file = OnnxFile.open(source)) {
            requireFitting(file);
            image = file.image();
            for (var change : changes.entrySet()) {
                StoredTensor tensor = file.tensor(change.getKey());
                if (type(tensor) != tensor.type()) {
                    throw new IllegalArgumentException(
                            "%s: an ONNX model keeps the types of its tensors, and %s has type %s; leave out --dtype f32"
                                    .formatted(source, quoted(tensor.name()), tensor.type()));
                }
                var output = new EditOutput(tensor, change.getValue());
                int width = tensor.type().bits() / Byte.SIZE;
                int at = file.position(tensor.name());
                for (int i = 0; i < change.getValue().count(); i++, at += width) {
                    long code = output.newCode(i);
                    for (int b = 0; b < width; b++) {
                        image[at + b] = (byte) (code >>> (Byte.SIZE * b));
                    }
                }
                edited.add(output.report());
            }
        } // closed before it is replaced
        AtomicFile.writeBytes(target, image);
        return new EditReport(edited);
    }

    private EditReport saveNpz(Path target) throws IOException {
        var writer = new NpzWriter();
        var edited = new HashMap<String, EditOutput>();
        try (Npz file = Npz.open(source)) {
            requireFitting(file);
            for (String name : file.names()) {
                StoredTensor array = file.tensor(name);
                NewValues values = changes.get(name);
                if (values != null) {
                    var output = new EditOutput(array, values, type(array));
                    writer.add(array, type(array), output::writeTo);
                    edited.put(name, output);
                } else if (type(array) == array.type()) {
                    writer.add(array, array.type(), channel -> TensorOutput.copy(array.bytes(), channel));
                } else {
                    writer.addWidened(array, type(array));
                }
            }
        } // closed before it is replaced
        writer.saveTo(target);
        return new EditReport(changes.keySet().stream()
                .map(name -> requireNonNull(edited.get(name)).report())
                .toList());
    }

    /** Writes the edited file and reports; {@link #requireFitting} holds. */
    EditReport writeTo(SafetensorsFile file, WritableByteChannel channel) throws IOException {
        if (wide) {
            return writeWide(file, channel);
        }
        SafetensorsWriter.writeHeader(channel, file.header().text());
        var edited = new HashMap<String, EditReport.EditedTensor>();
        for (SafetensorsHeader.Entry entry : file.header().dataOrder()) {
            StoredTensor tensor = file.tensor(entry);
            NewValues values = changes.get(entry.name());
            if (values == null) {
                TensorOutput.copy(tensor.bytes(), channel);
            } else {
                var output = new EditOutput(tensor, values);
                output.writeTo(channel);
                edited.put(entry.name(), output.report());
            }
        }
        return new EditReport(changes.keySet().stream().map(edited::get).toList());
    }

    private EditReport writeWide(SafetensorsFile file, WritableByteChannel channel) throws IOException {
        return writeAnew(file, channel, null);
    }

    /** Writes a file with a header of its own, and one more tensor where one is given. */
    EditReport writeAnew(SafetensorsFile file, WritableByteChannel channel, @Nullable StoredTensor more)
            throws IOException {
        var writer = new SafetensorsWriter();
        file.metadata().forEach(writer::metadata);
        var outputs = new HashMap<String, EditOutput>();
        var tensors = new ArrayList<StoredTensor>();
        file.names().forEach(name -> tensors.add(file.tensor(name)));
        if (more != null) {
            tensors.add(more);
        }
        for (StoredTensor tensor : tensors) {
            NewValues values = changes.get(tensor.name());
            if (values != null) {
                var output = new EditOutput(tensor, values, type(tensor));
                outputs.put(tensor.name(), output);
                writer.add(tensor.name(), type(tensor), tensor.shape(), values.count(), output::newCode);
            } else if (type(tensor) == tensor.type()) {
                writer.add(tensor);
            } else {
                writer.addWidened(tensor, type(tensor));
            }
        }
        writer.writeTo(source, channel);
        return new EditReport(changes.keySet().stream()
                .flatMap(name -> Stream.ofNullable(outputs.get(name)))
                .map(EditOutput::report)
                .toList());
    }
}
