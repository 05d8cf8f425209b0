package org.isoloss.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;
import org.isoloss.network.TwoLayerBlock;

/**
 * The coordinates {@code Phi(U, V) = (Y, V, U_C)} of a network with one hidden layer on a batch X: what it outputs, the
 * incoming weights of all units, and the outgoing weights of those that do not compensate. The outgoing weights of the k
 * compensating units B follow from the output,
 *
 * <pre>
 *   U_B = (Y - U_C Z_C) Z_B^-1      Z = sigma(V X)
 * </pre>
 *
 * <p>(equation {@code eq:subnet-output-coordinates} of the paper). A bias of a hidden unit is a weight on an input that is
 * always 1. A coordinate vector holds Y, input by input, then z, unit by unit: what enters the unit, its bias, and for a unit
 * of C what leaves it.
 */
public final class OutputCoordinates {
    /** Below this reciprocal condition of Z_B a point counts as outside the domain. */
    private static final double SINGULAR = 1e-13;

    /** A bound on the slope of every smooth activation but the sigmoid; that of GELU is 1.129. */
    static final double LARGEST_SLOPE = 1.13;

    static final double LARGEST_SIGMOID_SLOPE = 0.25;

    private final DenseNetwork network;
    private final Matrix inputs;
    private final int[] compensators;
    private final int[] others;
    private final int outputCount;
    private final int[] places;
    private final int[] units;

