package org.isoloss.network;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Dataflow.Connection;

/**
 * A network as {@code L(theta, X) = j(theta_1, f(theta_2, h(theta_1, X)), X)}, theta_2 the parameters that move: the
 * premise of proposition {@code prop:symmetry-from-subnetworks}, with all three functions to be evaluated. What f gives is
 * kept by the lifted symmetry: for each node of the boundary the part of its pre-activation that the moving parameters
 * change; j adds the rest of the sum.
 *
 * <p>None of h and j reads a moving parameter, and f reads no other than those and {@link #constants}, which h hands it.
 */
public final class Factorization implements Separation {
    private final Subnetwork subnetwork;
    private final Dataflow graph;
    private final boolean[] interior;
    private final List<Integer> boundary;
    private final boolean[] kept;
    private final NavigableSet<Integer> inside = new TreeSet<>();
    private final List<Integer> features;
    private final List<Integer> fixedSums;
    private final List<Integer> constants;
    private final int[] featureColumn;
    private final boolean[] hasFixedSum;

    /** @param interior what moving parameters reach without meeting the boundary; no output among it */
    Factorization(Subnetwork subnetwork, List<Integer> boundary, boolean[] interior) {
        this.subnetwork = subnetwork;
        this.graph = subnetwork.graph();
        this.interior = interior;
        this.boundary = boundary.stream().distinct().sorted().toList();
        this.kept = new boolean[graph.nodeCount()];
        this.boundary.forEach(node -> kept[node] = true);
        NavigableSet<Integer> values = new TreeSet<>();
        NavigableSet<Integer> sums = new TreeSet<>();
        NavigableSet<Integer> staying = new TreeSet<>();
        Deque<Integer> open = new ArrayDeque<>();
        for (int node : this.boundary) {
            graph.incoming(node).stream()
                    .filter(this::isKeptTerm)
                    .forEach(connection -> collect(connection, values, staying, open));
        }
        while (!open.isEmpty()) {
            int node = open.remove();
            for (Connection connection : graph.incoming(node)) {
                if (isInnerTerm(connection)) {
                    collect(connection, values, staying, open);
                } else {
                    sums.add(node);
                }
            }
        }
        this.features = List.copyOf(values);
        this.fixedSums = List.copyOf(sums);
        this.constants = List.copyOf(staying);
        this.featureColumn = new int[graph.nodeCount()];
        for (int i = 0; i < features.size(); i++) {
            featureColumn[features.get(i)] = i;
        }
        this.hasFixedSum = new boolean[graph.nodeCount()];
        fixedSums.forEach(node -> hasFixedSum[node] = true);
    }

    private void collect(
            Connection connection, NavigableSet<Integer> values, NavigableSet<Integer> staying, Deque<Integer> open) {
        if (!connection.isSkip() && !subnetwork.moves(connection)) {
            staying.add(connection.parameter());
        }
        if (connection.isBias()) {
            return;
        }
        int source = connection.source();
        if (!subnetwork.isAffected(source)) {
            values.add(source);
        } else if (inside.add(source)) {
            open.add(source);
        }
    }

    /** What f computes of a node of the boundary. */
    private boolean isKeptTerm(Connection connection) {
        return subnetwork.moves(connection) || (!connection.isBias() && interior[connection.source()]);
    }

    /** What f computes of a node whose value it needs; the other terms do not depend on moving parameters. */
    private boolean isInnerTerm(Connection connection) {
        return subnetwork.moves(connection) || (!connection.isBias() && subnetwork.isAffected(connection.source()));
    }

    /** {@return whose parameters move, the subnetwork} */
    public Subnetwork subnetwork() {
        return subnetwork;
    }

    /** {@return the boundary, the nodes whose pre-activations are kept, rising} */
    public List<Integer> boundary() {
        return boundary;
    }

    /** {@return the nodes whose values enter f from the rest: rising; none depends on a moving parameter} */
    public List<Integer> features() {
        return features;
    }

    /** {@return the nodes inside f of which a part comes from the rest, as one sum: rising} */
    public List<Integer> fixedSums() {
        return fixedSums;
    }

    /**
     * {@return the parameters that stay but lie inside f, because they carry on what moves: places in the parameter vector,
     * rising; empty where the subnetwork is made of moving parameters alone}
     */
    public List<Integer> constants() {
        return constants;
    }

    /** {@return the nodes that f computes on its way to the boundary, rising} */
    public List<Integer> inside() {
        return List.copyOf(inside);
    }

    /**
     * Returns whether a connection lies inside f.
     *
     * @param connection of the graph
     * @return whether f computes what it carries
     */
    public boolean isInside(Connection connection) {
        return (kept[connection.target()] && isKeptTerm(connection))
                || (inside.contains(connection.target()) && isInnerTerm(connection));
    }

    @Override
    public Factorization orThrow() {
        return this;
    }

