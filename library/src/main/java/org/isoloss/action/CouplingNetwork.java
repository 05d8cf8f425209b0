package org.isoloss.action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/**
 * The invertible network psi of a conjugated action: affine couplings, each of which keeps one half of the coordinates and
 * scales and shifts the other half by what a dense network makes of the first. Two couplings in turn change both halves of a
 * random split, the next two those of another.
 *
 * @see "Dinh, Sohl-Dickstein and Bengio, Density estimation using Real NVP, 2017"
 */
public final class CouplingNetwork {
    /** Largest logarithm of the scale of one coupling. */
    private static final double LARGEST_LOGARITHM = 2;

    /** The last layers begin this much smaller than others, so that the network begins near the identity. */
    private static final double LAST_LAYER = 0.1;

    private static final BoundedScale SCALE = new BoundedScale(LARGEST_LOGARITHM);
    private static final BoundedScale RECIPROCAL = new BoundedScale(-LARGEST_LOGARITHM);

    private final List<Split> splits = new ArrayList<>();

    /** Two couplings on the two halves of the coordinates; the halves are columns of the identity matrix. */
    private record Split(Half first, Half second, Coupling changesSecond, Coupling changesFirst) {}

    /** Takes half of the coordinates, and puts it back. */
    private record Half(Tensor take, Tensor put) {
        static Half of(Graph graph, int[] coordinates, int count) {
            Matrix take = Matrix.zeros(count, coordinates.length);
            Matrix put = Matrix.zeros(coordinates.length, count);
            for (int i = 0; i < coordinates.length; i++) {
                take.set(coordinates[i], i, 1);
                put.set(i, coordinates[i], 1);
            }
            return new Half(graph.constant(take), graph.constant(put));
        }

        int size() {
            return take.columns();
        }
    }

    /** Weights and biases of one coupling: hidden layers, then the layers of the shift and of the scale. */
    private record Coupling(List<Tensor> weights, List<Tensor> biases) {
        static Coupling of(Graph graph, ConjugatedShape shape, int kept, int changed) {
            List<Tensor> weights = new ArrayList<>();
            List<Tensor> biases = new ArrayList<>();
            for (int layer = 0; layer < shape.depth() + 2; layer++) {
                int outputs = layer < shape.depth() ? shape.width() : changed;
                weights.add(graph.parameter(layer == 0 ? kept : shape.width(), outputs));
                biases.add(graph.parameter(1, outputs));
            }
            return new Coupling(weights, biases);
        }

        private Jet dense(Graph graph, Jet input, int layer) {
            return graph.dense(input, weights.get(layer), biases.get(layer));
        }

        private Jet hidden(Graph graph, Jet kept) {
            Jet hidden = kept;
            for (int layer = 0; layer < weights.size() - 2; layer++) {
                hidden = graph.apply(Activation.SILU, dense(graph, hidden, layer));
            }
            return hidden;
        }

        Jet forward(Graph graph, Jet kept, Jet changed) {
            Jet hidden = hidden(graph, kept);
            Jet scale = graph.apply(SCALE, dense(graph, hidden, weights.size() - 1));
            Tensor shift = dense(graph, hidden, weights.size() - 2).stacked();
            return changed.with(graph.add(graph.times(changed, scale).stacked(), 1, shift));
        }

        Jet inverse(Graph graph, Jet kept, Jet changed) {
            Jet hidden = hidden(graph, kept);
            Jet scale = graph.apply(RECIPROCAL, dense(graph, hidden, weights.size() - 1));
            Tensor shift = dense(graph, hidden, weights.size() - 2).stacked();
            return graph.times(changed.with(graph.add(changed.stacked(), -1, shift)), scale);
        }
    }

    /**
     * Records the weights.
     *
     * @param graph receives the weights
     * @param shape sizes and halves
     */
    public CouplingNetwork(Graph graph, ConjugatedShape shape) {
        SplittableRandom random = new SplittableRandom(shape.halvesSeed());
        int count = shape.parameterCount();
        for (int split = 0; split < shape.couplings() / 2; split++) {
            int[] order = shuffled(count, random);
            Half first = Half.of(graph, Arrays.copyOfRange(order, 0, count / 2), count);
            Half second = Half.of(graph, Arrays.copyOfRange(order, count / 2, count), count);
            splits.add(new Split(
                    first,
                    second,
                    Coupling.of(graph, shape, first.size(), second.size()),
                    Coupling.of(graph, shape, second.size(), first.size())));
        }
    }

