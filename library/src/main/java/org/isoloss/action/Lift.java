package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Boundary;
import org.isoloss.model.Moving;
import org.isoloss.model.Subnetwork;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.ParameterLayout;
import org.isoloss.network.Support;

/**
 * Symmetries of something larger from those of something smaller: a network from a subnetwork, a wider layer, a deeper
 * network, and the other way round for batches. That the larger network sees the moving parameters through the smaller one
 * alone is computed from its graph ({@link Subnetwork}), not taken on trust; that the given action preserves the smaller one
 * is up to the action.
 */
public final class Lift {
    private Lift() {}

    /**
     * Lifts a symmetry of a subnetwork (proposition {@code prop:symmetry-from-subnetworks}). The group is read off at the
     * parameters of the model, for its inputs.
     *
     * @param subnetwork of a model of any kind
     * @param kept what the action keeps, such as {@link Subnetwork#ends}; it must separate the moving parameters from the
     *     outputs, and of it only what depends on them must be kept
     * @param family the symmetry, on the moving parameters in their order
     * @return the action on all parameters of the model, in its order
     */
    public static GroupAction subnetwork(Subnetwork subnetwork, Boundary kept, ActionFamily family) {
        return new LiftedAction(subnetwork.moving(), subnetwork.reception(kept), family);
    }

    /**
     * Lifts a symmetry of a two-layer network to one with more hidden units (corollary
     * {@code cor:symmetry-in-wider-networks}), which may itself be a place in a deeper network.
     *
     * @param network the wider one
     * @param hiddenLayer the layer in question, from 0
     * @param batch inputs of the network, shape (k, n), finite; copied
     * @param units of the hidden layer that play the part of the narrower network's, all different
     * @param family the symmetry of the narrower network for what enters the layer, shape (k, n') as
     *     {@link org.isoloss.model.SubnetworkInputs#features}; on incoming weights, biases and outgoing weights of the
     *     units, in the order of the narrower network's own layout, without a bias of its outputs
     * @return the action on all parameters of the wider network; the other units stay
     */
    public static GroupAction wider(
            DenseNetwork network, int hiddenLayer, Matrix batch, int[] units, ActionFamily family) {
        return alone(network, batch, Support.units(network.layout(), hiddenLayer, units), family);
    }

    /**
     * Lifts a symmetry of consecutive layers to a network of more layers (corollary
     * {@code cor:symmetry-in-deeper-networks}).
     *
     * @param network the deeper one
     * @param from first layer that moves, from 0
     * @param to one past the last layer that moves
     * @param batch inputs of the network, shape (k, n), finite; copied
     * @param family the symmetry of the layers for what enters them, shape (k, n'), which keeps the pre-activations of the
     *     last of them; on all their parameters in the order of the layout
     * @return the action on all parameters of the deeper network; the other layers stay
     */
    public static GroupAction deeper(DenseNetwork network, int from, int to, Matrix batch, ActionFamily family) {
        ParameterLayout layout = network.layout();
        if (from < 0 || to <= from || to > layout.layerCount()) {
            throw new IllegalArgumentException("Lift.deeper: layers %d to %d of %d, expected at least one of them"
                    .formatted(from, to, layout.layerCount()));
        }
        List<String> names = new ArrayList<>();
        for (int layer = from; layer < to; layer++) {
            names.add(layout.weight(layer).name());
            layout.bias(layer).ifPresent(bias -> names.add(bias.name()));
        }
        return alone(network, batch, Support.tensors(layout, names.toArray(String[]::new)), family);
    }

    private static GroupAction alone(DenseNetwork network, Matrix batch, Support moving, ActionFamily family) {
        Subnetwork alone = Subnetwork.of(Moving.at(network.model(), moving.indices()), network.batches(batch))
                .requireAlone();
        return subnetwork(alone, alone.ends(), family);
    }

    /**
     * Takes the symmetry of a larger batch on a smaller one (proposition {@code prop:symmetry-with-smaller-data-batch}).
     *
     * @param symmetry the action for each batch of {@code size} inputs; it must exist where inputs repeat
     * @param size d, at least the inputs of {@code batch}
     * @param batch the smaller batch, shape (d', n), at least one input; not modified
     * @return the action for the padded batch, which preserves each of the d' outputs too
     */
    public static GroupAction smallerBatch(Function<Matrix, GroupAction> symmetry, int size, Matrix batch) {
        return symmetry.apply(padded(batch, size));
    }

    /**
     * Repeats the first input until a batch has a given size, the fixed padding of proposition
     * {@code prop:symmetry-with-smaller-data-batch}.
     *
     * @param batch shape (d', n), at least one input; not modified
     * @param size d, at least d'
     * @return shape (d, n)
     */
    public static Matrix padded(Matrix batch, int size) {
        if (batch.rows() < 1 || batch.rows() > size) {
            throw new IllegalArgumentException(
                    "Lift.padded: %d inputs cannot be padded to %d, expected from 1 to %d inputs"
                            .formatted(batch.rows(), size, size));
        }
        Matrix padded = Matrix.zeros(size, batch.columns());
        for (int row = 0; row < size; row++) {
            Batches.setRow(padded, row, batch.row(row < batch.rows() ? row : 0));
        }
        return padded;
    }
}
