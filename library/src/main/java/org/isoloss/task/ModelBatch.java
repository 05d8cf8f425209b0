package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.Npz;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
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
    private final Path file;
    private final StoredModel opened;
    private final Bindings bindings;
    private final List<NamedArrays> batches;
    private final List<String> notices;

    private ModelBatch(
            Path file, StoredModel opened, Bindings bindings, List<NamedArrays> batches, List<String> notices) {
        this.file = file;
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
            if (source.header() != null || Boolean.TRUE.equals(source.label())) {
                throw new IllegalArgumentException(
                        "data: %s holds arrays, and 'header' and 'label' go with a table".formatted(source.file()));
            }
            NamedArrays stored = ModelRun.named(file, NamedArrays.read(path), source.array());
            requireNoOther(file, names, stored, source);
            for (String name : names) {
                requireRows(name, names, stored, source, file);
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
        var batch = new ModelBatch(file, opened, bindings, batches, notices);
        if (source.outputs() == null) {
            return batch;
        }
        notices.add(ExpectedOutputs.read(source.outputs(), folder, choice)
                .confirm(
                        file.getFileName().toString(),
                        batch.first(Precision.FLOAT64),
                        () -> batch.first(Precision.FLOAT32)));
        return new ModelBatch(file, opened, bindings, batches, notices);
    }

    /** Refuses arrays that are no input: what is not read is not passed over. */
    private static void requireNoOther(Path file, List<String> names, NamedArrays stored, DataSource source) {
        for (String name : stored.names()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "data: the array '%s' of %s is no input of %s, which takes %s; leave it out%s"
                                .formatted(
                                        name,
                                        source.file(),
                                        file.getFileName(),
                                        String.join(", ", names),
                                        names.size() == 1 ? ", or name the one that is meant by 'array'" : ""));
            }
        }
    }

    private static void requireRows(String name, List<String> names, NamedArrays stored, DataSource source, Path file) {
        if (!stored.names().contains(name)) {
            throw new IllegalArgumentException("data: %s has the input%s %s, but %s has no array '%s'; there are %s"
                    .formatted(
                            file.getFileName(),
                            names.size() == 1 ? "" : "s",
                            String.join(", ", names),
                            source.file(),
                            name,
                            String.join(", ", stored.names())));
        }
        if (stored.sizes(name).isEmpty() || stored.sizes(name).contains(0)) {
            throw new IllegalArgumentException(
                    "data: the array of the input '%s' has shape %s, expected one input a row"
                            .formatted(name, stored.sizes(name)));
        }
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
        return new ModelBatch(other, model, bindings, batches, model.notes());
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
     * Chooses what moves.
     *
     * @param parts as {@link Moving#of} reads them; all parameters where there is none
     * @return the choice
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when one of them is no parameter, with what it is instead
     */
    public Moving moving(List<String> parts) throws IOException {
        for (String part : parts) {
            String name = part.replaceFirst("\\s*\\[[^\\[]*\\]\\s*$", "").strip();
            if (!model().parameters().containsKey(name)) {
                requireMovable(name);
            }
        }
        return parts.isEmpty() ? Moving.all(model()) : Moving.of(model(), parts);
    }

    /** Says why a tensor of the file is no parameter of the model. */
    private void requireMovable(String name) throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            if (!checkpoint.names().contains(name)) {
                return;
            }
            if (notices.contains("the initialiser '%s' is left aside: no output depends on it".formatted(name))) {
                throw new IllegalArgumentException("the tensor %s of %s moves without effect: no output depends on it"
                        .formatted(name, file.getFileName()));
            }
            ElementType type = checkpoint.tensor(name).type();
            throw new IllegalArgumentException(
                    type.isFloat()
                            ? "the tensor %s of %s is a constant of the model, such as a statistic or a size; one of %s can move"
                                    .formatted(name, file.getFileName(), parameters())
                            : "the tensor %s of %s has type %s, and whole numbers do not move; export the model with weights of type F32"
                                    .formatted(name, file.getFileName(), type));
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private String parameters() {
        return String.join(", ", model().parameters().keySet());
    }

    /**
     * Computes all outputs.
     *
     * @param precision of all numbers
     * @return what belongs to one input a row, one output after the other; where the first axes of the outputs differ, what
     *     belongs to one batch
     */
    public Matrix outputs(Precision precision) {
        return joined(precision, List.copyOf(model().outputs().keySet()));
    }

    /** The first output alone, one input a row. */
    private Matrix first(Precision precision) {
        return joined(precision, List.of(model().outputs().firstEntry().getKey()));
    }

    private Matrix joined(Precision precision, List<String> names) {
        Set<Integer> firsts = names.stream()
                .map(name -> model().output(name).shape())
                .map(shape -> shape.rank() == 0 ? 1 : shape.size(0))
                .collect(Collectors.toSet());
        int rows = firsts.size() == 1 ? firsts.iterator().next() : 1;
        int columns = names.stream()
                        .mapToInt(name -> model().output(name).shape().count())
                        .sum()
                / rows;
        Matrix outputs = Matrix.zeros(rows * batches.size(), columns);
        for (int batch = 0; batch < batches.size(); batch++) {
            Map<String, double[]> computed =
                    model().run(precision, batches.get(batch).all());
            int column = 0;
            for (String name : names) {
                double[] numbers = Objects.requireNonNull(computed.get(name));
                int width = numbers.length / rows;
                for (int row = 0; row < rows; row++) {
                    int at = (batch * rows + row) * columns + column;
                    System.arraycopy(numbers, row * width, outputs.entries(), at, width);
                }
                column += width;
            }
        }
        return outputs;
    }
}
