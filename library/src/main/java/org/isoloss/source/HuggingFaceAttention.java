package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.isoloss.model.Composite;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** Attention with all that families do differently: grouped heads, windows, masks, rotations, caps. */
final class HuggingFaceAttention {
    /** Scores of tokens that are not seen: far below all others, and finite in both precisions. */
    private static final double UNSEEN = -Float.MAX_VALUE / 2;

    private final HuggingFaceConfig config;
    private final ModelBuilder builder;
    private final HuggingFaceInputs inputs;
    private final int size;

    HuggingFaceAttention(HuggingFaceConfig config, ModelBuilder builder, HuggingFaceInputs inputs) {
        this.config = config;
        this.builder = builder;
        this.inputs = inputs;
        this.size = config.headSize();
    }

    /** From (batch, length, heads times size) to (batch, length, heads, size). */
    Value heads(Value states) {
        return builder.reshape(
                states,
                Dimensions.of(inputs.batch(), inputs.length(), states.shape().count() / (batchLength() * size), size));
    }

    private int batchLength() {
        return inputs.batch() * inputs.length();
    }

    /** Takes query, key and value apart that lie head by head. */
    List<Value> byHeads(Value joint) {
        Dimensions shape = Dimensions.of(inputs.batch(), inputs.length(), config.heads(), 3, size);
        Value apart = builder.reshape(joint, shape);
        List<Value> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            parts.add(builder.reshape(
                    builder.slice(apart, 3, i, 1),
                    Dimensions.of(inputs.batch(), inputs.length(), config.heads() * size)));
        }
        return parts;
    }

    /**
     * Mixes values by how queries meet keys.
     *
     * @param query shape (batch, length, heads, size)
     * @param key shape (batch, length, key and value heads, size)
     * @param value shape (batch, length, key and value heads, size)
     * @return shape (batch, length, heads times size)
     */
    Value mixed(Value query, Value key, Value value, int layer) {
        HuggingFaceRotary rotary = config.rotary(layer);
        Value queries = rotary == null ? query : inputs.turned(query, rotary);
        Value keys = rotary == null ? key : inputs.turned(key, rotary);
        Value visible = inputs.visible(config.window(layer));
        List<Value> arguments = new ArrayList<>(List.of(queries, keys, value));
        if (visible != null) {
            arguments.add(visible);
        }
        return builder.composite(Composite.Role.ATTENTION, arguments, () -> attended(queries, keys, value, visible));
    }

    private Value attended(Value queries, Value keys, Value values, @Nullable Value visible) {
        int shared = config.keyValueHeads();
        Value grouped = builder.reshape(
                queries, Dimensions.of(inputs.batch(), inputs.length(), shared, config.heads() / shared, size));
        Value scores = scores(builder.contract("atkgd,askd->akgts", grouped, keys));
        Value weights = weights(scores, visible);
        Value mixed = builder.contract("akgts,askd->atkgd", weights, values);
        return builder.reshape(mixed, Dimensions.of(inputs.batch(), inputs.length(), config.heads() * size));
    }

    private Value scores(Value products) {
        double scale = config.scoreScale();
        OptionalDouble cap = config.positive("scoreCap");
        Value scores = builder.scaled(scale, products);
        return cap.isPresent() ? builder.apply(new SoftCap(cap.getAsDouble()), scores) : scores;
    }

    /** A token that sees none, as all are masked, sees all alike, as in transformers. */
    private Value weights(Value scores, @Nullable Value visible) {
        Layers layers = new Layers(builder);
        if (visible == null) {
            return layers.softmax(scores, 4);
        }
        Value weights = layers.softmax(builder.select(visible, scores, builder.constant(UNSEEN)), 4);
        // nothing of a value that is never seen goes on, which a reading of the graph can then tell
        return inputs.seesByOrder() ? builder.select(visible, weights, builder.constant(0)) : weights;
    }
}
