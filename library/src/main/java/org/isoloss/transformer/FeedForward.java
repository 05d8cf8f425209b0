package org.isoloss.transformer;

import java.util.List;
import org.isoloss.network.Activation;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.TwoLayerBlock;

/** What follows attention in a layer: each token's state, projected, activated and projected back. */
sealed interface FeedForward {
    /** Applies the block; the states are not modified. */
    HiddenStates apply(HiddenStates states);

    /** Returns the maps that make the hidden units. */
    List<Projection> incoming();

    /** Returns the map that takes them. */
    Projection outgoing();

    /** Returns the block in float64, with its names. */
    FeedForwardBlock toBlock();

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

        @Override
        public FeedForwardBlock toBlock() {
            return new FeedForwardBlock.TwoLayer(
                    TwoLayerBlock.of(activation, first.toDenseLayer(), second.toDenseLayer()),
                    first.names(),
                    second.names());
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

        @Override
        public FeedForwardBlock toBlock() {
            return new FeedForwardBlock.Gated(
                    GatedBlock.of(activation, gate.toDenseLayer(), up.toDenseLayer(), down.toDenseLayer()),
                    gate.names(),
                    up.names(),
                    down.names());
        }
    }
}