    private static int[] shuffled(int count, SplittableRandom random) {
        int[] order = Graph.range(0, count);
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }

    /**
     * Draws initial weights: normal with variance 1 / inputs, those of shift and scale a tenth of it in deviation, so that
     * the network begins near the identity; biases are zero.
     *
     * @param program of the graph; its weights are modified
     * @param random the source of randomness; modified
     */
    public void initialize(Program program, SplittableRandom random) {
        for (Coupling coupling : couplings()) {
            int layers = coupling.weights.size();
            for (int layer = 0; layer < layers; layer++) {
                Tensor tensor = coupling.weights.get(layer);
                double deviation = (layer < layers - 2 ? 1 : LAST_LAYER) / Math.sqrt(tensor.rows());
                double[] numbers = new double[tensor.size()];
                Arrays.setAll(numbers, entry -> deviation * random.nextGaussian());
                program.set(tensor, numbers);
                program.set(coupling.biases.get(layer), new double[tensor.columns()]);
            }
        }
    }

    private List<Coupling> couplings() {
        return splits.stream()
                .flatMap(split -> List.of(split.changesSecond, split.changesFirst).stream())
                .toList();
    }

    /**
     * Returns the weights and biases in a fixed order.
     *
     * @return coupling by coupling: hidden layers, shift, scale; the bias of each layer after its weights
     */
    public List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>();
        for (Coupling coupling : couplings()) {
            for (int layer = 0; layer < coupling.weights.size(); layer++) {
                tensors.add(coupling.weights.get(layer));
                tensors.add(coupling.biases.get(layer));
            }
        }
        return tensors;
    }

    /**
     * Returns names for the weight tensors, for files.
     *
     * @param shape sizes of the network
     * @return names in the order of {@link #tensors}
     */
    public static List<String> tensorNames(ConjugatedShape shape) {
        List<String> names = new ArrayList<>();
        for (int coupling = 0; coupling < shape.couplings(); coupling++) {
            for (int layer = 0; layer < shape.depth() + 2; layer++) {
                String name = layer < shape.depth() ? "layers." + layer : layer == shape.depth() ? "shift" : "scale";
                names.add("couplings.%d.%s.weight".formatted(coupling, name));
                names.add("couplings.%d.%s.bias".formatted(coupling, name));
            }
        }
        return names;
    }

    /**
     * Records psi.
     *
     * @param graph the graph of this network
     * @param points parameters, and tangents at them; values before tangents; shape (n, p)
     * @return coordinates, and their tangents, the same kinds of rows
     */
    public Jet forward(Graph graph, Jet points) {
        Jet coordinates = points;
        for (Split split : splits) {
            Jet first = taken(graph, coordinates, split.first);
            Jet second = taken(graph, coordinates, split.second);
            second = split.changesSecond.forward(graph, first, second);
            first = split.changesFirst.forward(graph, second, first);
            coordinates = joined(graph, split, first, second);
        }
        return coordinates;
    }

    /**
     * Records the inverse of psi.
     *
     * @param graph the graph of this network
     * @param coordinates and tangents at them; values before tangents; shape (n, p)
     * @return parameters, and their tangents, the same kinds of rows
     */
    public Jet inverse(Graph graph, Jet coordinates) {
        Jet points = coordinates;
        for (Split split : splits.reversed()) {
            Jet first = taken(graph, points, split.first);
            Jet second = taken(graph, points, split.second);
            first = split.changesFirst.inverse(graph, second, first);
            second = split.changesSecond.inverse(graph, first, second);
            points = joined(graph, split, first, second);
        }
        return points;
    }

    private static Jet taken(Graph graph, Jet all, Half half) {
        return all.with(graph.product(all.stacked(), half.take));
    }

    private static Jet joined(Graph graph, Split split, Jet first, Jet second) {
        return first.with(graph.add(
                graph.product(first.stacked(), split.first.put), 1, graph.product(second.stacked(), split.second.put)));
    }
}
