package org.isoloss.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteBlock;

/**
 * The coordinates {@code Phi(U, V) = (Y, V, U_C)} of hidden units on a batch X: what they add to the next sums, the incoming
 * weights of all units, and the outgoing weights of those that do not compensate. The outgoing weights of the k compensating
 * units B follow from the output,
 *
 * <pre>
 *   U_B = (Y - U_C Z_C) Z_B^-1      Z = sigma(V X), or gated sigma(V_g X) . (V_u X)
 * </pre>
 *
 * <p>(equation {@code eq:subnet-output-coordinates} of the paper). A bias of a hidden unit is a weight on an input that is
 * always 1. The parameters theta are the weights of one unit after the other: what enters it, bias last, of the gate first
 * where there is one, then what leaves it. A coordinate vector holds Y, input by input, then z, which is theta without U_B.
 */
public final class OutputCoordinates {
    /** Below this reciprocal condition of Z_B a point counts as outside the domain. */
    private static final double SINGULAR = 1e-13;

    private final SiteBlock block;
    private final Matrix augmented;
    private final int[] compensators;
    private final int[] others;
    private final int incomingCount;
    private final int unitSize;
    private final int outputCount;
    private final int[] places;
    private final double[] origin;

    private OutputCoordinates(SiteBlock block, Matrix augmented, int[] compensators) {
        this.block = block;
        this.augmented = augmented;
        this.compensators = compensators;
        this.others = IntStream.range(0, block.units())
                .filter(unit -> !compensates(unit))
                .toArray();
        this.incomingCount = block.incoming(0).entries().length;
        this.unitSize = incomingCount + block.outputWidth();
        this.outputCount = augmented.columns() * block.outputWidth();
        this.places = IntStream.range(0, block.units() * unitSize)
                .filter(place -> place % unitSize < incomingCount || !compensates(place / unitSize))
                .toArray();
        this.origin = new double[block.units() * unitSize];
        for (int unit = 0; unit < block.units(); unit++) {
            int first = unit * unitSize;
            System.arraycopy(block.incoming(unit).entries(), 0, origin, first, incomingCount);
            System.arraycopy(block.outgoing(unit).entries(), 0, origin, first + incomingCount, block.outputWidth());
        }
    }

    private boolean compensates(int unit) {
        return Arrays.stream(compensators).anyMatch(other -> other == unit);
    }

