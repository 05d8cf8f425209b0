package org.isoloss.transformer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.checkpoint.TransformerConfig;
import org.isoloss.linalg.Matrix;

/**
 * A transformer that can be run, in float32 or float64. Weights stay where they are stored: a run widens them a piece at a
 * time and keeps none, so that it takes little memory beside the mapped file, and touches only the tensors that it uses.
 *
 * <p>{@snippet :
 * try (StoredTransformer stored = StoredTransformer.open(folder)) {
 *     ForwardPass pass = Transformer.of(stored, Arithmetic.FLOAT64).run(TokenBatch.of(ids), 6);
 *     Matrix logits = pass.output();
 *     Matrix features = pass.feedForwardInput(6);
 * }
 * }
 *
 * <p>The same tokens give the same bits whatever the number of threads.
 */
public final class Transformer {
    private final TransformerConfig config;
    private final Arithmetic arithmetic;
    private final Parameters parameters;

    private Transformer(TransformerConfig config, Arithmetic arithmetic, Parameters parameters) {
        this.config = config;
        this.arithmetic = arithmetic;
        this.parameters = parameters;
    }

    /**
     * Makes a stored transformer run.
     *
     * @param stored must stay open as long as the result is used
     * @param arithmetic of hidden states and results
     * @return the transformer; no weight has been read
     * @throws IOException when the file cannot be read
     */
    public static Transformer of(StoredTransformer stored, Arithmetic arithmetic) throws IOException {
        return new Transformer(stored.config(), arithmetic, Parameters.of(stored));
    }

    /** {@return the configuration, of the stored transformer} */
    public TransformerConfig config() {
        return config;
    }

    /**
     * Returns the same transformer with some parameters replaced, as an edit would leave it. Nothing is written.
     *
     * @param replaced by transformers' names, in the shape that is stored; a vector as a single row or column; copied. A tied
     *     embedding also makes the logits. In float32 the nearest numbers are taken.
     * @return the edited transformer; all other weights are shared
     */
    public Transformer with(Map<String, Matrix> replaced) {
        return new Transformer(config, arithmetic, parameters.with(replaced));
    }

    /**
     * Returns the same function computed otherwise: the hidden units of every feed-forward block stand in the opposite
     * order, so that sums over them are rounded in another way. What its outputs differ by from those of this transformer is
     * the noise of the arithmetic.
     *
     * @return the transformer; the weights are shared
     */
    public Transformer reordered() {
        List<Projection> incoming = new ArrayList<>();
        List<Projection> outgoing = new ArrayList<>();
        for (int layer = 0; layer < config.layers(); layer++) {
            FeedForward block = new Blueprint(config, parameters).layer(layer).feedForward();
            incoming.addAll(block.incoming());
            outgoing.add(block.outgoing());
        }
        return new Transformer(config, arithmetic, parameters.reversed(incoming, outgoing));
    }

    private static ForwardPass finished(
            TokenBatch tokens, Blueprint blueprint, HiddenStates states, Map<Integer, ForwardPass.Watched> watched) {
        Normalization last = blueprint.finalNorm();
        return new ForwardPass(
                tokens, last == null ? states : states.normalized(last).times(blueprint.head()), watched);
    }

    /**
     * Runs the transformer.
     *
     * @param tokens ids below the vocabulary, no more than there are positions
     * @return the output
     */
    public ForwardPass run(TokenBatch tokens) {
        return run(tokens, new int[0]);
    }

    /**
     * Runs the transformer and keeps what enters and leaves some feed-forward blocks.
     *
     * @param tokens ids below the vocabulary, no more than there are positions
     * @param layers from 0
     * @return the output, and what was kept
     */
    public ForwardPass run(TokenBatch tokens, int... layers) {
        tokens.requireFitting(config);
        for (int layer : layers) {
            requireLayer(layer);
        }
        var blueprint = new Blueprint(config, parameters);
        var watched = new TreeMap<Integer, ForwardPass.Watched>();
        HiddenStates states = blueprint.embed(tokens, arithmetic);
        for (int i = 0; i < config.layers(); i++) {
            int number = i;
            Layer layer = blueprint.layer(i);
            boolean kept = IntStream.of(layers).anyMatch(wanted -> wanted == number);
            states = layer.apply(states, tokens, entered -> {
                HiddenStates left = layer.feedForward().apply(entered);
                if (kept) {
                    watched.put(
                            number,
                            new ForwardPass.Watched(
                                    entered.toMatrix(0, tokens.tokens()), left.toMatrix(0, tokens.tokens())));
                }
                return left;
            });
        }
        return finished(tokens, blueprint, states, watched);
    }

    private void requireLayer(int layer) {
        if (layer < 0 || layer >= config.layers()) {
            throw new IllegalArgumentException(
                    "layer %d asked for, but the model has %d, counted from 0".formatted(layer, config.layers()));
        }
    }
}
