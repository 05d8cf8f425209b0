package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Composite;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/** Makes the graph of a transformer from what its configuration and its family say. */
final class HuggingFaceGraph {
    private final HuggingFaceConfig config;
    private final HuggingFaceFamily family;
    private final ModelBuilder builder = Model.builder();
    private final Layers layers = new Layers(builder);
    private final HuggingFaceTensors tensors;
    private final HuggingFaceInputs inputs;
    private final HuggingFaceAttention attention;
    private final Tying tying;
    private String prefix = "";

    HuggingFaceGraph(
            HuggingFaceConfig config,
            HuggingFaceWeights weights,
            int batch,
            int length,
            List<String> more,
            Tying tying) {
        this.config = config;
        this.family = config.family();
        this.tensors = new HuggingFaceTensors(config, weights, builder);
        this.inputs = new HuggingFaceInputs(config, builder, batch, length, more);
        this.attention = new HuggingFaceAttention(config, builder, inputs);
        this.tying = tying;
    }

    Model build() {
        Value states = embedded();
        for (int layer = 0; layer < config.layers(); layer++) {
            prefix = family.text("layer").formatted(layer);
            states = layer(states, layer);
        }
        prefix = "";
        builder.at("the head");
        boolean last = family.has("finalNorm") && config.flag("normsFirst") && !config.flag("finalNormRemoved");
        states = last ? norm(states, "finalNorm") : states;
        if (hasProjections()) {
            states = linear(states, family.text("projectOut"), embeddingWidth(), false);
        }
        Optional<String> head = head();
        if (head.isEmpty()) {
            builder.output("last_hidden_state", states);
        } else {
            builder.output("logits", logits(states, head.get()));
        }
        tensors.requireNothingElse();
        return builder.build();
    }

    /** Returns what a reader should know of how the file was understood; mostly nothing. */
    List<String> notes() {
        return tensors.notes();
    }

    private int embeddingWidth() {
        return family.has("embeddingWidth") ? config.size("embeddingWidth") : config.width();
    }

    private boolean hasProjections() {
        return embeddingWidth() != config.width();
    }

    private Value embedded() {
        builder.at("the embedding");
        Value states = builder.lookup(embedding(), inputs.tokens(), 0);
        if (hasProjections()) {
            states = linear(states, family.text("projectIn"), config.width(), false);
        }
        if (family.text("embeddingScale").equals("root")) {
            states = builder.scaled(Math.sqrt(config.width()), states);
        }
        if (family.has("types")) {
            Value types = tensors.parameter(family.text("types") + ".weight", config.size("typeCount"), config.width());
            states = builder.plus(states, inputs.types(types));
        }
        if (family.has("positions")) {
            int offset = config.size("positionOffset");
            Value table = tensors.parameter(
                    family.text("positions") + ".weight", config.positions() + offset, config.width());
            states = builder.plus(states, inputs.places(table, offset));
        }
        return family.has("embeddingNorm") ? norm(states, "embeddingNorm") : states;
    }

    private Value embedding() {
        return tensors.parameter(family.text("tokens") + ".weight", config.size("vocabulary"), embeddingWidth());
    }

    private Value layer(Value states, int layer) {
        builder.at("layer " + layer);
        boolean first = config.flag("normsFirst");
        Value entered = first && family.has("beforeAttention") ? norm(states, "beforeAttention") : states;
        Value attended = attended(entered, layer);
        if (family.has("onAttention")) {
            attended = norm(attended, "onAttention");
        }
        boolean parallel = config.flag("parallel");
        Value between = parallel ? states : builder.plus(states, attended);
        if (!first && family.has("beforeAttention")) {
            between = norm(between, "beforeAttention");
        }
        Value read = parallel && family.text("parallelNorm").equals("shared")
                ? entered
                : first && family.has("beforeFeedForward") ? norm(between, "beforeFeedForward") : between;
        Value fed = builder.composite(Composite.Role.FEED_FORWARD, List.of(read), () -> fed(read));
        if (family.has("onFeedForward")) {
            fed = norm(fed, "onFeedForward");
        }
        Value left = parallel ? builder.sum(List.of(states, attended, fed)) : builder.plus(between, fed);
        return !first && family.has("beforeFeedForward") ? norm(left, "beforeFeedForward") : left;
    }

    private Value attended(Value states, int layer) {
        int size = config.headSize();
        int queries = config.heads() * size;
        int keys = config.keyValueHeads() * size;
        boolean bias = config.flag("queryKeyValueBias");
        List<Value> parts = new ArrayList<>();
        if (family.has("joint")) {
            Value joint = linear(states, family.text("joint"), queries + 2 * keys, bias);
            parts.addAll(
                    family.text("jointOrder").equals("heads")
                            ? attention.byHeads(joint)
                            : List.of(
                                    builder.slice(joint, 2, 0, queries),
                                    builder.slice(joint, 2, queries, keys),
                                    builder.slice(joint, 2, queries + keys, keys)));
        } else {
            parts.add(linear(states, family.text("query"), queries, bias));
            parts.add(linear(states, family.text("key"), keys, bias));
            parts.add(linear(states, family.text("value"), keys, bias));
        }
        Value query = attention.heads(normed(parts.get(0), "queryNorm"));
        Value key = attention.heads(normed(parts.get(1), "keyNorm"));
        Value value = attention.heads(parts.get(2));
        Value mixed = attention.mixed(query, key, value, layer);
        return linear(mixed, family.text("output"), config.width(), config.flag("outputBias"));
    }

