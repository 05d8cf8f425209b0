package org.isoloss.action;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.isoloss.network.TwoLayerBlock;

/**
 * The closed-form action of corollary {@code cor:subnet-compensating-action} of the paper on all parameters of a network:
 * incoming and outgoing weights of units of one hidden layer are translated by any Q and P, and the outgoing weights of k
 * compensating units B keep the layer's output on the batch,
 *
 * <pre>
 *   V_C' = V_C + Q    U_C' = U_C + P    U_B' = U_B + [U_C sigma(V_C X) - U_C' sigma(V_C' X)] [sigma(V_B X)]^-1
 * </pre>
 *
 * <p>A bias is a weight on an input that is always 1. X is what the layer receives at the point itself, so that in a deeper
 * network this is the lifted action of proposition {@code prop:symmetry-from-subnetworks}. The domain is where
 * {@code sigma(V_B X)} is invertible (equation {@code eq:subnet-regular-domain}); a point where its condition number is above
 * {@link CompensatorFeatures#LARGEST_CONDITION} is refused. The action never leaves the domain, because V_B does not move.
 */
public final class NetworkCompensatingAction implements GroupAction {
    private final DenseNetwork network;
    private final int hiddenLayer;
    private final Matrix inputs;
    private final int[] compensators;
    private final int[] others;
    private final Support moved;
    private final Matrix directions;
    private final AdditiveGroup group;

    private NetworkCompensatingAction(
            DenseNetwork network,
            int hiddenLayer,
            Matrix inputs,
            int[] compensators,
            Support moved,
            Matrix directions) {
        this.network = network;
        this.hiddenLayer = hiddenLayer;
        this.inputs = inputs.copy();
        this.compensators = compensators.clone();
        this.others = others(network.block(hiddenLayer).units(), inputs.rows(), compensators);
        requireMovable(moved, Support.units(network.layout(), hiddenLayer, others));
        this.moved = moved;
        this.directions = directions;
        this.group = new AdditiveGroup(directions.rows());
    }

    private static int[] others(int units, int inputs, int[] compensators) {
        int[] others = IntStream.range(0, units)
                .filter(unit -> Arrays.stream(compensators).noneMatch(other -> other == unit))
                .toArray();
        if (others.length != units - compensators.length || compensators.length != inputs) {
            throw new IllegalArgumentException(
                    "NetworkCompensatingAction: compensating units %s for %d inputs, expected as many different units of 0 to %d as inputs"
                            .formatted(Arrays.toString(compensators), inputs, units - 1));
        }
        if (others.length == 0) {
            throw new IllegalArgumentException(
                    "NetworkCompensatingAction: all %d units compensate and none is left to move; protect at most %d inputs"
                            .formatted(units, units - 1));
        }
        return others;
    }

    private static void requireMovable(Support moved, Support movable) {
        boolean[] allowed = new boolean[movable.fullSize()];
        for (int index : movable.indices()) {
            allowed[index] = true;
        }
        for (int index : moved.indices()) {
            if (index >= allowed.length || !allowed[index]) {
                throw new IllegalArgumentException(
                        "NetworkCompensatingAction: parameter %d is not incident to a unit of the layer that does not compensate"
                                .formatted(index));
            }
        }
    }

    /**
     * Moves every parameter incident to a unit that does not compensate, each by a generator of its own: the additive group
     * of dimension (H - k)(m + n).
     *
     * @param network the shape and the activation
     * @param hiddenLayer from 0
     * @param inputs the batch that the network receives, shape (k, n), finite; copied
     * @param compensators k units of the layer, all different; copied
     * @return the action on all parameters
     */
    public static NetworkCompensatingAction of(
            DenseNetwork network, int hiddenLayer, Matrix inputs, int... compensators) {
        int[] others = others(network.block(hiddenLayer).units(), inputs.rows(), compensators);
        Support moved = Support.units(network.layout(), hiddenLayer, others);
        return new NetworkCompensatingAction(
                network, hiddenLayer, inputs, compensators, moved, Matrix.identity(moved.size()));
    }

