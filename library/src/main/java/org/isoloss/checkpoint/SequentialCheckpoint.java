package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
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
 *
 * <p>Every tensor of the file is used, or left aside because the caller says so, or the file is refused with the tensor's name
 * and what it looks like: a tensor that is passed over would make another function. A wrapper's prefix ({@code module.},
 * {@code _orig_mod.}) that all names bear may be left out of the names that are given; names that are returned are the file's.
 */
public final class SequentialCheckpoint {
    private static final Pattern SEQUENTIAL = Pattern.compile("(0|[1-9][0-9]{0,5})\\.(weight|bias)");
    private static final Pattern WRAPPER = Pattern.compile("((?:module\\.|_orig_mod\\.)*).*", Pattern.DOTALL);
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
        return read(file, List.of(), LeftAside.NONE);
    }

    /**
     * Reads a network whose tensors have any names; the file holds nothing else.
     *
     * @param file safetensors or npz
     * @param names from the input on, each tensor once
     * @return the layers in that order
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when a tensor is missing, has no fitting shape, is not finite, or is not used
     */
    public static DenseLayers read(Path file, List<LayerNames> names) throws IOException {
        return read(file, names, LeftAside.NONE);
    }

    /**
     * Reads a network beside which the file may hold other tensors, as far as they are named.
     *
     * @param file safetensors or npz
     * @param names from the input on, each tensor once; empty for the names of {@code Sequential}
     * @param aside what else the file may hold; a pattern never takes a tensor away from layers that are named
     * @return the layers, with the names of the tensors left aside
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when a tensor is missing, has no fitting shape, is not finite, or is neither used nor
     *     left aside
     */
    public static DenseLayers read(Path file, List<LayerNames> names, LeftAside aside) throws IOException {
        try (Checkpoint checkpoint = open(file)) {
            String wrapper = wrapper(checkpoint, aside);
            return read(
                    checkpoint,
                    names.isEmpty()
                            ? sequentialNames(checkpoint, wrapper, aside)
                            : names.stream()
                                    .map(layer -> inFile(checkpoint, wrapper, layer))
                                    .toList(),
                    aside);
        }
    }

    /**
     * Reads a network whose weights are named as on a command line.
     *
     * @param file safetensors or npz
     * @param weights from the input on, at least one: the name of a weight, with {@code +} and the name of its bias where this
     *     is not the weight's with {@code .bias} for {@code .weight} at its end
     * @param aside what else the file may hold, as in {@link #read(Path, List, LeftAside)}; a bias that is found by its weight's
     *     name is left aside when it is named there in full
     * @return the layers, with the names of the tensors left aside
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException as in {@link #read(Path, List, LeftAside)}
     */
    public static DenseLayers readNamed(Path file, List<String> weights, LeftAside aside) throws IOException {
        try (Checkpoint checkpoint = open(file)) {
            String wrapper = wrapper(checkpoint, aside);
            return read(
                    checkpoint,
                    weights.stream()
                            .map(text -> layer(checkpoint, wrapper, text, aside))
                            .toList(),
                    aside);
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

    private static LayerNames layer(Checkpoint checkpoint, String wrapper, String text, LeftAside aside) {
        String weight = inFile(checkpoint, wrapper, text);
        for (int plus = text.indexOf('+'); plus > 0; plus = text.indexOf('+', plus + 1)) {
            if (!checkpoint.names().contains(weight)) {
                weight = inFile(checkpoint, wrapper, text.substring(0, plus));
                if (checkpoint.names().contains(weight) || text.indexOf('+', plus + 1) < 0) {
                    return new LayerNames(weight, inFile(checkpoint, wrapper, text.substring(plus + 1)), false);
                }
            }
        }
        String bias = weight.replaceFirst("(^|\\.)weight$", "$1bias");
        boolean found = !bias.equals(weight) && checkpoint.names().contains(bias) && !aside.names(bias);
        return new LayerNames(weight, found ? bias : null, false);
    }

    private static DenseLayers read(Checkpoint checkpoint, List<LayerNames> layers, LeftAside aside)
            throws IOException {
        DenseLayers network = read(checkpoint, layers);
        Set<String> used = network.values().keySet();
        for (String name : used) {
            if (aside.names(name)) {
                throw wrong(
                        checkpoint, "tensor %s is named both for a layer and to be left aside".formatted(quoted(name)));
            }
        }
        List<String> rest =
                checkpoint.names().stream().filter(name -> !used.contains(name)).toList();
        List<String> strays = rest.stream().filter(name -> !aside.covers(name)).toList();
        if (!strays.isEmpty()) {
            throw wrong(checkpoint, new StrayTensors(checkpoint, network).describe(strays));
        }
        return network.leavingAside(rest);
    }

    private static Checkpoint open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new CheckpointFormatException(
                    file,
                    "is a folder; a dense network is read from one safetensors or npz file, such as "
                            + FolderFiles.weights(file));
        }
        Checkpoint checkpoint = Checkpoint.open(file);
        String other = switch (checkpoint) {
            case SafetensorsFile _, Npz _ -> "";
            case OnnxFile _ -> "is ONNX, whose graph and not its tensors says what is computed";
            case GgufFile _ -> "is GGUF, which holds transformers";
            case ShardedSafetensors _ -> "lists several files";
        };
        if (!other.isEmpty()) {
            checkpoint.close();
            throw new CheckpointFormatException(
                    file,
                    other + "; a dense network is read from one safetensors or npz file:"
                            + " safetensors.torch.save_file(model.state_dict(), 'model.safetensors')");
        }
        return checkpoint;
    }

    /** The wrapper's prefix that all names begin with which are not left aside; or nothing. */
    private static String wrapper(Checkpoint checkpoint, LeftAside aside) {
        List<String> names =
                checkpoint.names().stream().filter(name -> !aside.covers(name)).toList();
        if (names.isEmpty()) {
            return "";
        }
        Matcher first = WRAPPER.matcher(names.getFirst());
        String wrapper = first.matches() ? first.group(1) : "";
        return names.stream().allMatch(name -> name.startsWith(wrapper)) ? wrapper : "";
    }

    private static LayerNames inFile(Checkpoint checkpoint, String wrapper, LayerNames layer) {
        String bias = layer.bias();
        return new LayerNames(
                inFile(checkpoint, wrapper, layer.weight()),
                bias == null ? null : inFile(checkpoint, wrapper, bias),
                layer.transposed());
    }

    private static String inFile(Checkpoint checkpoint, String wrapper, String name) {
        List<String> stored = checkpoint.names();
        return !stored.contains(name) && stored.contains(wrapper + name) ? wrapper + name : name;
    }

    /** The layers that are called as in a Sequential; what else there is, is found when they are read. */
    private static List<LayerNames> sequentialNames(Checkpoint checkpoint, String wrapper, LeftAside aside)
            throws IOException {
        var layers = new TreeMap<Integer, LayerNames>();
        List<String> names =
                checkpoint.names().stream().filter(name -> !aside.covers(name)).toList();
        for (String name : names) {
            Matcher matcher = SEQUENTIAL.matcher(name.substring(wrapper.length()));
            if (matcher.matches()
                    && matcher.group(2).equals("weight")
                    && checkpoint.tensor(name).shape().rank() != 1) { // of rank 1 are norms and slopes
                String bias = name.replaceFirst("weight$", "bias");
                layers.put(
                        Integer.valueOf(matcher.group(1)),
                        new LayerNames(name, names.contains(bias) ? bias : null, false));
            }
        }
        if (layers.isEmpty()) {
            throw wrong(
                    checkpoint,
                    names.isEmpty()
                            ? "holds no tensors%s, expected a dense network"
                                    .formatted(checkpoint.names().isEmpty() ? "" : " that are not left aside")
                            : StrayTensors.withoutLayers(checkpoint, names));
        }
        return List.copyOf(layers.values());
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
