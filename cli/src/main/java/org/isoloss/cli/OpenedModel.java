package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Model;
import org.isoloss.source.Bindings;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.PromptTokens;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.source.StoredNetwork;
import org.isoloss.task.ModelBatch;
import org.jspecify.annotations.Nullable;

/** A stored network, opened to compute with, for a program that has Java within it. Arrays are row-major. */
public final class OpenedModel implements AutoCloseable {
    private static final int TOKENS = 16;

    private final AutoCloseable file;
    private final Model model;
    private final List<Map<String, double[]>> batches;
    private final String path;

    private OpenedModel(AutoCloseable file, Model model, List<Map<String, double[]>> batches, String path) {
        this.file = file;
        this.model = model;
        this.batches = batches;
        this.path = path;
    }

    /**
     * Opens a network for inputs of any shape that it takes.
     *
     * @param name an ONNX file, a folder of Hugging Face, GGUF, or safetensors or npz of dense layers
     * @param activation between dense layers, where the file names none; null where it does
     * @return to be closed by the caller
     * @throws IOException when a file cannot be read
     */
    public static OpenedModel open(String name, @Nullable String activation) throws IOException {
        Path path = located(name);
        StoredModel opened = StoredModel.openForAny(path, Bindings.NONE, reading(activation), TOKENS);
        return new OpenedModel(opened, opened.model(), List.of(), name);
    }

    /**
     * Opens a network for inputs.
     *
     * @param name as above
     * @param activation as above
     * @param inputs an npz file with an array for each input by name, or with one array for one input
     * @return to be closed by the caller
     * @throws IOException when a file cannot be read
     */
    public static OpenedModel open(String name, @Nullable String activation, String inputs) throws IOException {
        Path path = located(name);
        NamedArrays given = ModelBatch.named(path, NamedArrays.read(Path.of(inputs)), null)
                .withTokenInputs(StoredModel.inputs(path));
        ModelBatch batch = ModelBatch.of(path, given, Bindings.NONE, reading(activation));
        return new OpenedModel(batch, batch.model(), batch.batches(), name);
    }

    /**
     * Splits a text into tokens.
     *
     * @param name folder of a transformer with its tokenizer
     * @param text any
     * @return ids
     * @throws IOException when the tokenizer cannot be read
     */
    public static int[] tokens(String name, String text) throws IOException {
        return PromptTokens.of(text, located(name));
    }

    private static Path located(String name) throws IOException {
        if (!Files.exists(Path.of(name))) {
            throw new NoSuchFileException(name);
        }
        return StoredModel.located(Path.of(name));
    }

    private static Reading reading(@Nullable String activation) {
        return new Reading(Tying.AS_STORED, StoredNetwork.Tensors.ALL, activation);
    }

    /** {@return the names of the parameters, in the order of the file} */
    public List<String> parameters() {
        return List.copyOf(model.parameters().keySet());
    }

    /** {@return the names of the inputs} */
    public List<String> inputs() {
        return List.copyOf(model.inputs().keySet());
    }

    /** {@return the names of the outputs} */
    public List<String> outputs() {
        return List.copyOf(model.outputs().keySet());
    }

    /** {@return the number of all parameters} */
    public long parameterCount() {
        return model.parameterCount();
    }

    /**
     * Returns the shape of a parameter.
     *
     * @param parameter its name
     * @return one size an axis
     */
    public int[] shape(String parameter) {
        return sizes(model.parameter(parameter).shape().sizes());
    }

    /**
     * Returns the numbers of a parameter.
     *
     * @param parameter its name
     * @return row-major, a copy
     */
    public double[] numbers(String parameter) {
        return model.numbers(parameter).clone();
    }

    /**
     * Returns the shape of an output for the inputs of one batch.
     *
     * @param output its name
     * @return one size an axis
     */
    public int[] outputShape(String output) {
        return sizes(model.output(output).shape().sizes());
    }

    private static int[] sizes(List<Integer> sizes) {
        return sizes.stream().mapToInt(Integer::intValue).toArray();
    }

    /** {@return into how many batches the inputs are cut, where the file fixes the size of one} */
    public int batchCount() {
        return batches.size();
    }

    /**
     * Computes the outputs in float64.
     *
     * @param tensors parameters by name in place of those of the file, row-major; not modified
     * @param batch which batch of the inputs, from 0
     * @return the outputs by name, row-major
     */
    public Map<String, double[]> run(Map<String, double[]> tensors, int batch) {
        Model edited = tensors.isEmpty() ? model : model.with(new LinkedHashMap<>(tensors));
        return edited.run(Precision.FLOAT64, batches.get(batch));
    }

    @Override
    public void close() throws IOException {
        try {
            file.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("%s cannot be closed".formatted(path), e);
        }
    }
}
