package org.isoloss.network;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * A fully connected network: affine layers with one activation between them and none after the last. A batch holds one
 * input a row. Functions take the parameters as a flat vector in the order of {@link #layout}, so that they can be
 * evaluated away from the network's own weights; outputs of a batch flatten row by row, input by input.
 */
public final class DenseNetwork {
    private final Activation activation;
    private final List<DenseLayer> layers;
    private final ParameterLayout layout;

    /**
     * Joins layers.
     *
     * @param activation between the layers
     * @param layers at least one; each as wide at its input as the layer before at its output
     */
    public DenseNetwork(Activation activation, List<DenseLayer> layers) {
        this(activation, layers, null);
    }

    /**
     * Joins layers whose tensors have names of their own.
     *
     * @param activation between the layers
     * @param layers at least one; each as wide at its input as the layer before at its output
     * @param names of all tensors, layer by layer, a weight before its bias; null for those of PyTorch's {@code Sequential}
     */
    public DenseNetwork(Activation activation, List<DenseLayer> layers, @Nullable List<String> names) {
        if (layers.isEmpty()) {
            throw new IllegalArgumentException("DenseNetwork: no layer given, expected at least one");
        }
        for (int layer = 1; layer < layers.size(); layer++) {
            if (layers.get(layer).in() != layers.get(layer - 1).out()) {
                throw new IllegalArgumentException(
                        "DenseNetwork: the weight of layer %d has shape (%d, %d), expected %d columns, the rows of layer %d"
                                .formatted(
                                        layer + 1,
                                        layers.get(layer).out(),
                                        layers.get(layer).in(),
                                        layers.get(layer - 1).out(),
                                        layer));
            }
        }
        this.activation = activation;
        this.layers = List.copyOf(layers);
        List<Boolean> biased =
                layers.stream().map(layer -> layer.bias().isPresent()).toList();
        this.layout =
                names == null ? ParameterLayout.of(widths(), biased) : ParameterLayout.of(widths(), biased, names);
    }

    /** {@return the activation between layers, the activation} */
    public Activation activation() {
        return activation;
    }

    /** {@return the layers, an unmodifiable list} */
    public List<DenseLayer> layers() {
        return layers;
    }

    /** {@return input, hidden and output widths: one more than the layers} */
    public List<Integer> widths() {
        return Stream.concat(Stream.of(layers.getFirst().in()), layers.stream().map(DenseLayer::out))
                .toList();
    }

    /** {@return the order of the parameters, names, places and shapes of the tensors} */
    public ParameterLayout layout() {
        return layout;
    }

    /** {@return the network's own parameters, length p, a new array} */
    public double[] parameters() {
        double[] parameters = new double[layout.size()];
        for (int i = 0; i < layers.size(); i++) {
            DenseLayer layer = layers.get(i);
            ParameterLayout.Entry weight = layout.weight(i);
            System.arraycopy(layer.weight().entries(), 0, parameters, weight.offset(), weight.size());
            layout.bias(i)
                    .ifPresent(bias ->
                            System.arraycopy(layer.bias().orElseThrow(), 0, parameters, bias.offset(), bias.size()));
        }
        return parameters;
    }

    /**
     * Describes the network as a model: from the input {@code input} over {@code hidden 0}, {@code hidden 1}, ... to the
     * output {@code output}, with parameters named as in {@link #layout}.
     *
     * @param batch sizes of the axes before that of the features, such as a number of inputs; none for a single input
     * @return the model with the network's own parameters
     */
    public Model model(int... batch) {
        ModelBuilder builder = Model.builder();
        Layers linear = new Layers(builder);
        int[] shape = Arrays.copyOf(batch, batch.length + 1);
        shape[batch.length] = layers.getFirst().in();
        Value value = builder.input("input", shape);
        for (int i = 0; i < layers.size(); i++) {
            boolean last = i == layers.size() - 1;
            builder.at(last ? "output" : "hidden " + i);
            Value sums = linear.linear(value, weight(builder, i), bias(builder, i));
            value = last ? sums : builder.apply(activation, sums);
        }
        builder.output("output", value);
        return builder.build();
    }

    /** The weight of a layer in a model. */
    Value weight(ModelBuilder builder, int layer) {
        DenseLayer dense = layers.get(layer);
        return builder.parameter(
                layout.weight(layer).name(),
                Dimensions.of(dense.out(), dense.in()),
                () -> dense.weight().entries());
    }

    /** Its bias, where it has one. */
    @Nullable
    Value bias(ModelBuilder builder, int layer) {
        DenseLayer dense = layers.get(layer);
        return layout.bias(layer)
                .map(entry -> builder.parameter(
                        entry.name(),
                        Dimensions.of(dense.out()),
                        () -> dense.bias().orElseThrow()))
                .orElse(null);
    }

    /**
     * Cuts a batch into inputs of {@link #model} without a batch.
     *
     * @param inputs shape (k, n), finite; not modified
     * @return for each input its numbers by the name of the model's input
     */
    public List<Map<String, double[]>> batches(Matrix inputs) {
        requireInputs(inputs);
        return IntStream.range(0, inputs.rows())
                .mapToObj(row -> Map.of("input", inputs.row(row)))
                .toList();
    }

    /**
     * Returns a network of the same shape with other weights.
     *
     * @param parameters length p, finite; copied
     * @return the network with these parameters
     */
    public DenseNetwork withParameters(double[] parameters) {
        requireLength("withParameters", parameters);
        List<DenseLayer> moved = IntStream.range(0, layers.size())
                .mapToObj(i -> layout.bias(i)
                        .map(bias -> DenseLayer.of(
                                weight(i, parameters),
                                Arrays.copyOfRange(parameters, bias.offset(), bias.offset() + bias.size())))
                        .orElseGet(() -> DenseLayer.of(weight(i, parameters))))
                .toList();
        return new DenseNetwork(
                activation,
                moved,
                layout.entries().stream().map(ParameterLayout.Entry::name).toList());
    }

    /**
     * Returns the outputs for a batch.
     *
     * @param parameters length p; not modified
     * @param inputs shape (k, n), finite; not modified
     * @return shape (k, m)
     */
    public Matrix outputs(double[] parameters, Matrix inputs) {
        return forward(parameters, inputs).outputs();
    }

    /**
     * Returns all layers' values for a batch.
     *
     * @param parameters length p; not modified
     * @param inputs shape (k, n), finite; not modified
     * @return pre-activations and activations
     */
    public ForwardPass forward(double[] parameters, Matrix inputs) {
        requireLength("forward", parameters);
        requireInputs(inputs);
        ForwardPass pass = new ForwardPass(inputs);
        for (int i = 0; i < layers.size(); i++) {
            Matrix sums = pass.activations(i).times(weight(i, parameters).transpose());
            layout.bias(i).ifPresent(bias -> {
                for (int row = 0; row < sums.rows(); row++) {
                    for (int unit = 0; unit < sums.columns(); unit++) {
                        sums.set(row, unit, sums.get(row, unit) + parameters[bias.offset() + unit]);
                    }
                }
            });
            pass.add(sums, i == layers.size() - 1 ? sums : activation.values(sums));
        }
        return pass;
    }

    /**
     * Takes out a hidden layer with the layer that reads it.
     *
     * @param hiddenLayer from 0, below the number of layers less one
     * @return the block; its inputs are the activations that enter the hidden layer
     */
    public TwoLayerBlock block(int hiddenLayer) {
        if (hiddenLayer < 0 || hiddenLayer >= layers.size() - 1) {
            throw new IllegalArgumentException("hidden layer %d does not exist: the network has %d hidden layers"
                    .formatted(hiddenLayer, layers.size() - 1));
        }
        return TwoLayerBlock.of(activation, layers.get(hiddenLayer), layers.get(hiddenLayer + 1));
    }

    private Matrix weight(int layer, double[] parameters) {
        ParameterLayout.Entry weight = layout.weight(layer);
        return Matrix.over(
                weight.rows(),
                weight.columns(),
                Arrays.copyOfRange(parameters, weight.offset(), weight.offset() + weight.size()));
    }

    private void requireLength(String method, double[] parameters) {
        if (parameters.length != layout.size()) {
            throw new IllegalArgumentException("DenseNetwork.%s: %d parameters given, expected %d for widths %s"
                    .formatted(method, parameters.length, layout.size(), widths()));
        }
    }

    void requireInputs(Matrix inputs) {
        if (inputs.rows() < 1 || inputs.columns() != layers.getFirst().in()) {
            throw new IllegalArgumentException(
                    "DenseNetwork: the batch has shape (%d, %d), expected at least one row of %d, the input width"
                            .formatted(
                                    inputs.rows(),
                                    inputs.columns(),
                                    layers.getFirst().in()));
        }
        inputs.requireFinite("DenseNetwork: the batch");
    }
}
