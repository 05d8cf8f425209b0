package org.isoloss.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.isoloss.network.DenseNetwork;

/**
 * What a model computes for some inputs: each output by name, in both precisions, and by how much float32 moves it. What nobody
 * asks for is not computed.
 */
public final class ComputedOutputs {
    private final Model model;
    private final List<Map<String, double[]>> batches;
    private final Map<Precision, NamedArrays> computed = new EnumMap<>(Precision.class);
    private final Map<String, double[]> noises = new HashMap<>();

    /**
     * Takes a model with inputs.
     *
     * @param model opened for one batch, readable as long as this is used
     * @param batches for each the numbers of every input by name, row-major
     */
    public ComputedOutputs(Model model, List<Map<String, double[]>> batches) {
        this.model = model;
        this.batches = List.copyOf(batches);
    }

    /**
     * Takes a dense network.
     *
     * @param network with its own weights
     * @param inputs one input a row; kept
     * @return what it computes
     */
    public static ComputedOutputs of(DenseNetwork network, Matrix inputs) {
        Model model = network.model(inputs.rows());
        return new ComputedOutputs(
                model, List.of(Map.of(model.inputs().firstEntry().getKey(), inputs.entries())));
    }

    /** {@return the names of the outputs} */
    public List<String> names() {
        return List.copyOf(model.outputs().keySet());
    }

    /**
     * Computes all outputs.
     *
     * @param precision of all numbers
     * @return each in the shape that the model gives it, the batches one after the other along the first axis
     */
    public NamedArrays in(Precision precision) {
        return computed.computeIfAbsent(precision, _ -> run(model, precision));
    }

    private NamedArrays run(Model running, Precision precision) {
        List<SequencedMap<String, double[]>> results =
                batches.stream().map(batch -> running.run(precision, batch)).toList();
        NamedArrays arrays = NamedArrays.NONE;
        for (Map.Entry<String, Value> output : running.outputs().entrySet()) {
            List<Integer> sizes = new ArrayList<>(output.getValue().shape().sizes());
            if (results.size() == 1) {
                arrays = arrays.with(
                        output.getKey(),
                        sizes,
                        Objects.requireNonNull(results.getFirst().get(output.getKey())));
                continue;
            }
            int count = output.getValue().shape().count();
            double[] all = new double[Math.multiplyExact(count, results.size())];
            for (int batch = 0; batch < results.size(); batch++) {
                System.arraycopy(
                        Objects.requireNonNull(results.get(batch).get(output.getKey())), 0, all, batch * count, count);
            }
            int first = sizes.isEmpty() ? 1 : sizes.removeFirst();
            sizes.addFirst(first * results.size());
            arrays = arrays.with(output.getKey(), sizes, all);
        }
        return arrays;
    }

    /**
     * Tells whether the numbers of an output are of one kind, as logits of the tokens of a text are, or the places of an image:
     * it has more than two axes. Otherwise each number that belongs to an input is an output of its own scale.
     *
     * @param name of the output
     * @return whether it is taken as a whole
     */
    public boolean isOfOneKind(String name) {
        return model.output(name).shape().rank() > 2;
    }

    /**
     * Computes an output.
     *
     * @param name of it
     * @param precision of all numbers
     * @return one input a row: an entry of the first axis, or where there are three axes, of the first two, such as a token
     */
    public Matrix rows(String name, Precision precision) {
        return rows(name, in(precision));
    }

    private Matrix rows(String name, NamedArrays arrays) {
        Dimensions shape = model.output(name).shape();
        double[] numbers = arrays.numbers(name);
        int columns = switch (shape.rank()) {
            case 0, 1 -> 1;
            case 3 -> shape.size(2);
            default -> shape.count() / shape.size(0);
        };
        return Matrix.over(numbers.length / columns, columns, numbers);
    }

    /**
     * Estimates what float32 does to an output: how far it is from float64, and from float32 with sums in the opposite order.
     *
     * @param name of the output
     * @return for each column of {@link #rows} the larger of both, the largest over the inputs; the same for all where
     *     {@link #isOfOneKind}; not to be modified
     */
    public double[] noise(String name) {
        if (noises.isEmpty()) {
            NamedArrays reordered = run(model.reordered(), Precision.FLOAT32);
            for (String output : names()) {
                Matrix narrow = rows(output, Precision.FLOAT32);
                double[] noise = new double[narrow.columns()];
                for (Matrix other : List.of(rows(output, Precision.FLOAT64), rows(output, reordered))) {
                    for (int i = 0; i < narrow.entries().length; i++) {
                        int column = i % noise.length;
                        double distance = Math.abs(narrow.entries()[i] - other.entries()[i]);
                        noise[column] = Math.max(noise[column], distance);
                    }
                }
                if (isOfOneKind(output)) {
                    Arrays.fill(noise, Arrays.stream(noise).max().orElse(0));
                }
                noises.put(output, noise);
            }
        }
        return Objects.requireNonNull(noises.get(name));
    }
}
