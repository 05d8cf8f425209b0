package org.isoloss.action;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
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

    /**
     * Two couplings on the two halves of the coordinates.
     *
     * @param order the coordinates of the first half, then those of the second
     */
    private record Split(List<Integer> order, Coupling changesSecond, Coupling changesFirst) {
        Jet first(Graph graph, Jet all) {
            return taken(graph, all, order.subList(0, order.size() / 2));
        }

        Jet second(Graph graph, Jet all) {
            return taken(graph, all, order.subList(order.size() / 2, order.size()));
        }

        private static Jet taken(Graph graph, Jet all, List<Integer> half) {
            return all.with(graph.columns(List.of(all.stacked()), half));
        }

        Jet joined(Graph graph, Jet first, Jet second) {
            Integer[] places = new Integer[order.size()];
            for (int i = 0; i < places.length; i++) {
                places[order.get(i)] = i;
            }
            return first.with(graph.columns(List.of(first.stacked(), second.stacked()), List.of(places)));
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
        int first = shape.parameterCount() / 2;
        int second = shape.parameterCount() - first;
        for (List<Integer> order : orders(shape)) {
            splits.add(new Split(
                    order, Coupling.of(graph, shape, first, second), Coupling.of(graph, shape, second, first)));
        }
    }

    /**
     * Returns how the coordinates are split.
     *
     * @param shape with the seed of the halves
     * @return for every two couplings the coordinates of the first half, p / 2 of them rounded down, then those of the second
     */
    static List<List<Integer>> orders(ConjugatedShape shape) {
        SplittableRandom random = new SplittableRandom(shape.halvesSeed());
        return IntStream.range(0, shape.couplings() / 2)
                .mapToObj(split -> shuffled(shape.parameterCount(), random))
                .toList();
    }

    private static List<Integer> shuffled(int count, SplittableRandom random) {
        List<Integer> order = IntStream.range(0, count).boxed().collect(Collectors.toCollection(ArrayList::new));
        for (int i = count - 1; i > 0; i--) {
            Collections.swap(order, i, random.nextInt(i + 1));
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
     * {@return the weights and biases in a fixed order: coupling by coupling: hidden layers, shift, scale; the bias of each
     * layer after its weights}
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
     * Records psi.
     *
     * @param graph the graph of this network
     * @param points parameters, and tangents at them; values before tangents; shape (n, p)
     * @return coordinates, and their tangents, the same kinds of rows
     */
    public Jet forward(Graph graph, Jet points) {
        Jet coordinates = points;
        for (Split split : splits) {
            Jet first = split.first(graph, coordinates);
            Jet second = split.second(graph, coordinates);
            second = split.changesSecond.forward(graph, first, second);
            first = split.changesFirst.forward(graph, second, first);
            coordinates = split.joined(graph, first, second);
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
            Jet first = split.first(graph, points);
            Jet second = split.second(graph, points);
            first = split.changesFirst.inverse(graph, second, first);
            second = split.changesSecond.inverse(graph, first, second);
            points = split.joined(graph, first, second);
        }
        return points;
    }
}
