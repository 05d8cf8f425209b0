package org.isoloss.discovery;

import org.isoloss.action.ActionKind;
import org.isoloss.action.Initialization;

/** The kind of action that is learned, with all settings that only this kind has. */
public sealed interface ActionArchitecture {
    /** {@return the kind of the action} */
    ActionKind kind();

    /** {@return units of each hidden layer of the action network, or of each coupling} */
    int width();

    /** {@return hidden layers of the action network, or of each coupling} */
    int depth();

    /**
     * The paper's: a network gives the displacement of every point. It obeys the group law as far as it is trained to.
     *
     * @param width units of each hidden layer, in 1..8192
     * @param depth hidden layers, in 1..64
     * @param initialization of its weights
     * @param law how the group law is trained
     */
    record Displacement(int width, int depth, Initialization initialization, GroupLaw law)
            implements ActionArchitecture {
        /** Refuses sizes out of range. */
        public Displacement {
            RecipeNumber.WIDTH.check(width);
            RecipeNumber.DEPTH.check(depth);
        }

        @Override
        public ActionKind kind() {
            return ActionKind.DISPLACEMENT;
        }
    }

    /**
     * One action for many batches: a network of the moving unit's sum says what the compensating units take up. The group law holds
     * by construction.
     *
     * @param width units of each hidden layer, in 1..8192
     * @param depth hidden layers, in 1..64
     */
    record Batched(int width, int depth) implements ActionArchitecture {
        /** Refuses sizes out of range. */
        public Batched {
            RecipeNumber.WIDTH.check(width);
            RecipeNumber.DEPTH.check(depth);
        }

        @Override
        public ActionKind kind() {
            return ActionKind.BATCHED;
        }
    }

    /**
     * A fixed action in coordinates that an invertible network makes: the group law holds by construction. Its couplings begin
     * near the identity.
     *
     * @param width units of each hidden layer of a coupling, in 1..8192
     * @param depth hidden layers of a coupling, in 1..64
     */
    record Conjugated(int width, int depth) implements ActionArchitecture {
        /** Refuses sizes out of range. */
        public Conjugated {
            RecipeNumber.WIDTH.check(width);
            RecipeNumber.DEPTH.check(depth);
        }

        @Override
        public ActionKind kind() {
            return ActionKind.CONJUGATED;
        }
    }
}
