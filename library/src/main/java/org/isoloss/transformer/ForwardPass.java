package org.isoloss.transformer;

import java.util.Map;
import java.util.TreeMap;
import org.isoloss.linalg.Matrix;

/** What a transformer made of a batch of tokens, and what its feed-forward blocks were given and gave where that was asked. */
public final class ForwardPass {
    private final TokenBatch tokens;
    private final HiddenStates output;
    private final Map<Integer, Watched> watched;

    ForwardPass(TokenBatch tokens, HiddenStates output, Map<Integer, Watched> watched) {
        this.tokens = tokens;
        this.output = output;
        this.watched = new TreeMap<>(watched);
    }

    /** What entered and left one block. */
    record Watched(Matrix input, Matrix output) {}

    /**
     * {@return the output of the only sequence: shape (tokens, vocabulary), the logits of a decoder; or (tokens, width), the
     * last hidden states of an encoder}
     */
    public Matrix output() {
        return output(only());
    }

    /**
     * Returns the output of one sequence.
     *
     * @param sequence from 0
     * @return shape (tokens, vocabulary), the logits of a decoder; or (tokens, width), the last hidden states of an encoder
     */
    public Matrix output(int sequence) {
        requireSequence(sequence);
        return output.toMatrix(sequence * tokens.length(), (sequence + 1) * tokens.length());
    }

    /**
     * Returns what entered the first projection of a feed-forward block, after the norm, for the only sequence.
     *
     * @param layer from 0, one of those that {@link Transformer#run(TokenBatch, int...)} was given
     * @return shape (tokens, width)
     */
    public Matrix feedForwardInput(int layer) {
        return feedForwardInput(layer, only());
    }

    /**
     * Returns what entered the first projection of a feed-forward block, after the norm.
     *
     * @param layer from 0, one of those that {@link Transformer#run(TokenBatch, int...)} was given
     * @param sequence from 0
     * @return shape (tokens, width)
     */
    public Matrix feedForwardInput(int layer, int sequence) {
        return rows(watched(layer).input(), sequence);
    }

    /**
     * Returns what left the last projection of a feed-forward block, before the residual is added, for the only sequence.
     *
     * @param layer from 0, one of those that {@link Transformer#run(TokenBatch, int...)} was given
     * @return shape (tokens, width)
     */
    public Matrix feedForwardOutput(int layer) {
        return feedForwardOutput(layer, only());
    }

    /**
     * Returns what left the last projection of a feed-forward block, before the residual is added.
     *
     * @param layer from 0, one of those that {@link Transformer#run(TokenBatch, int...)} was given
     * @param sequence from 0
     * @return shape (tokens, width)
     */
    public Matrix feedForwardOutput(int layer, int sequence) {
        return rows(watched(layer).output(), sequence);
    }

    private Matrix rows(Matrix all, int sequence) {
        requireSequence(sequence);
        return all.rows(sequence * tokens.length(), (sequence + 1) * tokens.length());
    }

    private Watched watched(int layer) {
        Watched found = watched.get(layer);
        if (found == null) {
            throw new IllegalArgumentException(
                    "layer %d was not kept, only %s; name it when the model is run".formatted(layer, watched.keySet()));
        }
        return found;
    }

    private int only() {
        if (tokens.sequences() != 1) {
            throw new IllegalArgumentException(
                    "the batch has %d sequences; say which is meant".formatted(tokens.sequences()));
        }
        return 0;
    }

    private void requireSequence(int sequence) {
        if (sequence < 0 || sequence >= tokens.sequences()) {
            throw new IllegalArgumentException("sequence %d asked for, but the batch has %d, counted from 0"
                    .formatted(sequence, tokens.sequences()));
        }
    }
}
