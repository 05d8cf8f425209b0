package org.isoloss.transformer;

import org.isoloss.checkpoint.TransformerConfig;

/** How a layer mixes the states of tokens. */
sealed interface Attention {
    /** Queries, keys and values of the heads, before positions turn them. */
    record Projected(Heads queries, Heads keys, Heads values) {}

    /** Projects the states, which are not modified. */
    Projected project(HiddenStates states, TransformerConfig config);

    /** The projection of the mixed values. */
    Projection output();

    /** Applies attention; the states are not modified. */
    default HiddenStates apply(HiddenStates states, TransformerConfig config, TokenBatch tokens) {
        Projected projected = project(states, config);
        if (config.rotaryWidth() > 0) {
            RotaryAngles angles = RotaryAngles.of(config, tokens.length());
            turn(projected.queries(), angles);
            turn(projected.keys(), angles);
        }
        boolean causal = !config.architecture().isEncoder();
        return projected
                .queries()
                .states()
                .attend(projected.queries(), projected.keys(), projected.values(), tokens, causal)
                .times(output());
    }

    private static void turn(Heads heads, RotaryAngles angles) {
        heads.states().rotate(heads, angles);
    }

    /** One projection a kind. */
    record Separate(Projection query, Projection key, Projection value, Projection output) implements Attention {
        @Override
        public Projected project(HiddenStates states, TransformerConfig config) {
            int size = config.headSize();
            int shared = config.keyValueHeads();
            return new Projected(
                    new Heads(states.times(query), 0, size, config.heads(), size),
                    new Heads(states.times(key), 0, size, shared, size),
                    new Heads(states.times(value), 0, size, shared, size));
        }
    }

    /**
     * One projection for all three.
     *
     * @param byHead whether each head's query, key and value follow one another, as GPT-NeoX has them; otherwise all queries
     *     come first, as GPT-2 has them
     */
    record Joint(Projection queryKeyValue, boolean byHead, Projection output) implements Attention {
        @Override
        public Projected project(HiddenStates states, TransformerConfig config) {
            HiddenStates joint = states.times(queryKeyValue);
            int size = config.headSize();
            int count = config.heads();
            int next = byHead ? size : count * size;
            int stride = byHead ? 3 * size : size;
            return new Projected(
                    new Heads(joint, 0, stride, count, size),
                    new Heads(joint, next, stride, count, size),
                    new Heads(joint, 2 * next, stride, count, size));
        }
    }
}
