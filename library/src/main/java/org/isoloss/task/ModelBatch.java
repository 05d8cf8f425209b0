package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.source.StoredModel;
import org.isoloss.task.InputTable.RowChoice;
import org.isoloss.task.Task.DataSource;

/**
 * A stored model opened for inputs: the size of its batch is that of the data, or where the file fixes it, the data is cut into
 * batches of this size.
 */
public final class ModelBatch {
    private final StoredModel opened;
    private final Map<String, List<Integer>> shapes;
    private final List<Map<String, double[]>> batches;
    private final List<String> notices;

    private ModelBatch(
            StoredModel opened,
            Map<String, List<Integer>> shapes,
            List<Map<String, double[]>> batches,
            List<String> notices) {
        this.opened = opened;
        this.shapes = shapes;
        this.batches = List.copyOf(batches);
        this.notices = List.copyOf(notices);
    }

    /** What data says about one input. */
    private record Input(List<Integer> sizes, double[] numbers) {}

    /**
     * Opens a model for the inputs of a task. Rows are chosen along the first axis; a table has one input a row, an npz file
     * either one array or one of each input's name.
     *
     * @param file of the model
     * @param source names a file of inputs
     * @param folder to which its path is relative
     * @return the model and the numbers of its inputs
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static ModelBatch read(Path file, DataSource source, Path folder) throws IOException {
        List<String> names = StoredModel.inputs(file);
        Map<String, Input> given = new LinkedHashMap<>();
        List<String> notices = new ArrayList<>();
        RowChoice choice;
        Path path = folder.resolve(String.valueOf(source.file()));
        List<Integer> tokens = source.tokens();
        if (tokens != null) {
            choice = new RowChoice(null, 1);
            given.put(
                    names.getFirst(),
                    new Input(
                            List.of(1, tokens.size()),
                            tokens.stream().mapToDouble(Integer::doubleValue).toArray()));
        } else if (Npz.isZip(path) && source.array() == null) {
            choice = arrays(path, names, source, given);
        } else {
            if (names.size() != 1) {
                throw new IllegalArgumentException(
                        "data: %s is one table, but the model has the inputs %s; give an npz file with an array for each"
                                .formatted(source.file(), String.join(", ", names)));
            }
            InputTable table = InputTable.read(source, folder);
            table.notice().ifPresent(notices::add);
            choice = table.choice();
            given.put(
                    names.getFirst(),
                    input(table.inputs(), List.of(table.inputs().columns())));
        }
        int rows = given.values().iterator().next().sizes().getFirst();
        int size = StoredModel.fixedBatch(file).orElse(rows);
        if (rows % size != 0) {
            throw new IllegalArgumentException("data: %d inputs are chosen, but %s has batches of %d; choose a multiple"
                    .formatted(rows, file.getFileName(), size));
        }
        Map<String, List<Integer>> shapes = new LinkedHashMap<>();
        List<Map<String, double[]>> batches = new ArrayList<>();
        for (int batch = 0; batch < rows / size; batch++) {
            batches.add(new LinkedHashMap<>());
        }
        for (Map.Entry<String, Input> entry : given.entrySet()) {
            Input input = entry.getValue();
            List<Integer> sizes = new ArrayList<>(input.sizes());
            sizes.set(0, size);
            shapes.put(entry.getKey(), sizes);
            int count = input.numbers().length / batches.size();
            for (int batch = 0; batch < batches.size(); batch++) {
                batches.get(batch)
                        .put(entry.getKey(), Arrays.copyOfRange(input.numbers(), batch * count, (batch + 1) * count));
            }
        }
        StoredModel opened = StoredModel.open(file, shapes);
        notices.addAll(opened.notes());
        ModelBatch batch = new ModelBatch(opened, shapes, batches, notices);
        if (source.outputs() == null) {
            return batch;
        }
        notices.add(ExpectedOutputs.read(source.outputs(), folder, choice)
                .confirm(
                        file.getFileName().toString(),
                        batch.outputs(Precision.FLOAT64),
                        () -> batch.outputs(Precision.FLOAT32)));
        return new ModelBatch(opened, shapes, batches, notices);
    }

    private static RowChoice arrays(Path path, List<String> names, DataSource source, Map<String, Input> given)
            throws IOException {
        int rows = 0;
        try (Npz npz = Npz.open(path)) {
            for (String name : names) {
                String stored = names.size() == 1 && npz.names().size() == 1
                        ? npz.names().getFirst()
                        : name;
                if (!npz.names().contains(stored)) {
                    throw new IllegalArgumentException(
                            "data: %s has no array '%s' for this input of the model; it has %s"
                                    .formatted(source.file(), name, String.join(", ", npz.names())));
                }
                StoredTensor array = npz.tensor(stored);
                if (array.shape().rank() == 0) {
                    throw new IllegalArgumentException(
                            "data: the array '%s' of %s is a single number, expected a batch".formatted(stored, path));
                }
                rows = Math.toIntExact(array.shape().size(0));
                int columns = (int) (array.shape().count() / rows);
                Matrix all = Matrix.over(rows, columns, array.toDoubles());
                all.requireFinite("data: " + stored);
                List<Integer> rest = array.shape().sizes().stream()
                        .skip(1)
                        .map(Math::toIntExact)
                        .toList();
                Matrix chosen = new RowChoice(source.rows(), rows).of(all);
                given.put(name, input(source.scale() == null ? chosen : chosen.scaled(1 / source.scale()), rest));
            }
        }
        return new RowChoice(source.rows(), rows);
    }

    /** A batch of rows of the shape of one input. */
    private static Input input(Matrix rows, List<Integer> shape) {
        List<Integer> sizes = new ArrayList<>(List.of(rows.rows()));
        sizes.addAll(shape);
        return new Input(sizes, rows.entries());
    }

    /** {@return the model, for this batch} */
    public Model model() {
        return opened.model();
    }

    /**
     * Opens another file for the same inputs.
     *
     * @param other a model with the same inputs
     * @return the other model
     * @throws IOException when it cannot be read
     */
    ModelBatch of(Path other) throws IOException {
        StoredModel model = StoredModel.open(other, shapes);
        return new ModelBatch(model, shapes, batches, model.notes());
    }

    /** {@return for each batch the numbers of every input by name, row-major} */
    public List<Map<String, double[]>> batches() {
        return batches;
    }

    /** {@return what a reader should know about how the files were read, one line each} */
    public List<String> notices() {
        return notices;
    }

    /**
     * Computes the first output.
     *
     * @param precision of all numbers
     * @return what belongs to one input a row
     */
    public Matrix outputs(Precision precision) {
        int rows = model().outputs().firstEntry().getValue().shape().size(0);
        int columns = model().outputs().firstEntry().getValue().shape().count() / rows;
        Matrix outputs = Matrix.zeros(rows * batches.size(), columns);
        for (int batch = 0; batch < batches.size(); batch++) {
            double[] first =
                    model().run(precision, batches.get(batch)).firstEntry().getValue();
            System.arraycopy(first, 0, outputs.entries(), batch * first.length, first.length);
        }
        return outputs;
    }
}