    /** Norms queries or keys: over all heads at once, over each head with shared weights, or with its own. */
    private Value normed(Value states, String trait) {
        String kind = family.text("queryKeyNorm");
        if (kind.equals("none") || (kind.equals("each") && !config.flag("queryKeyNormed"))) {
            return states;
        }
        String name = prefix + family.text(trait);
        int all = states.shape().size(2);
        if (kind.equals("whole")) {
            return norm(states, tensors.parameter(name + ".weight", all), null);
        }
        Value heads = attention.heads(states);
        if (kind.equals("head")) {
            return builder.reshape(
                    norm(heads, tensors.parameter(name + ".weight", config.headSize()), null), states.shape());
        }
        List<Value> weights = new ArrayList<>();
        for (int head = 0; head < all / config.headSize(); head++) {
            weights.add(builder.reshape(
                    tensors.parameter(name.formatted(head) + ".weight", config.headSize()),
                    Dimensions.of(1, config.headSize())));
        }
        return builder.reshape(norm(heads, builder.concatenate(weights, 0), null), states.shape());
    }

    private Value fed(Value states) {
        int inner = config.size("inner");
        boolean bias = config.flag("feedForwardBias");
        Activation activation = config.activation();
        Value hidden;
        if (family.has("jointGate")) {
            Value joint = linear(states, family.text("jointGate"), 2 * inner, bias);
            hidden = gated(builder.slice(joint, 2, 0, inner), builder.slice(joint, 2, inner, inner), activation);
        } else if (family.has("gate")) {
            Value gate = linear(states, family.text("gate"), inner, bias);
            hidden = gated(gate, linear(states, family.text("up"), inner, bias), activation);
        } else {
            hidden = builder.apply(activation, linear(states, family.text("up"), inner, bias));
        }
        return linear(hidden, family.text("down"), config.width(), bias);
    }

    private Value gated(Value gate, Value up, Activation activation) {
        return builder.composite(
                Composite.Role.GATED, List.of(gate, up), () -> builder.product(builder.apply(activation, gate), up));
    }

    private Value norm(Value states, String trait) {
        String name = prefix + family.text(trait);
        int size = states.shape().size(2);
        boolean affine = config.flag("affine");
        Value scale = affine ? tensors.parameter(name + ".weight", size) : null;
        boolean shifted = affine && family.text("norm").equals("layer");
        return norm(states, scale, shifted ? tensors.parameter(name + ".bias", size) : null);
    }

    private Value norm(Value states, @Nullable Value scale, @Nullable Value shift) {
        int axis = states.shape().rank() - 1;
        if (family.text("norm").equals("layer")) {
            return layers.layerNorm(states, axis, scale, shift, config.epsilon());
        }
        Value factor =
                scale != null && family.text("norm").equals("rms+1") ? builder.plus(builder.constant(1), scale) : scale;
        return layers.rmsNorm(states, axis, factor, config.epsilon());
    }

    private Value linear(Value states, String module, int out, boolean biased) {
        String name = prefix + module;
        int in = states.shape().size(2);
        Value bias = biased ? tensors.parameter(name + ".bias", out) : null;
        if (!config.flag("inOut")) {
            return layers.linear(states, tensors.parameter(name + ".weight", out, in), bias);
        }
        Value weight = tensors.parameter(name + ".weight", in, out);
        List<Value> arguments = bias == null ? List.of(states, weight) : List.of(states, weight, bias);
        return builder.composite(Composite.Role.LINEAR, arguments, () -> {
            Value product = builder.contract("aby,yz->abz", states, weight);
            return bias == null ? product : builder.plus(product, bias);
        });
    }

    /** Returns the module that makes logits, the embedding where it is tied; nothing where hidden states come out. */
    private Optional<String> head() {
        if (!family.has("head")) {
            return Optional.empty();
        }
        String embedding = family.text("tokens");
        String head = family.text("head");
        boolean tied = config.flag("tied");
        Optional<String> stored = tensors.storedName(head + ".weight");
        if (stored.isPresent()) {
            boolean shared = tied && tying != Tying.UNTIED && tensors.tied(embedding + ".weight", stored.get(), tying);
            return Optional.of(shared ? embedding : head);
        }
        if (config.isHeadless()) {
            return Optional.empty();
        }
        if (!tied) {
            throw tensors.missing(head + ".weight");
        }
        return Optional.of(tying == Tying.UNTIED ? head : embedding);
    }

    private Value logits(Value states, String module) {
        int vocabulary = config.size("vocabulary");
        String name = module + ".weight";
        Value weight = tying == Tying.UNTIED && tensors.storedName(name).isEmpty()
                ? tensors.copied(name, family.text("tokens") + ".weight", vocabulary, embeddingWidth())
                : tensors.parameter(name, vocabulary, embeddingWidth());
        Value bias = config.flag("headBias") ? tensors.parameter(family.text("head") + ".bias", vocabulary) : null;
        Value logits = layers.linear(states, weight, bias);
        OptionalDouble cap = config.positive("logitCap");
        return cap.isPresent() ? builder.apply(new SoftCap(cap.getAsDouble()), logits) : logits;
    }
}
