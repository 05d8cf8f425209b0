package org.isoloss.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;

/**
 * What a network computes, number by number: which parameter enters which pre-activation. A node is an input, or a
 * pre-activation with its activation; a connection carries the value of its source, times a parameter, into the sum that
 * is the pre-activation of its target. A skip connection carries it as it is; a bias is a parameter without a source.
 * One parameter may lie on several connections. Nodes are numbered in an order in which every connection goes forward.
 */
public final class Dataflow {
    private final List<Node> nodes;
    private final List<List<Connection>> incoming;
    private final List<List<Connection>> outgoing;
    private final List<Integer> inputs;
    private final List<Integer> outputs;
    private final List<String> parameterNames;

    private record Node(String name, Activation activation) {}

    /**
     * One term of a pre-activation.
     *
     * @param source a node, or -1 for a bias
     * @param target the node into whose pre-activation it goes
     * @param parameter the factor, or -1 for a skip connection
     */
    public record Connection(int source, int target, int parameter) {
        /** {@return whether there is no source: whether the parameter is a term by itself} */
        public boolean isBias() {
            return source < 0;
        }

        /** {@return whether there is no parameter: whether the value of the source goes on as it is} */
        public boolean isSkip() {
            return parameter < 0;
        }
    }

    private Dataflow(Builder builder) {
        nodes = List.copyOf(builder.nodes);
        inputs = List.copyOf(builder.inputs);
        outputs = List.copyOf(builder.outputs);
        parameterNames = List.copyOf(builder.parameterNames);
        if (inputs.isEmpty() || outputs.isEmpty()) {
            throw new IllegalArgumentException("Dataflow: %d inputs and %d outputs, expected at least one of each"
                    .formatted(inputs.size(), outputs.size()));
        }
        List<List<Connection>> into = lists(nodes.size());
        List<List<Connection>> from = lists(nodes.size());
        for (Connection connection : builder.connections) {
            into.get(connection.target).add(connection);
            if (!connection.isBias()) {
                from.get(connection.source).add(connection);
            }
        }
        incoming = into.stream().map(List::copyOf).toList();
        outgoing = from.stream().map(List::copyOf).toList();
    }

    private static List<List<Connection>> lists(int count) {
        return IntStream.range(0, count)
                .mapToObj(node -> (List<Connection>) new ArrayList<Connection>())
                .toList();
    }

    /** Adds nodes and connections, sources before what they lead to. */
    public static final class Builder {
        private final List<Node> nodes = new ArrayList<>();
        private final List<Integer> inputs = new ArrayList<>();
        private final List<Integer> outputs = new ArrayList<>();
        private final List<Connection> connections = new ArrayList<>();
        private final List<String> parameterNames = new ArrayList<>();

        private Builder() {}

        /**
         * Adds an input.
         *
         * @param name for messages and drawings
         * @return its node
         */
        public int input(String name) {
            inputs.add(nodes.size());
            return unit(name, Activation.IDENTITY);
        }

        /**
         * Adds a pre-activation with its activation.
         *
         * @param name for messages and drawings
         * @param activation what is applied to the sum before it goes on
         * @return its node
         */
        public int unit(String name, Activation activation) {
            nodes.add(new Node(name, activation));
            return nodes.size() - 1;
        }

        /**
         * Adds an output: a sum that goes out as it is.
         *
         * @param name for messages and drawings
         * @return its node
         */
        public int output(String name) {
            outputs.add(nodes.size());
            return unit(name, Activation.IDENTITY);
        }

        /**
         * Adds a connection with a parameter of its own.
         *
         * @param source a node
         * @param target a later node
         * @param name of the parameter
         * @return the place of the parameter in the parameter vector
         */
        public int weight(int source, int target, String name) {
            parameterNames.add(name);
            share(source, target, parameterNames.size() - 1);
            return parameterNames.size() - 1;
        }

        /**
         * Adds a connection with a parameter that lies on another one too.
         *
         * @param source a node
         * @param target a later node
         * @param parameter its place in the parameter vector
         */
        public void share(int source, int target, int parameter) {
            requireOrder(source, target);
            if (parameter < 0 || parameter >= parameterNames.size()) {
                throw new IllegalArgumentException(
                        "Dataflow: there is no parameter %d, %d are known".formatted(parameter, parameterNames.size()));
            }
            connections.add(new Connection(source, target, parameter));
        }

        /**
         * Adds a bias.
         *
         * @param target a node that is no input
         * @param name of the parameter
         * @return the place of the parameter in the parameter vector
         */
        public int bias(int target, String name) {
            requireOrder(-1, target);
            parameterNames.add(name);
            connections.add(new Connection(-1, target, parameterNames.size() - 1));
            return parameterNames.size() - 1;
        }

        /**
         * Adds a skip connection.
         *
         * @param source a node
         * @param target a later node
         */
        public void skip(int source, int target) {
            requireOrder(source, target);
            connections.add(new Connection(source, target, -1));
        }

        private void requireOrder(int source, int target) {
            if (source < -1 || source >= target || target >= nodes.size() || inputs.contains(target)) {
                throw new IllegalArgumentException(
                        "Dataflow: a connection from node %d to node %d of %d; expected a later node that is no input"
                                .formatted(source, target, nodes.size()));
            }
        }

