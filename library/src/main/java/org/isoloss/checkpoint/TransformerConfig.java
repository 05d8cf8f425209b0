package org.isoloss.checkpoint;

import com.google.errorprone.annotations.FormatMethod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.isoloss.network.Activation;

/**
 * What a transformer is, beside its weights: the same record whatever file it came from, with every default filled in.
 *
 * @param architecture which kind
 * @param vocabulary how many token ids the embedding has rows for, at least 1
 * @param positions the longest input, at least 1
 * @param tokenTypes how many token types the embedding knows; 0 where there are none
 * @param width length of a token's hidden state, at least 1
 * @param feedForwardWidth hidden units of a feed-forward block, at least 1
 * @param layers at least 1
 * @param heads query heads of a layer, at least 1
 * @param keyValueHeads key and value heads, a divisor of {@code heads}
 * @param headSize length of a head's query, key and value, at least 1; {@code heads * headSize} need not be {@code width}
 * @param rotaryWidth how many coordinates of each head turn with the position, even, at most {@code headSize}; 0 where
 *     positions are learned
 * @param rotaryBase base of the angles, finite and above 0; 0 where positions are learned
 * @param epsilon what norms add under the root, above 0: as the file says, so the float32 of it where it stores a float32
 * @param activation between the two projections of a feed-forward block, on the gate where there is one
 * @param tied whether the logits are made by the token embedding
 * @param parallelResidual whether attention and feed-forward block read the same hidden state and are added together
 * @param queryKeyValueBias whether these three projections have biases
 * @param attentionOutputBias whether the projection out of attention has a bias
 * @param feedForwardBias whether the projections of the feed-forward block have biases
 */
public record TransformerConfig(
        TransformerArchitecture architecture,
        int vocabulary,
        int positions,
        int tokenTypes,
        int width,
        int feedForwardWidth,
        int layers,
        int heads,
        int keyValueHeads,
        int headSize,
        int rotaryWidth,
        double rotaryBase,
        double epsilon,
        Activation activation,
        boolean tied,
        boolean parallelResidual,
        boolean queryKeyValueBias,
        boolean attentionOutputBias,
        boolean feedForwardBias) {
    /** Checks the sizes. */
    public TransformerConfig {
        requirePositive("vocabulary", vocabulary);
        requirePositive("positions", positions);
        requirePositive("width", width);
        requirePositive("feedForwardWidth", feedForwardWidth);
        requirePositive("layers", layers);
        requirePositive("heads", heads);
        requirePositive("keyValueHeads", keyValueHeads);
        requirePositive("headSize", headSize);
        require(tokenTypes >= 0, "tokenTypes must be at least 0, got %s", tokenTypes);
        require(
                heads % keyValueHeads == 0,
                "%s heads cannot share %s key and value heads evenly; the second must divide the first",
                heads,
                keyValueHeads);
        require(
                (long) heads * headSize * 3 <= Integer.MAX_VALUE,
                "%s heads of size %s are more than a matrix holds",
                heads,
                headSize);
        require(
                rotaryWidth >= 0 && rotaryWidth <= headSize && rotaryWidth % 2 == 0,
                "rotaryWidth is %s, expected an even number up to the head size %s",
                rotaryWidth,
                headSize);
        require(
                rotaryWidth == 0 ? rotaryBase == 0 : rotaryBase > 0 && Double.isFinite(rotaryBase),
                "rotaryBase is %s, expected %s",
                rotaryBase,
                rotaryWidth == 0 ? "0 where nothing turns" : "a finite number above 0");
        require(epsilon > 0 && Double.isFinite(epsilon), "epsilon is %s, expected a finite number above 0", epsilon);
    }

    /**
     * Reads a {@code config.json} in the keys of any version of transformers.
     *
     * @param file the file
     * @return what it says, with the architecture's defaults
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is of an unknown architecture, asks for something that is not computed here,
     *     or holds impossible values
     */
    public static TransformerConfig read(Path file) throws IOException {
        return new ConfigJson(file, JsonFile.read(file)).config();
    }

    /** {@return how often each key and value head is used, {@code heads / keyValueHeads}} */
    public int headsPerKeyValue() {
        return heads / keyValueHeads;
    }

    /** {@return what the token embeddings are multiplied with, the root of the width for Gemma, otherwise 1} */
    public double embeddingScale() {
        return architecture == TransformerArchitecture.GEMMA ? Math.sqrt(width) : 1;
    }

    /** Returns the same with a head of its own in place of the embedding. */
    TransformerConfig untied() {
        return new TransformerConfig(
                architecture,
                vocabulary,
                positions,
                tokenTypes,
                width,
                feedForwardWidth,
                layers,
                heads,
                keyValueHeads,
                headSize,
                rotaryWidth,
                rotaryBase,
                epsilon,
                activation,
                false,
                parallelResidual,
                queryKeyValueBias,
                attentionOutputBias,
                feedForwardBias);
    }

    private static void requirePositive(String name, int value) {
        require(value >= 1, "%s must be at least 1, got %s", name, value);
    }

    @FormatMethod
    private static void require(boolean holds, String problem, Object... values) {
        if (!holds) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, problem, values));
        }
    }
}
