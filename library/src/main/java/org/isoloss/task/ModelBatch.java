package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.Rerun;
import org.isoloss.model.Value;
import org.isoloss.source.Bindings;
import org.isoloss.source.ComputedOutputs;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.jspecify.annotations.Nullable;

/**
 * A stored network opened for inputs: the size of its batch is that of the data, or where the file fixes it, the data is cut into
 * batches of this size.
 */
public final class ModelBatch implements AutoCloseable {
    private final Path file;
    private final Reading reading;
    private final Bindings bindings;
    private final List<NamedArrays> batches;
    private final StoredModel opened;
    private final ComputedOutputs computed;
    private final List<String> notices = new ArrayList<>();
    private final List<Integer> tokens = new ArrayList<>();

    private ModelBatch(Path file, Reading reading, Bindings bindings, List<NamedArrays> batches) throws IOException {
        this.file = file;
        this.reading = reading;
        this.bindings = bindings;
        this.batches = List.copyOf(batches);
        this.opened = StoredModel.open(file, bindings, reading);
        this.computed = new ComputedOutputs(opened.model(), batches());
        notices.addAll(opened.notes());
    }

    /**
     * Opens a model for the inputs of a task, as its file says.
     *
     * @param file of the model
     * @param source names a file of inputs
     * @param folder to which its path is relative
     * @return the model and the numbers of its inputs
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static ModelBatch read(Path file, DataSource source, Path folder) throws IOException {
        return read(file, source, folder, Reading.PLAIN);
    }

    /**
     * Opens a model for the inputs of a task. Rows are chosen along the first axis; a table has one input a row, an npz file
     * either one array or one of each input's name.
     *
     * @param file of the model
     * @param source names a file of inputs
     * @param folder to which its path is relative
     * @param reading what the model's file does not say
     * @return the model and the numbers of its inputs
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static ModelBatch read(Path file, DataSource source, Path folder, Reading reading) throws IOException {
        return read(file, source, folder, Bindings.NONE, reading);
    }

    /**
     * Opens a model for the inputs of a task, as {@link #read(Path, DataSource, Path, Reading)} does, with sizes of axes that no data bind.
     *
     * @param file of the model
     * @param source names a file of inputs
     * @param folder to which its path is relative
     * @param axes sizes of axes that no data bind
     * @param reading what the model's file does not say
     * @return the model and the numbers of its inputs
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static ModelBatch read(Path file, DataSource source, Path folder, Bindings axes, Reading reading)
            throws IOException {
        GivenInputs given = GivenInputs.read(file, source, folder);
        ModelBatch batch = of(file, given.arrays(), axes, reading);
        batch.notices.addAll(0, given.notices());
        batch.tokens.addAll(given.tokens());
        batch.requireWidth(source);
        if (source.outputs() != null) {
            batch.notices.addAll(ExpectedOutputs.read(source.outputs(), folder, given.choice())
                    .confirm(batch.opened.described(), batch.computed));
        }
        return batch;
    }

    /**
     * Opens a model for inputs.
     *
     * @param file of the model
     * @param given an array for each input, by its name
     * @param axes sizes of axes that no data bind
     * @param reading what the file does not say
     * @return the model and the numbers of its inputs
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when something does not fit, in one line
     */
    public static ModelBatch of(Path file, NamedArrays given, Bindings axes, Reading reading) throws IOException {
        if (given.names().containsAll(StoredModel.inputs(file))) { // otherwise opening says what is missing
            GivenInputs.requireNoOther(file, given, "", "");
        }
        List<NamedArrays> batches = batches(file, given);
        Bindings bindings = batches.size() == 1 ? given.bind(axes) : shapes(axes, batches.getFirst());
        return new ModelBatch(file, reading, bindings, batches);
    }

    /**
     * Gives arrays the names of a model's inputs.
     *
     * @param file the model
     * @param data an array for each input, by its name; a single one for a single input under any name
     * @param array which of the arrays the single input is; null when there is no choice
     * @return by names of inputs
     * @throws IOException when the file cannot be read
     */
    public static NamedArrays named(Path file, NamedArrays data, @Nullable String array) throws IOException {
        List<String> inputs = StoredModel.inputs(file);
        if (array != null) {
            if (inputs.size() != 1) {
                throw new IllegalArgumentException("%s has the inputs %s; one array is for a model with one input"
                        .formatted(file, String.join(", ", inputs)));
            }
            return data.only(array, inputs.getFirst());
        }
        return inputs.size() == 1 && data.names().size() == 1
                ? data.only(data.names().getFirst(), inputs.getFirst())
                : data;
    }

    /** The rows of a table are as long as the network's inputs. */
    private void requireWidth(DataSource source) {
        int given =
                batches.getFirst().sizes(batches.getFirst().names().getFirst()).getLast();
        if (!StoredModel.isModel(file)) {
            int width = model().inputs().firstEntry().getValue().shape().size(1);
            if (given != width) {
                throw new IllegalArgumentException("%s: %d numbers an input, the network takes %d%s"
                        .formatted(
                                source.file(),
                                given,
                                width,
                                given == width + 1 && !Boolean.TRUE.equals(source.label())
                                        ? "; is the last a label (--label)?"
                                        : ""));
            }
        }
    }