    /**
     * Moves parameters along given directions.
     *
     * @param network the shape and the activation
     * @param hiddenLayer from 0
     * @param inputs the batch that the network receives, shape (k, n), finite; copied
     * @param compensators k units of the layer, all different; copied
     * @param moved the parameters that are translated, all incident to units of the layer that do not compensate
     * @param directions one direction (P, Q) a row, shape (q, moved), finite; copied
     * @return the action of R^q on all parameters
     */
    public static NetworkCompensatingAction along(
            DenseNetwork network,
            int hiddenLayer,
            Matrix inputs,
            int[] compensators,
            Support moved,
            Matrix directions) {
        if (directions.rows() < 1 || directions.columns() != moved.size()) {
            throw new IllegalArgumentException(
                    "NetworkCompensatingAction: directions have shape (%d, %d), expected at least one row of %d, the moved parameters"
                            .formatted(directions.rows(), directions.columns(), moved.size()));
        }
        return new NetworkCompensatingAction(
                network,
                hiddenLayer,
                inputs,
                compensators,
                moved,
                directions
                        .requireFinite("NetworkCompensatingAction: directions")
                        .copy());
    }

    @Override
    public Generators generators() {
        return group.generators();
    }

    @Override
    public int parameterCount() {
        return network.layout().size();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double[] before = parameters.row(row);
            double[] after = translated(before, group.vector(elements, row));
            Matrix augmented = entering(before);
            Matrix change = others(before, augmented).minus(others(after, augmented));
            addOutgoing(after, features(before, augmented, row).solve(change));
            Batches.setRow(moved, row, after);
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Batches.require(this, directions, parameters);
        Matrix tangents = Matrix.zeros(parameters.rows(), parameters.columns());
        for (int row = 0; row < parameters.rows(); row++) {
            double[] before = parameters.row(row);
            double[] after = translated(before, group.vector(elements, row));
            double[] velocity = translated(new double[before.length], group.tangent(directions, row));
            Matrix augmented = entering(before);
            Matrix change = othersDerivative(after, velocity, augmented).scaled(-1);
            addOutgoing(velocity, features(before, augmented, row).solve(change));
            Batches.setRow(tangents, row, velocity);
        }
        return tangents;
    }

    private double[] translated(double[] parameters, double[] x) {
        double[] point = parameters.clone();
        double[] change = Matrix.over(1, x.length, x).times(directions).entries();
        int[] places = moved.indices();
        for (int i = 0; i < places.length; i++) {
            point[places[i]] += change[i];
        }
        return point;
    }

    private void addOutgoing(double[] parameters, Matrix change) {
        ParameterLayout.Entry outgoing = network.layout().weight(hiddenLayer + 1);
        for (int i = 0; i < change.rows(); i++) {
            for (int j = 0; j < compensators.length; j++) {
                parameters[outgoing.index(i, compensators[j])] += change.get(i, j);
            }
        }
    }

    /** What enters the layer, shape (n or n + 1, k). */
    private Matrix entering(double[] parameters) {
        return block(parameters).augmented(network.forward(parameters, inputs).activations(hiddenLayer));
    }

    private CompensatorFeatures features(double[] parameters, Matrix augmented, int row) {
        Matrix sums = block(parameters).incoming(compensators).times(augmented);
        return CompensatorFeatures.of(
                network.activation().values(sums), "NetworkCompensatingAction: point %d".formatted(row));
    }

    private Matrix others(double[] parameters, Matrix augmented) {
        TwoLayerBlock block = block(parameters);
        return block.outgoing(others)
                .times(network.activation().values(block.incoming(others).times(augmented)));
    }

    private Matrix othersDerivative(double[] parameters, double[] velocity, Matrix augmented) {
        TwoLayerBlock block = block(parameters);
        TwoLayerBlock change = block(velocity);
        Matrix sums = block.incoming(others).times(augmented);
        Matrix slopes = change.incoming(others).times(augmented);
        Activation activation = network.activation();
        for (int i = 0; i < slopes.entries().length; i++) {
            slopes.entries()[i] *= activation.first(sums.entries()[i]);
        }
        return change.outgoing(others)
                .times(network.activation().values(sums))
                .plus(block.outgoing(others).times(slopes));
    }

    private TwoLayerBlock block(double[] parameters) {
        return network.withParameters(parameters).block(hiddenLayer);
    }
}