        /**
         * Ends the description.
         *
         * @return the graph, with at least one input and one output
         */
        public Dataflow build() {
            return new Dataflow(this);
        }
    }

    /**
     * Starts a description.
     *
     * @return without nodes
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Describes a dense network; its parameters keep their places in the parameter vector.
     *
     * @param network any
     * @return inputs first, then layer by layer
     */
    public static Dataflow of(DenseNetwork network) {
        Builder builder = builder();
        ParameterLayout layout = network.layout();
        int[] before = IntStream.range(0, network.widths().getFirst())
                .map(i -> builder.input("input %d".formatted(i)))
                .toArray();
        for (int layer = 0; layer < layout.layerCount(); layer++) {
            ParameterLayout.Entry weight = layout.weight(layer);
            boolean last = layer == layout.layerCount() - 1;
            int[] units = new int[weight.rows()];
            for (int unit = 0; unit < units.length; unit++) {
                units[unit] = last
                        ? builder.output("output %d".formatted(unit))
                        : builder.unit("hidden %d unit %d".formatted(layer, unit), network.activation());
            }
            for (int unit = 0; unit < units.length; unit++) {
                for (int j = 0; j < before.length; j++) {
                    builder.weight(before[j], units[unit], "%s[%d, %d]".formatted(weight.name(), unit, j));
                }
            }
            Optional<ParameterLayout.Entry> bias = layout.bias(layer);
            for (int unit = 0; unit < units.length && bias.isPresent(); unit++) {
                builder.bias(units[unit], "%s[%d]".formatted(bias.get().name(), unit));
            }
            before = units;
        }
        return builder.build();
    }

    /** {@return the number of nodes, at least 2} */
    public int nodeCount() {
        return nodes.size();
    }

    /** {@return the number of parameters, at least 0} */
    public int parameterCount() {
        return parameterNames.size();
    }

    /**
     * Returns the name of a node.
     *
     * @param node from 0
     * @return for a dense network {@code input 0}, {@code hidden 0 unit 3}, {@code output 1}
     */
    public String name(int node) {
        return nodes.get(node).name;
    }

    /**
     * Returns the name of a parameter.
     *
     * @param parameter from 0
     * @return for a dense network {@code 0.weight[3, 1]} or {@code 0.bias[3]}
     */
    public String parameterName(int parameter) {
        return parameterNames.get(parameter);
    }

    /** {@return the inputs, nodes, in the order of the columns of a batch} */
    public List<Integer> inputs() {
        return inputs;
    }

    /** {@return the outputs, nodes, in the order of the columns of the outputs} */
    public List<Integer> outputs() {
        return outputs;
    }

    /**
     * Returns the terms of a pre-activation.
     *
     * @param node from 0
     * @return an unmodifiable list
     */
    public List<Connection> incoming(int node) {
        return incoming.get(node);
    }

    /**
     * Returns where the value of a node goes.
     *
     * @param node from 0
     * @return an unmodifiable list
     */
    public List<Connection> outgoing(int node) {
        return outgoing.get(node);
    }

    /**
     * Returns the value that a node hands on.
     *
     * @param node from 0
     * @param preActivation of the node
     * @return the activation of it
     */
    double value(int node, double preActivation) {
        return nodes.get(node).activation.value(preActivation);
    }

    /**
     * Returns the outputs for a batch.
     *
     * @param parameters length p; not modified
     * @param batch shape (k, n), finite; not modified
     * @return shape (k, m)
     */
    public Matrix outputs(double[] parameters, Matrix batch) {
        requireLength(parameters);
        Matrix results = Matrix.zeros(batch.rows(), outputs.size());
        for (int row = 0; row < batch.rows(); row++) {
            double[] sums = started(batch, row);
            for (int node = 0; node < nodes.size(); node++) {
                for (Connection connection : incoming(node)) {
                    sums[node] += term(connection, parameters, sums);
                }
            }
            for (int i = 0; i < outputs.size(); i++) {
                results.set(row, i, sums[outputs.get(i)]);
            }
        }
        return results;
    }

    /** Pre-activations of one input, zero but for the inputs themselves. */
    double[] started(Matrix batch, int row) {
        if (batch.columns() != inputs.size()) {
            throw new IllegalArgumentException("Dataflow: the batch has shape (%d, %d), expected %d columns, the inputs"
                    .formatted(batch.rows(), batch.columns(), inputs.size()));
        }
        double[] sums = new double[nodes.size()];
        for (int i = 0; i < inputs.size(); i++) {
            sums[inputs.get(i)] = batch.get(row, i);
        }
        return sums;
    }

    /** What a connection adds to its target. */
    double term(Connection connection, double[] parameters, double[] sums) {
        double value = connection.isBias() ? 1 : value(connection.source, sums[connection.source]);
        return connection.isSkip() ? value : parameters[connection.parameter] * value;
    }

    void requireLength(double[] parameters) {
        if (parameters.length != parameterNames.size()) {
            throw new IllegalArgumentException(
                    "Dataflow: %d parameters given, expected %d".formatted(parameters.length, parameterNames.size()));
        }
    }
}
