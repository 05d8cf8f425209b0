package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Npz;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.source.Bindings;
import org.isoloss.source.ModelRun;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import org.isoloss.task.InputTable.RowChoice;
import org.isoloss.task.Task.DataSource;

/**
 * A stored model opened for inputs: the size of its batch is that of the data, or where the file fixes it, the data is cut into
 * batches of this size.
 */
public final class ModelBatch {
    private final StoredModel opened;
    private final Bindings bindings;
    private final List<NamedArrays> batches;
    private final List<String> notices;

    private ModelBatch(StoredModel opened, Bindings bindings, List<NamedArrays> batches, List<String> notices) {
        this.opened = opened;
        this.bindings = bindings;
        this.batches = List.copyOf(batches);
        this.notices = List.copyOf(notices);
    }

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
        List<String> notices = new ArrayList<>();
        NamedArrays given = NamedArrays.NONE;
        RowChoice choice = new RowChoice(null, 1);
        List<Integer> tokens = source.tokens();
        Path path = folder.resolve(String.valueOf(source.file()));
        if (tokens != null) {
            given = given.with(
                    names.getFirst(),
                    List.of(1, tokens.size()),
                    tokens.stream().mapToDouble(Integer::doubleValue).toArray());
        } else if (Npz.isZip(path) || Npz.isArray(path)) {
            NamedArrays stored = ModelRun.named(file, NamedArrays.read(path), source.array());
            for (String name : names) {
                choice = new RowChoice(source.rows(), stored.sizes(name).getFirst());
                given = with(given, name, stored, choice, source);
            }
        } else if (names.size() == 1) {
            InputTable table = InputTable.read(source, folder);
            table.notice().ifPresent(notices::add);
            choice = table.choice();
            Matrix inputs = table.inputs();
            given = given.with(names.getFirst(), List.of(inputs.rows(), inputs.columns()), inputs.entries());
        } else {
            throw new IllegalArgumentException(
                    "data: %s is one table, but the model has the inputs %s; give an npz file with an array for each"
                            .formatted(source.file(), String.join(", ", names)));
        }
        List<NamedArrays> batches = batches(file, given);
        Bindings bindings = batches.size() == 1 ? given.bind(Bindings.NONE) : shapes(batches.getFirst());
        StoredModel opened = StoredModel.open(file, bindings);
        notices.addAll(opened.notes());
        var batch = new ModelBatch(opened, bindings, batches, notices);
        if (source.outputs() == null) {
            return batch;
        }
        notices.add(ExpectedOutputs.read(source.outputs(), folder, choice)
                .confirm(
                        file.getFileName().toString(),
                        batch.outputs(Precision.FLOAT64),
                        () -> batch.outputs(Precision.FLOAT32)));
        return new ModelBatch(opened, bindings, batches, notices);
    }

    /** Adds the chosen rows of an array, along its first axis. */
    private static NamedArrays with(
            NamedArrays given, String name, NamedArrays stored, RowChoice choice, DataSource source) {
        double[] numbers = stored.numbers(name);
        Matrix all = Matrix.over(choice.rows(), numbers.length / choice.rows(), numbers);
        all.requireFinite("data: " + name);
        if (source.rows() != null && source.rows().getLast() > choice.rows()) {
            throw new IllegalArgumentException(
                    "data: rows %s asked for, but the array '%s' has %d".formatted(source.rows(), name, choice.rows()));
        }
        Matrix chosen = choice.of(all);
        List<Integer> sizes = new ArrayList<>(stored.sizes(name));
        sizes.set(0, chosen.rows());
        double scale = source.scale() == null ? 1 : source.scale();
        return given.with(name, sizes, chosen.scaled(1 / scale).entries());
    }

    /** The inputs in batches of the size that the file fixes, or in one. */
    private static List<NamedArrays> batches(Path file, NamedArrays given) throws IOException {
        int rows = given.sizes(given.names().getFirst()).getFirst();
        int size = StoredModel.fixedBatch(file).orElse(rows);
        if (rows % size != 0) {
            throw new IllegalArgumentException("data: %d inputs are chosen, but %s has batches of %d; choose a multiple"
                    .formatted(rows, file.getFileName(), size));
        }
        List<NamedArrays> batches = new ArrayList<>();
        for (int batch = 0; batch < rows / size; batch++) {
            NamedArrays part = NamedArrays.NONE;
            for (String name : given.names()) {
                int count = given.numbers(name).length / (rows / size);
                List<Integer> sizes = new ArrayList<>(given.sizes(name));
                sizes.set(0, size);
                part = part.with(
                        name, sizes, Arrays.copyOfRange(given.numbers(name), batch * count, (batch + 1) * count));
            }
            batches.add(part);
        }
        return batches;
    }

    /** The shapes alone: of several batches none may decide about the model. */
    private static Bindings shapes(NamedArrays batch) {
        Bindings bindings = Bindings.NONE;
        for (String name : batch.names()) {
            bindings = bindings.shape(name, batch.sizes(name));
        }
        return bindings;
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
        StoredModel model = StoredModel.open(other, bindings);
        return new ModelBatch(model, bindings, batches, model.notes());
    }

    /** {@return for each batch the numbers of every input by name, row-major} */
    public List<Map<String, double[]>> batches() {
        return batches.stream().map(NamedArrays::all).toList();
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
            double[] first = model().run(precision, batches.get(batch).all())
                    .firstEntry()
                    .getValue();
            System.arraycopy(first, 0, outputs.entries(), batch * first.length, first.length);
        }
        return outputs;
    }
}