    /**
     * Computes h: what f receives from the rest.
     *
     * @param parameters of the whole network, length p; the moving ones are not read
     * @param batch inputs of the network, shape (k, n), finite; not modified
     * @return features and constants
     */
    public SubnetworkInputs inputs(double[] parameters, Matrix batch) {
        graph.requireLength(parameters);
        Matrix received = Matrix.zeros(batch.rows(), features.size() + fixedSums.size());
        for (int row = 0; row < batch.rows(); row++) {
            double[] sums = graph.started(batch, row);
            for (int node = 0; node < sums.length; node++) {
                if (!subnetwork.isAffected(node)) {
                    for (Connection connection : graph.incoming(node)) {
                        sums[node] += graph.term(connection, parameters, sums);
                    }
                }
            }
            for (int i = 0; i < features.size(); i++) {
                received.set(row, i, graph.value(features.get(i), sums[features.get(i)]));
            }
            for (int i = 0; i < fixedSums.size(); i++) {
                double sum = 0;
                for (Connection connection : graph.incoming(fixedSums.get(i))) {
                    sum += isInnerTerm(connection) ? 0 : graph.term(connection, parameters, sums);
                }
                received.set(row, features.size() + i, sum);
            }
        }
        return new SubnetworkInputs(
                received,
                constants.stream().mapToDouble(index -> parameters[index]).toArray());
    }

    /**
     * Computes f: what is kept at the boundary.
     *
     * @param moving the parameters that move, in the order of the support; not modified
     * @param inputs what {@link #inputs} gave
     * @return shape (k, t), one column a node of the boundary
     */
    public Matrix kept(double[] moving, SubnetworkInputs inputs) {
        double[] parameters = new double[graph.parameterCount()];
        subnetwork.moving().scatter(moving, parameters);
        for (int i = 0; i < constants.size(); i++) {
            parameters[constants.get(i)] = inputs.constant(i);
        }
        Matrix results = Matrix.zeros(inputs.rows(), boundary.size());
        double[] sums = new double[graph.nodeCount()];
        for (int row = 0; row < inputs.rows(); row++) {
            for (int i = 0; i < fixedSums.size(); i++) {
                sums[fixedSums.get(i)] = inputs.feature(row, features.size() + i);
            }
            for (int node : inside) {
                double sum = hasFixedSum[node] ? sums[node] : 0;
                for (Connection connection : graph.incoming(node)) {
                    sum += isInnerTerm(connection) ? term(connection, parameters, sums, inputs, row) : 0;
                }
                sums[node] = sum;
            }
            for (int i = 0; i < boundary.size(); i++) {
                double sum = 0;
                for (Connection connection : graph.incoming(boundary.get(i))) {
                    sum += isKeptTerm(connection) ? term(connection, parameters, sums, inputs, row) : 0;
                }
                results.set(row, i, sum);
            }
        }
        return results;
    }

    private double term(Connection connection, double[] parameters, double[] sums, SubnetworkInputs inputs, int row) {
        if (connection.isBias() || subnetwork.isAffected(connection.source())) {
            return graph.term(connection, parameters, sums);
        }
        double value = inputs.feature(row, featureColumn[connection.source()]);
        return connection.isSkip() ? value : parameters[connection.parameter()] * value;
    }

    /**
     * Computes j: the outputs of the network from what is kept.
     *
     * @param parameters of the whole network, length p; the moving ones are not read
     * @param kept what {@link #kept} gave
     * @param batch inputs of the network, shape (k, n), finite; not modified
     * @return shape (k, m)
     */
    public Matrix outputs(double[] parameters, Matrix kept, Matrix batch) {
        graph.requireLength(parameters);
        Matrix results = Matrix.zeros(batch.rows(), graph.outputs().size());
        for (int row = 0; row < batch.rows(); row++) {
            double[] sums = graph.started(batch, row);
            for (int i = 0; i < boundary.size(); i++) {
                sums[boundary.get(i)] = kept.get(row, i);
            }
            for (int node = 0; node < sums.length; node++) {
                for (Connection connection : graph.incoming(node)) {
                    boolean given = interior[node] || (this.kept[node] && isKeptTerm(connection));
                    if (!given && subnetwork.isLive(node)) {
                        sums[node] += graph.term(connection, parameters, sums);
                    }
                }
            }
            for (int i = 0; i < graph.outputs().size(); i++) {
                results.set(row, i, sums[graph.outputs().get(i)]);
            }
        }
        return results;
    }

    /**
     * Measures the factorisation against the network.
     *
     * @param parameters of the whole network, length p; not modified
     * @param batch inputs of the network, shape (k, n), finite; not modified
     * @return the largest difference of an output, over the largest output; rounding
     */
    public double defect(double[] parameters, Matrix batch) {
        Matrix whole = graph.outputs(parameters, batch);
        Matrix composed =
                outputs(parameters, kept(subnetwork.moving().gather(parameters), inputs(parameters, batch)), batch);
        return composed.minus(whole).largestMagnitude() / Math.max(whole.largestMagnitude(), Double.MIN_NORMAL);
    }
}
