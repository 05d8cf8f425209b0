package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;

/**
 * The network {@code b_X(g, theta)} behind a learned action: dense layers on the flattened group element and the
 * parameters, the same width in every hidden layer.
 *
 * <p>It is recorded in parts, because an action needs less than the whole network again and again: the first layer is
 * linear in g and in theta apart, so each part is computed once for every g and every theta; and
 * {@code b(g, theta) - b(I, theta)} is taken before the last layer, which then runs once and without its bias
 * (equation {@code eq:exact-identity-action}).
 */
public final class ActionNetwork {
    private final Pointwise activation;
    private final int elementSize;
    private final Tensor first;
    private final Tensor firstBias;
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> biases = new ArrayList<>();
    private final Tensor last;

    /**
     * Records the weights.
     *
     * @param graph receives the weights
     * @param shape sizes and activation
     */
    public ActionNetwork(Graph graph, ActionShape shape) {
        activation = shape.activation();
        elementSize = shape.matrixSize() * shape.matrixSize();
        first = graph.parameter(elementSize + shape.parameterCount(), shape.width());
        firstBias = graph.parameter(1, shape.width());
        for (int layer = 1; layer < shape.depth(); layer++) {
            weights.add(graph.parameter(shape.width(), shape.width()));
            biases.add(graph.parameter(1, shape.width()));
        }
        last = graph.parameter(shape.width(), shape.parameterCount());
    }

    /**
     * Draws initial weights; biases are zero.
     *
     * @param program of the graph; its weights are modified
     * @param initialization the distribution of the weights
     * @param random the source of randomness; modified
     */
    public void initialize(Program program, Initialization initialization, SplittableRandom random) {
        List<Tensor> tensors = tensors();
        for (int i = 0; i < tensors.size(); i++) {
            Tensor tensor = tensors.get(i);
            boolean bias = i % 2 == 1; // weights and biases alternate
            program.set(
                    tensor,
                    bias
                            ? new double[tensor.size()]
                            : initialization
                                    .draw(tensor.rows(), tensor.columns(), i == tensors.size() - 1, random)
                                    .entries());
        }
    }

    /** {@return the weights and biases in a fixed order, first layer, hidden layers, last layer} */
    public List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>(List.of(first, firstBias));
        for (int layer = 0; layer < weights.size(); layer++) {
            tensors.add(weights.get(layer));
            tensors.add(biases.get(layer));
        }
        tensors.add(last);
        return tensors;
    }

    /**
     * Records the part of the first layer that group elements, or tangents at them, contribute.
     *
     * @param graph the graph of this network
     * @param elements flattened matrices, shape (n, s * s)
     * @return shape (n, width)
     */
    public Tensor elementPart(Graph graph, Tensor elements) {
        return graph.product(elements, first.rows(0, elementSize));
    }

    /**
     * Records the part of the first layer that parameters contribute, and with it the bias: values have one parameter part
     * each, tangents none.
     *
     * @param graph the graph of this network
     * @param parameters shape (n, p)
     * @return shape (n, width)
     */
    public Tensor parameterPart(Graph graph, Tensor parameters) {
        return parameterPart(graph, Jet.of(parameters)).stacked();
    }

    /**
     * Records the part of the first layer that parameters contribute, with tangents of it.
     *
     * @param graph the graph of this network
     * @param parameters and tangents at them; values before tangents; shape (n, p)
     * @return the same kinds of rows, shape (n, width)
     */
    Jet parameterPart(Graph graph, Jet parameters) {
        return graph.dense(parameters, first.rows(elementSize, first.rows()), firstBias);
    }

    /**
     * Records the hidden layers.
     *
     * @param graph the graph of this network
     * @param preactivations of the first layer, bias included; value rows before tangent rows; shape (n, width)
     * @return activations of the last hidden layer, the same kinds of rows
     */
    public Jet hidden(Graph graph, Jet preactivations) {
        Jet hidden = graph.apply(activation, preactivations);
        for (int layer = 0; layer < weights.size(); layer++) {
            hidden = graph.apply(activation, graph.dense(hidden, weights.get(layer), biases.get(layer)));
        }
        return hidden;
    }

    /**
     * Records the last layer without a bias, which differences and tangents do not have.
     *
     * @param graph the graph of this network
     * @param difference differences of, or tangents at, activations of the last hidden layer; shape (n, width)
     * @return shape (n, p)
     */
    public Tensor output(Graph graph, Tensor difference) {
        return graph.product(difference, last);
    }
}