    /**
     * Makes the coordinates of hidden units on a batch.
     *
     * @param block a function without kinks; its own weights lie in the domain
     * @param inputs X, shape (k, n), one input a row, finite; copied
     * @param compensators B, k hidden units, all different; copied
     * @return the coordinates
     */
    public static OutputCoordinates of(SiteBlock block, Matrix inputs, int... compensators) {
        requireNoKink(block);
        int width = block.units();
        if (compensators.length != inputs.rows()
                || Arrays.stream(compensators).distinct().count() != compensators.length
                || Arrays.stream(compensators).anyMatch(unit -> unit < 0 || unit >= width)
                || compensators.length >= width) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: compensating units %s for %d inputs, expected as many different units of 0 to %d as inputs, and a unit left"
                            .formatted(Arrays.toString(compensators), inputs.rows(), width - 1));
        }
        var coordinates = new OutputCoordinates(block, block.augmented(inputs), compensators.clone());
        if (!coordinates.contains(coordinates.from(coordinates.origin))) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: the compensating units %s cannot tell the %d inputs apart; take others"
                            .formatted(Arrays.toString(compensators), inputs.rows()));
        }
        return coordinates;
    }

    /** What the theorem says of the units' function, before anything is chosen. */
    private static void requireNoKink(SiteBlock block) {
        if (block.activation().hasKink()) {
            throw new IllegalArgumentException(
                    "OutputCoordinates: %s has a kink, expected a smooth activation such as tanh, sigmoid, gelu, silu or softplus: at a kink D(psi - id), of which the theorem needs a norm below 1, does not exist"
                            .formatted(block.activation()));
        }
    }

    /**
     * Makes the coordinates with the compensating units that pivoted QR of the features chooses.
     *
     * @param block a function without kinks
     * @param inputs X, shape (k, n), one input a row, finite; copied
     * @return the coordinates
     */
    public static OutputCoordinates choose(SiteBlock block, Matrix inputs) {
        requireNoKink(block);
        return of(
                block,
                inputs,
                CompensationSite.choose(block, inputs, new MovingUnits.LargestContribution(1))
                        .compensators());
    }

    /** {@return the number of hidden units: H} */
    public int units() {
        return block.units();
    }

    /** {@return the units' own weights: theta, length p; a copy} */
    public double[] origin() {
        return origin.clone();
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
        return places[component] / unitSize;
    }

    /**
     * Returns the coordinates of parameters.
     *
     * @param parameters theta, length p; not modified
     * @return {@code Phi(theta)}, length {@code outputCount() + movingCount()}
     */
    public double[] from(double[] parameters) {
        double[] coordinates = Arrays.copyOf(
                contribution(parameters, IntStream.range(0, units()).toArray()).entries(), outputCount + places.length);
        for (int j = 0; j < places.length; j++) {
            coordinates[outputCount + j] = parameters[places[j]];
        }
        return coordinates;
    }

    /** What units add to the next sums: {@code (U Z)} transposed, one input a row. */
    private Matrix contribution(double[] parameters, int... units) {
        Matrix outgoing = Matrix.zeros(units.length, block.outputWidth());
        for (int i = 0; i < units.length; i++) {
            int from = units[i] * unitSize + incomingCount;
            System.arraycopy(parameters, from, outgoing.entries(), i * outgoing.columns(), outgoing.columns());
        }
        return features(parameters, units).transpose().times(outgoing);
    }

    /** Z, one unit a row. */
    private Matrix features(double[] parameters, int... units) {
        return block.features(incoming(parameters, units), augmented, units);
    }

    /** The incoming weights as the block arranges them: those of the gate of all units before the others. */
    private Matrix incoming(double[] parameters, int... units) {
        int width = augmented.rows();
        int kinds = incomingCount / width;
        Matrix incoming = Matrix.zeros(kinds * units.length, width);
        for (int row = 0; row < incoming.rows(); row++) {
            int from = units[row % units.length] * unitSize + row / units.length * width;
            System.arraycopy(parameters, from, incoming.entries(), row * width, width);
        }
        return incoming;
    }

    /**
     * Tells whether coordinates lie in the image of the domain.
     *
     * @param coordinates length {@code outputCount() + movingCount()}, finite; not modified
     * @return whether the features of the compensating units are invertible to working precision
     */
    public boolean contains(double[] coordinates) {
        return compensating(scattered(coordinates)).reciprocalCondition() > SINGULAR;
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
        Matrix outputs = Matrix.over(augmented.columns(), block.outputWidth(), Arrays.copyOf(coordinates, outputCount));
        Matrix outgoing = compensating(parameters).solve(outputs.minus(contribution(parameters, others)));
        for (int b = 0; b < compensators.length; b++) {
            int to = compensators[b] * unitSize + incomingCount;
            System.arraycopy(outgoing.row(b), 0, parameters, to, block.outputWidth());
        }
        return parameters;
    }

    /** The parameters with U_B at zero. */
    private double[] scattered(double[] coordinates) {
        double[] parameters = new double[origin.length];
        for (int j = 0; j < places.length; j++) {
            parameters[places[j]] = coordinates[outputCount + j];
        }
        return parameters;
    }

    /** Z_B transposed. */
    private LinearSolve compensating(double[] parameters) {
        return LinearSolve.of(features(parameters, compensators).transpose());
    }

    /**
     * Returns the units of which some parameter differs.
     *
     * @param before length p; not modified
     * @param after length p; not modified
     * @return units from 0, in order
     */
    public List<Integer> changedUnits(double[] before, double[] after) {
        List<Integer> changed = new ArrayList<>();
        for (int unit = 0; unit < units(); unit++) {
            int from = unit * unitSize;
            if (!Arrays.equals(before, from, from + unitSize, after, from, from + unitSize)) {
                changed.add(unit);
            }
        }
        return changed;
    }

    /**
     * Returns the radii of an ellipsoid of parameters around the units' own that lies in the domain.
     *
     * @param reach radius of the parameters that the domain does not bound, positive
     * @return length p: the lesser of {@code reach} and nine tenths of how far the features of the compensating units are
     *     certainly invertible for what enters these, {@code reach} for the others
     */
    public double[] radii(double reach) {
        double[] radii = new double[origin.length];
        Arrays.fill(radii, reach);
        double bounded = Math.min(
                reach,
                0.9 * InvertibleFeatures.of(block, augmented, compensators).radius(reach));
        for (int unit : compensators) {
            Arrays.fill(radii, unit * unitSize, unit * unitSize + incomingCount, bounded);
        }
        return radii;
    }

    /** {@return Y as a function of theta, with derivatives} */
    public ModelTarget outputs() {
        return UnitOutputs.of(block, augmented, origin);
    }
}
