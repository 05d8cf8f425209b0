package org.isoloss.action;

import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.DenseNetwork;
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
    private static final String NAME = "NetworkCompensatingAction";

    private final DenseNetwork network;
    private final CompensatingTranslation translation;

    private NetworkCompensatingAction(DenseNetwork network, CompensatingTranslation translation) {
        this.network = network;
        this.translation = translation;
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
        int[] others =
                CompensatingTranslation.others(network.block(hiddenLayer).units(), inputs.rows(), compensators, NAME);
        Support moved = Support.units(network.layout(), hiddenLayer, others);
        return along(network, hiddenLayer, inputs, compensators, moved, Matrix.identity(moved.size()));
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
        int[] others =
                CompensatingTranslation.others(network.block(hiddenLayer).units(), inputs.rows(), compensators, NAME);
        Matrix checked = CompensatingTranslation.directions(directions, moved.size(), NAME);
        CompensatingTranslation.requireMovable(
                moved.indices(),
                Support.units(network.layout(), hiddenLayer, others).indices(),
                network.layout().size(),
                NAME);
        return new NetworkCompensatingAction(
                network,
                new CompensatingTranslation(
                        new Layer(network, hiddenLayer, inputs.copy()),
                        compensators,
                        others,
                        moved.indices(),
                        checked));
    }

    @Override
    public Generators generators() {
        return translation.generators();
    }

    @Override
    public int parameterCount() {
        return network.layout().size();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        return translation.apply(this, elements, parameters);
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        return translation.derivative(this, elements, directions, parameters);
    }

    /** A hidden layer of the network; what enters it depends on the point where it is not the first. */
    private record Layer(DenseNetwork network, int hiddenLayer, Matrix inputs) implements CompensatedBlock {
        @Override
        public Matrix entering(double[] point) {
            return block(point).augmented(network.forward(point, inputs).activations(hiddenLayer));
        }

        @Override
        public Matrix features(double[] point, Matrix entering, int... units) {
            return block(point).features(entering, units);
        }

        @Override
        public Matrix contribution(double[] point, Matrix entering, int... units) {
            TwoLayerBlock block = block(point);
            return block.outgoing(units).times(block.features(entering, units));
        }

        @Override
        public Matrix contributionDerivative(double[] point, double[] velocity, Matrix entering, int... units) {
            TwoLayerBlock block = block(point);
            TwoLayerBlock change = block(velocity);
            Matrix sums = block.incoming(units).times(entering);
            Activation activation = network.activation();
            Matrix slopes = activation.derivative(sums, change.incoming(units).times(entering));
            return change.outgoing(units)
                    .times(activation.values(sums))
                    .plus(block.outgoing(units).times(slopes));
        }

        @Override
        public int outgoingIndex(int output, int unit) {
            return network.layout().weight(hiddenLayer + 1).index(output, unit);
        }

        private TwoLayerBlock block(double[] parameters) {
            return network.withParameters(parameters).block(hiddenLayer);
        }
    }
}
