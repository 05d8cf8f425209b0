package org.isoloss.transformer;

import java.util.List;
import org.isoloss.network.Activation;

/** What follows attention in a layer: each token's state, projected, activated and projected back. */
sealed interface FeedForward {
    /** Applies the block; the states are not modified. */
    HiddenStates apply(HiddenStates states);

    /** Returns the maps that make the hidden units. */
    List<Projection> incoming();

    /** Returns the map that takes them. */
    Projection outgoing();

    /** {@code U sigma(V x + b) + c}. */
    record TwoLayer(Activation activation, Projection first, Projection second) implements FeedForward {
        @Override
        public HiddenStates apply(HiddenStates states) {
            HiddenStates hidden = states.times(first);
            hidden.activate(activation);
            return hidden.times(second);
        }

        @Override
        public List<Projection> incoming() {
            return List.of(first);
        }

        @Override
        public Projection outgoing() {
            return second;
        }
    }

    /** {@code U [sigma(W_g x) . (W_u x)]}. */
    record Gated(Activation activation, Projection gate, Projection up, Projection down) implements FeedForward {
        @Override
        public HiddenStates apply(HiddenStates states) {
            HiddenStates hidden = states.times(gate);
            hidden.activate(activation);
            hidden.multiply(states.times(up));
            return hidden.times(down);
        }

        @Override
        public List<Projection> incoming() {
            return List.of(gate, up);
        }

        @Override
        public Projection outgoing() {
            return down;
        }
    }
}