    /** The inputs in batches of the size that the file fixes, or in one. */
    private static List<NamedArrays> batches(Path file, NamedArrays given) throws IOException {
        Set<Integer> firsts = given.names().stream()
                .map(given::sizes)
                .map(sizes -> sizes.isEmpty() ? 1 : sizes.getFirst())
                .collect(Collectors.toSet());
        int rows = firsts.size() == 1 ? firsts.iterator().next() : 1;
        int size = firsts.size() == 1 ? StoredModel.fixedBatch(file).orElse(rows) : rows;
        if (rows == size) {
            return List.of(given);
        }
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
    private static Bindings shapes(Bindings axes, NamedArrays batch) {
        Bindings bindings = axes;
        for (String name : batch.names()) {
            bindings = bindings.shape(name, batch.sizes(name));
        }
        return bindings;
    }

    /** {@return the model, for this batch} */
    public Model model() {
        return opened.model();
    }

    /** {@return the file of the model} */
    public Path file() {
        return file;
    }

    /**
     * Returns a parameter of the model as it is stored.
     *
     * @param parameter its name in the model
     * @return the tensor, valid while this is open
     * @throws IOException when the file cannot be read
     */
    public StoredTensor tensor(String parameter) throws IOException {
        return opened.tensor(parameter);
    }

    /** {@return the ids of the one text that is the input; none where the input is something else} */
    public List<Integer> tokens() {
        return List.copyOf(tokens);
    }

    /**
     * Opens the model for another text.
     *
     * @param text ids of its tokens
     * @return the text with the model
     * @throws IOException when it cannot be read
     */
    public ModelBatch of(List<Integer> text) throws IOException {
        return read(file, DataSource.text(text), Path.of(""), reading);
    }

    /**
     * Opens another file for the same inputs.
     *
     * @param other a model with the same inputs
     * @return the other model
     * @throws IOException when it cannot be read
     */
    public ModelBatch of(Path other) throws IOException {
        return of(other, reading);
    }

    /**
     * Opens a file for the same inputs.
     *
     * @param other a model with the same inputs
     * @param otherReading what the file does not say
     * @return the other model
     * @throws IOException when it cannot be read
     */
    public ModelBatch of(Path other, Reading otherReading) throws IOException {
        var batch = new ModelBatch(other, otherReading, bindings, batches);
        batch.tokens.addAll(tokens);
        return batch;
    }

    /** {@return for each batch the numbers of every input by name, row-major} */
    public List<Map<String, double[]>> batches() {
        return batches.stream().map(NamedArrays::all).toList();
    }

    /** {@return what a reader should know about how the files were read, one line each} */
    public List<String> notices() {
        return List.copyOf(notices);
    }

    /** {@return what of this is about the data alone, such as how a table was read, or that outputs agree} */
    public List<String> noticesOfData() {
        return notices.stream()
                .filter(notice -> !opened.notes().contains(notice))
                .toList();
    }

    /** {@return what the model computes for all batches} */
    public ComputedOutputs computed() {
        return computed;
    }

    /**
     * Tells what kind of numbers an output has.
     *
     * @param output its name
     * @return whether they are whole numbers or truth values
     */
    public boolean isWhole(String output) {
        return opened.isWhole(output);
    }

    @Override
    public void close() throws IOException {
        opened.close();
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
        return joined(List.copyOf(computed.in(precision).all().values()));
    }

    /**
     * Prepares to compute all outputs in float64 as one edit after another of the same tensors leaves them.
     *
     * @param tensors names of those that edits change
     * @return what edited tensors give, as {@link #outputs} arranges it; those that an edit leaves out are as they are
     */
    public Function<Map<String, double[]>, Matrix> edited(Collection<String> tensors) {
        return edited(tensors, batches());
    }

    /**
     * Prepares the same for other inputs of the same shapes.
     *
     * @param tensors names of those that edits change
     * @param others as many as {@link #batches}
     * @return what edited tensors give
     */
    Function<Map<String, double[]>, Matrix> edited(Collection<String> tensors, List<Map<String, double[]>> others) {
        List<Value> outputs = List.copyOf(model().outputs().values());
        List<Rerun> reruns = others.stream()
                .map(inputs -> Rerun.of(model(), Precision.FLOAT64, inputs, outputs, tensors))
                .toList();
        return edit -> {
            List<List<double[]>> results =
                    reruns.stream().map(rerun -> rerun.results(edit)).toList();
            return joined(IntStream.range(0, outputs.size())
                    .mapToObj(output -> results.stream()
                            .flatMapToDouble(batch -> Arrays.stream(batch.get(output)))
                            .toArray())
                    .toList());
        };
    }

    /** One input a row, from each output of all batches. */
    private Matrix joined(List<double[]> outputs) {
        Set<Integer> firsts = model().outputs().values().stream()
                .map(Value::shape)
                .map(shape -> shape.rank() == 0 ? 1 : shape.size(0))
                .collect(Collectors.toSet());
        int rows = batches.size() * (firsts.size() == 1 ? firsts.iterator().next() : 1);
        int columns = outputs.stream().mapToInt(numbers -> numbers.length).sum() / rows;
        Matrix joined = Matrix.zeros(rows, columns);
        int column = 0;
        for (double[] numbers : outputs) {
            int width = numbers.length / rows;
            for (int row = 0; row < rows; row++) {
                System.arraycopy(numbers, row * width, joined.entries(), row * columns + column, width);
            }
            column += width;
        }
        return joined;
    }
}