    private OutputCoordinates(DenseNetwork network, Matrix inputs, int[] compensators) {
        this.network = network;
        this.inputs = inputs;
        this.compensators = compensators;
        this.others = IntStream.range(0, network.widths().get(1))
                .filter(unit -> Arrays.stream(compensators).noneMatch(other -> other == unit))
                .toArray();
        this.outputCount = inputs.rows() * network.widths().getLast();
        List<Integer> order = new ArrayList<>();
        List<Integer> owners = new ArrayList<>();
        ParameterLayout layout = network.layout();
        for (int unit = 0; unit < network.widths().get(1); unit++) {
            int row = unit;
            for (int j = 0; j < layout.weight(0).columns(); j++) {
                order.add(layout.weight(0).index(unit, j));
            }
            layout.bias(0).ifPresent(bias -> order.add(bias.index(row, 0)));
            if (Arrays.stream(others).anyMatch(other -> other == row)) {
                for (int i = 0; i < layout.weight(1).rows(); i++) {
                    order.add(layout.weight(1).index(i, unit));
                }
            }
            while (owners.size() < order.size()) {
                owners.add(unit);
            }
        }
        this.places = order.stream().mapToInt(Integer::intValue).toArray();
        this.units = owners.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Makes the coordinates of a network on a batch.
     *
     * @param network one hidden layer with a smooth activation, no bias at the output; its own weights lie in the domain
     * @param inputs X, shape (k, n), one input a row, finite; copied
     * @param compensators B, k hidden units, all different; copied
     * @return the coordinates
     */
    public static OutputCoordinates of(DenseNetwork network, Matrix inputs, int... compensators) {
        requireSetting(network);
        int width = network.widths().get(1);
        if (compensators.length != inputs.rows()
                || Arrays.stream(compensators).distinct().count() != compensators.length
                || Arrays.stream(compensators).anyMatch(unit -> unit < 0 || unit >= width)
                || compensators.length >= width) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: compensating units %s for %d inputs, expected as many different units of 0 to %d as inputs, and a unit left"
                            .formatted(Arrays.toString(compensators), inputs.rows(), width - 1));
        }
        var coordinates = new OutputCoordinates(network, inputs.copy(), compensators.clone());
        if (!coordinates.contains(coordinates.from(network.parameters()))) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: the compensating units %s cannot tell the %d inputs apart; take others"
                            .formatted(Arrays.toString(compensators), inputs.rows()));
        }
        return coordinates;
    }

    /** What the theorem says of networks, before anything is chosen. */
    private static void requireSetting(DenseNetwork network) {
        int hidden = network.widths().size() - 2;
        if (hidden != 1 || network.layout().bias(1).isPresent()) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: %d hidden layers and %s bias at the output, expected one hidden layer and no such bias"
                            .formatted(
                                    hidden,
                                    network.layout()
                                                    .bias(network.layers().size() - 1)
                                                    .isPresent()
                                            ? "a"
                                            : "no"));
        }
        if (!network.activation().isSmooth()) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: %s has a kink, expected a smooth activation such as tanh, sigmoid, gelu, silu or softplus: at a kink D(psi - id), of which the theorem needs a norm below 1, does not exist"
                            .formatted(network.activation().label()));
        }
    }

    /**
     * Makes the coordinates with the compensating units that pivoted QR of the features chooses.
     *
     * @param network one hidden layer with a smooth activation, no bias at the output
     * @param inputs X, shape (k, n), one input a row, finite; copied
     * @return the coordinates
     */
    public static OutputCoordinates choose(DenseNetwork network, Matrix inputs) {
        requireSetting(network);
        return of(
                network,
                inputs,
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.LargestContribution(1))
                        .compensators());
    }

    /** {@return the network with its own weights, the network} */
    public DenseNetwork network() {
        return network;
    }

    /** {@return the batch: X, shape (k, n); a copy} */
    public Matrix inputs() {
        return inputs.copy();
    }

    /** {@return the compensating units: B, k units; a copy} */
    public int[] compensators() {
        return compensators.clone();
    }

    /**
     * {@return whether a factor leaves some hidden unit alone, as {@code H > k + 1} units allow: false where each factor may
     * change all of them}
     */
    public boolean hasProperSubnetworks() {
        return others.length > 1;
    }

    /** {@return the number of components of Y, the first in a coordinate vector: m k} */
    public int outputCount() {
        return outputCount;
    }

    /** {@return the number of components of z, the last in a coordinate vector: d, {@code H n + m (H - k)} without biases} */
    public int movingCount() {
        return places.length;
    }

    /**
     * Returns the hidden unit that a component of z belongs to.
     *
     * @param component from 0, below {@link #movingCount}
     * @return from 0
     */
    public int unit(int component) {
        return units[component];
    }

    /**
     * Returns the coordinates of parameters.
     *
     * @param parameters theta, length p; not modified
     * @return {@code Phi(theta)}, length {@code outputCount() + movingCount()}
     */
    public double[] from(double[] parameters) {
        double[] coordinates =
                Arrays.copyOf(network.outputs(parameters, inputs).entries(), outputCount + places.length);
        for (int j = 0; j < places.length; j++) {
            coordinates[outputCount + j] = parameters[places[j]];
        }
        return coordinates;
    }

    /**
     * Tells whether coordinates lie in the image of the domain.
     *
     * @param coordinates length {@code outputCount() + movingCount()}, finite; not modified
     * @return whether the features of the compensating units are invertible to working precision
     */
    public boolean contains(double[] coordinates) {
        return features(scattered(coordinates)).reciprocalCondition() > SINGULAR;
    }

    /**
     * Returns the parameters that have given coordinates.
     *
     * @param coordinates in the image of the domain; not modified
     * @return {@code Phi^-1}, length p
     * @throws ArithmeticException outside it
     */
    public double[] toParameters(double[] coordinates) {
        double[] parameters = scattered(coordinates);
        TwoLayerBlock block = network.withParameters(parameters).block(0);
        Matrix augmented = block.augmented(inputs);
        Matrix rest = network.activation()
                .values(block.incoming(others).times(augmented))
                .transpose()
                .times(block.outgoing(others).transpose());
        Matrix outputs = Matrix.over(inputs.rows(), rest.columns(), Arrays.copyOf(coordinates, outputCount));
        Matrix outgoing = features(parameters).solve(outputs.minus(rest));
        ParameterLayout.Entry weight = network.layout().weight(1);
        for (int b = 0; b < compensators.length; b++) {
            for (int i = 0; i < weight.rows(); i++) {
                parameters[weight.index(i, compensators[b])] = outgoing.get(b, i);
            }
        }
        return parameters;
    }

    /** The parameters with U_B at zero. */
    private double[] scattered(double[] coordinates) {
        double[] parameters = new double[network.layout().size()];
        for (int j = 0; j < places.length; j++) {
            parameters[places[j]] = coordinates[outputCount + j];
        }
        return parameters;
    }

    /** Z_B transposed. */
    private LinearSolve features(double[] parameters) {
        TwoLayerBlock block = network.withParameters(parameters).block(0);
        return LinearSolve.of(network.activation()
                .values(block.incoming(compensators).times(block.augmented(inputs)))
                .transpose());
    }

    /**
     * Returns the units of which some parameter differs.
     *
     * @param before length p; not modified
     * @param after length p; not modified
     * @return units from 0, in order
     */
    public List<Integer> changedUnits(double[] before, double[] after) {
        ParameterLayout layout = network.layout();
        List<Integer> changed = new ArrayList<>();
        for (int unit = 0; unit < network.widths().get(1); unit++) {
            for (int index : Support.units(layout, 0, unit).indices()) {
                if (before[index] != after[index]) {
                    changed.add(unit);
                    break;
                }
            }
        }
        return changed;
    }

    /**
     * {@return how far the incoming weights of the compensating units can move, in the Frobenius norm, with their features
     * certainly invertible: the least singular value of Z_B over the largest slope of the activation and the norm of the
     * inputs; positive, around the network's own weights}
     */
    public double domainRadius() {
        TwoLayerBlock block = network.block(0);
        Matrix augmented = block.augmented(inputs);
        double[] values = Svd.valuesOf(
                network.activation().values(block.incoming(compensators).times(augmented)));
        double slope = network.activation() == Activation.SIGMOID ? LARGEST_SIGMOID_SLOPE : LARGEST_SLOPE;
        return values[values.length - 1] / (slope * Svd.valuesOf(augmented)[0]);
    }

    /**
     * Returns the radii of an ellipsoid of parameters around the network's own that lies in the domain.
     *
     * @param reach radius of the parameters that the domain does not bound, positive
     * @return length p: the lesser of {@code reach} and nine tenths of {@link #domainRadius} for what enters the compensating
     *     units, {@code reach} for the others
     */
    public double[] radii(double reach) {
        double[] radii = new double[network.layout().size()];
        Arrays.fill(radii, reach);
        double bounded = Math.min(reach, 0.9 * domainRadius());
        for (int j = 0; j < places.length; j++) {
            int unit = units[j];
            boolean incoming = places[j] < network.layout().weight(1).offset();
            if (incoming && Arrays.stream(compensators).anyMatch(other -> other == unit)) {
                radii[places[j]] = bounded;
            }
        }
        return radii;
    }
}
