package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.action.TrainedAction;
import org.isoloss.action.WeightTensor;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;

/**
 * The numbers of a trained action in a file: weights with shape (outputs, inputs), and how a conjugated action splits its
 * coordinates. The first files had one axis only, with the numbers in the order of memory, (inputs, outputs); they are read
 * too.
 */
final class ActionTensors {
    private ActionTensors() {}

    static void add(SafetensorsWriter writer, TrainedAction action) {
        List<double[]> weights = action.weights();
        for (int i = 0; i < weights.size(); i++) {
            WeightTensor tensor = action.tensors().get(i);
            if (tensor.bias()) {
                writer.add(tensor.name(), ElementType.F32, Shape.of(tensor.outputs()), weights.get(i));
            } else {
                Matrix stored = Matrix.over(tensor.inputs(), tensor.outputs(), weights.get(i))
                        .transpose();
                writer.add(
                        tensor.name(),
                        tensor.exact() ? ElementType.F64 : ElementType.F32,
                        Shape.of(tensor.outputs(), tensor.inputs()),
                        stored.entries());
            }
        }
        for (int i = 0; i < action.splits().size(); i++) {
            long[] order = indices(action.splits().get(i));
            writer.add(split(i), Shape.of(order.length), order);
        }
    }

    private static String split(int number) {
        return "splits." + number;
    }

    private static long[] indices(List<Integer> order) {
        return order.stream().mapToLong(Integer::longValue).toArray();
    }

    /** The numbers of one tensor in the order of memory. */
    static double[] read(SafetensorsFile file, WeightTensor tensor) {
        StoredTensor stored = file.tensor(tensor.name());
        Shape shape = stored.shape();
        if (shape.equals(Shape.of(tensor.size()))) {
            return stored.toDoubles();
        }
        if (tensor.bias() || !shape.equals(Shape.of(tensor.outputs(), tensor.inputs()))) {
            throw new IllegalArgumentException("%s: tensor '%s' has shape %s, expected %s%s"
                    .formatted(
                            file.path(),
                            tensor.name(),
                            shape,
                            tensor.bias() ? "" : Shape.of(tensor.outputs(), tensor.inputs()) + " or ",
                            Shape.of(tensor.size())));
        }
        return stored.toMatrix().transpose().entries();
    }

    /** Refuses a file that splits the coordinates otherwise than the action that was made of it. */
    static void requireSplits(SafetensorsFile file, TrainedAction action) {
        List<List<Integer>> stored = new ArrayList<>();
        while (file.names().contains(split(stored.size()))) {
            List<Integer> order = new ArrayList<>();
            for (long index : file.tensor(split(stored.size())).toLongs()) {
                order.add(Math.toIntExact(index));
            }
            stored.add(order);
        }
        if (!stored.isEmpty() && !stored.equals(action.splits())) {
            throw new IllegalArgumentException(
                    "%s: 'splits' are not those of its 'halves_seed'; use the version that made it"
                            .formatted(file.path()));
        }
    }
}
