package org.isoloss.transformer;

import org.isoloss.checkpoint.LayerNames;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.TwoLayerBlock;

/**
 * The feed-forward block of one layer in float64, with what its parameters are called. The bias that its last projection
 * may have adds a constant and is named, but not among the block's weights.
 */
public sealed interface FeedForwardBlock {
    /**
     * A block {@code U sigma(V x + b) + c}, as GPT-NeoX, GPT-2 and BERT have it.
     *
     * @param block V, b and U
     * @param first the names of V and b
     * @param second the names of U and c
     */
    record TwoLayer(TwoLayerBlock block, LayerNames first, LayerNames second) implements FeedForwardBlock {}

    /**
     * A block {@code U [sigma(W_g x) . (W_u x)]}, as Llama, Qwen2 and Gemma have it.
     *
     * @param block W_g, W_u and U, with the biases of the first two where there are some
     * @param gate the names of W_g and its bias
     * @param up the names of W_u and its bias
     * @param down the names of U and its bias
     */
    record Gated(GatedBlock block, LayerNames gate, LayerNames up, LayerNames down) implements FeedForwardBlock {}
}
