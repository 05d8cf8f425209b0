package org.isoloss.action;

import org.isoloss.model.SubnetworkInputs;

/**
 * A symmetry of a subnetwork f, {@code a: S -> (G x Theta_2 -> Theta_2)} in proposition
 * {@code prop:symmetry-from-subnetworks}: an action on its parameters for whatever it receives from the rest. The group is
 * the same for all.
 */
@FunctionalInterface
public interface ActionFamily {
    /**
     * Returns the action.
     *
     * @param inputs what the subnetwork receives
     * @return the action on the subnetwork's parameters
     */
    GroupAction at(SubnetworkInputs inputs);

    /**
     * Takes an action that preserves the subnetwork whatever it receives, such as a rescaling.
     *
     * @param action on the subnetwork's parameters
     * @return that action everywhere
     */
    static ActionFamily everywhere(GroupAction action) {
        return inputs -> action;
    }

    /**
     * Takes an action that was made, or learned, for what the subnetwork receives at one place.
     *
     * @param place what it was made for
     * @param action on the subnetwork's parameters
     * @return that action there, and a refusal anywhere else
     */
    static ActionFamily onlyAt(SubnetworkInputs place, GroupAction action) {
        return inputs -> {
            if (!inputs.sameAs(place)) {
                throw new IllegalArgumentException(
                        "the action was made for other inputs of the subnetwork than this point gives it; keep the parameters before it, and the batch, as they were");
            }
            return action;
        };
    }
}
