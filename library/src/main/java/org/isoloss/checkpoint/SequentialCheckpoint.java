package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.linalg.Matrix;

/**
 * Dense networks in a checkpoint, in the names of PyTorch's {@code Sequential} ({@code 0.weight} of shape (out, in), {@code
 * 0.bias}, {@code 2.weight}, ...) or in names given layer by layer. The activation is read from the metadata's {@code
 * activation}.
 */
public final class SequentialCheckpoint {
    private static final Pattern SEQUENTIAL = Pattern.compile("(0|[1-9][0-9]{0,5})\\.(weight|bias)");
    private static final String ACTIVATION = "activation";

    private SequentialCheckpoint() {}

    /**
     * Reads a network whose tensors are called as in PyTorch's {@code Sequential}; the file holds nothing else.
     *
     * @param file safetensors or npz
     * @return the layers in the order of their numbers; each with or without a bias
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when it is no such network, or a weight is not finite
     */
    public static DenseLayers read(Path file) throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            return read(checkpoint, sequentialNames(checkpoint));
        }
    }

    /**
     * Reads a network whose tensors have any names; others in the file are left alone.
     *
     * @param file safetensors or npz
     * @param names from the input on, each tensor once
     * @return the layers in that order
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when a tensor is missing, has no fitting shape, or is not finite
     */
    public static DenseLayers read(Path file, List<LayerNames> names) throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            return read(checkpoint, names);
        }
    }

    /**
     * Writes a network to a new safetensors file under the names it carries.
     *
     * @param layers the network; not modified
     * @param type F64, F32, F16 or BF16
     * @param metadata more of it, without "format" and "activation", which are written from here
     * @param target where to; replaced whole when it exists
     * @throws IOException when it cannot be written; an old file is then as before
     */
    public static void write(DenseLayers layers, ElementType type, Map<String, String> metadata, Path target)
            throws IOException {
        var writer = new SafetensorsWriter().metadata("format", "pt");
        layers.activation().ifPresent(activation -> writer.metadata(ACTIVATION, activation));
        metadata.forEach(writer::metadata);
        for (DenseLayers.Layer layer : layers.layers()) {
            Matrix stored = layer.stored();
            writer.add(layer.names().weight(), type, Shape.of(stored.rows(), stored.columns()), stored.entries());
            if (layer.bias() != null && layer.names().bias() != null) {
                writer.add(layer.names().bias(), type, Shape.of(layer.bias().length), layer.bias());
            }
        }
        writer.saveTo(target);
    }

    private static List<LayerNames> sequentialNames(Checkpoint checkpoint) {
        var biasOf = new TreeMap<Integer, Boolean>();
        Set<String> names = new HashSet<>(checkpoint.names());
        for (String name : checkpoint.names()) {
            Matcher matcher = SEQUENTIAL.matcher(name);
            if (!matcher.matches()) {
                throw wrong(
                        checkpoint,
                        "tensor %s is not called as in a dense Sequential (0.weight, 0.bias, 2.weight, ...);"
                                        .formatted(quoted(name))
                                + " give the names of the layers");
            }
            if (!names.contains(matcher.group(1) + ".weight")) {
                throw wrong(checkpoint, "tensor %s has no weight beside it".formatted(quoted(name)));
            }
            biasOf.merge(Integer.parseInt(matcher.group(1)), matcher.group(2).equals("bias"), Boolean::logicalOr);
        }
        if (biasOf.isEmpty()) {
            throw wrong(checkpoint, "holds no tensors, expected a dense network");
        }
        List<LayerNames> layers = new ArrayList<>();
        biasOf.forEach((position, bias) -> layers.add(LayerNames.sequential(position, bias)));
        return layers;
    }

    private static DenseLayers read(Checkpoint checkpoint, List<LayerNames> names) throws IOException {
        Set<String> seen = new HashSet<>();
        List<DenseLayers.Layer> layers = new ArrayList<>();
        for (LayerNames layer : names) {
            StoredTensor weight = tensor(checkpoint, layer.weight(), 2, seen);
            Matrix stored = weight.toMatrix();
            requireFinite(checkpoint, weight, stored.entries());
            double[] bias = null;
            if (layer.bias() != null) {
                StoredTensor tensor = tensor(checkpoint, layer.bias(), 1, seen);
                bias = tensor.toDoubles();
                requireFinite(checkpoint, tensor, bias);
            }
            Matrix matrix = layer.transposed() ? stored.transpose() : stored;
            try {
                layers.add(new DenseLayers.Layer(layer, matrix, bias));
            } catch (IllegalArgumentException e) {
                throw new CheckpointFormatException(checkpoint.path(), String.valueOf(e.getMessage()), e);
            }
        }
        try {
            return DenseLayers.of(layers, checkpoint.metadata().get(ACTIVATION));
        } catch (IllegalArgumentException e) {
            throw new CheckpointFormatException(checkpoint.path(), String.valueOf(e.getMessage()), e);
        }
    }

    private static StoredTensor tensor(Checkpoint checkpoint, String name, int rank, Set<String> seen)
            throws IOException {
        if (!seen.add(name)) {
            throw wrong(checkpoint, "tensor %s is named for two layers".formatted(quoted(name)));
        }
        StoredTensor tensor = checkpoint.tensor(name);
        if (!tensor.type().isFloat()
                || tensor.shape().rank() != rank
                || tensor.shape().count() == 0) {
            throw wrong(
                    checkpoint,
                    "tensor %s of type %s and shape %s is not %s of a dense layer, expected floats of shape %s, none of them 0"
                            .formatted(
                                    quoted(name),
                                    tensor.type(),
                                    tensor.shape(),
                                    rank == 2 ? "the weight" : "the bias",
                                    rank == 2 ? "(out, in)" : "(out)"));
        }
        return tensor;
    }

    private static void requireFinite(Checkpoint checkpoint, StoredTensor tensor, double[] values) {
        for (int i = 0; i < values.length; i++) {
            if (!Double.isFinite(values[i])) {
                int columns = (int) tensor.shape().size(tensor.shape().rank() - 1);
                String index = tensor.shape().rank() == 2 ? i / columns + ", " + i % columns : String.valueOf(i);
                throw wrong(
                        checkpoint,
                        "tensor %s holds %s at [%s]; all weights must be finite"
                                .formatted(quoted(tensor.name()), values[i], index));
            }
        }
    }

    private static CheckpointFormatException wrong(Checkpoint checkpoint, String problem) {
        return new CheckpointFormatException(checkpoint.path(), problem);
    }
}
