package org.isoloss.transformer;

import java.util.function.UnaryOperator;
import org.isoloss.checkpoint.TransformerConfig;

/**
 * One layer of a transformer.
 *
 * @param config of the whole
 * @param attention first part
 * @param feedForward second part
 * @param attentionNorm of what enters attention; for BERT of what attention leaves, the residual added
 * @param feedForwardNorm of what enters the feed-forward block; for BERT of what it leaves, the residual added
 */
record Layer(
        TransformerConfig config,
        Attention attention,
        FeedForward feedForward,
        Normalization attentionNorm,
        Normalization feedForwardNorm) {
    /**
     * Applies the layer.
     *
     * @param states modified
     * @param block applies the feed-forward block, so that it can be watched
     * @return what the next layer takes
     */
    HiddenStates apply(HiddenStates states, TokenBatch tokens, UnaryOperator<HiddenStates> block) {
        if (config.architecture().isEncoder()) {
            states.add(attention.apply(states, config, tokens));
            HiddenStates between = states.normalized(attentionNorm);
            between.add(block.apply(between));
            return between.normalized(feedForwardNorm);
        }
        HiddenStates attended = attention.apply(states.normalized(attentionNorm), config, tokens);
        if (config.parallelResidual()) {
            attended.add(block.apply(states.normalized(feedForwardNorm)));
            states.add(attended);
            return states;
        }
        states.add(attended);
        states.add(block.apply(states.normalized(feedForwardNorm)));
        return states;
    }
}
