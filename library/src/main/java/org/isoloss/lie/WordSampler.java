package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws group words (paragraph "Sampling group elements" of appendix {@code app:discovery-objectives} of the paper). The
 * generators are independent and uniform. A total length is cut into factors by uniform spacings, so every way to cut it
 * is equally likely, and each factor gets a sign by a fair coin.
 *
 * <p>Words are written factor by factor into slots of the caller's arrays, the factor that acts first in the first slot.
 * Unused slots get coefficient 0 and generator 0, which is the identity, so that every word fills the same shape. Nothing
 * is allocated.
 */
public final class WordSampler {
    private final WordDistribution words;
    private final int generators;

    /**
     * Prepares to draw.
     *
     * @param words the distribution
     * @param generators number of generators r, at least 1
     */
    public WordSampler(WordDistribution words, int generators) {
        if (generators < 1) {
            throw new IllegalArgumentException("WordSampler: %d generators, expected at least 1".formatted(generators));
        }
        this.words = words;
        this.generators = generators;
    }

    /** {@return the distribution, as given} */
    public WordDistribution words() {
        return words;
    }

    /**
     * Draws one word. Absolute coefficients sum to at most the radius, up to rounding.
     *
     * @param random the stream to draw from
     * @param coefficients slots {@code offset} to {@code offset + slots - 1} are modified
     * @param indices generators from 0, in the same slots; modified
     * @param offset first slot of this word
     * @param slots at least the most factors of the distribution
     * @return the number of factors
     */
    public int draw(SplittableRandom random, double[] coefficients, int[] indices, int offset, int slots) {
        if (slots < words.mostFactors()) {
            throw new IllegalArgumentException(
                    "WordSampler: %d slots for words of up to %d factors".formatted(slots, words.mostFactors()));
        }
        int factors = words.fewestFactors() + random.nextInt(words.mostFactors() - words.fewestFactors() + 1);
        double shortest = WordDistribution.SHORTEST_SHARE * words.radius();
        double length = shortest + random.nextDouble() * (words.radius() - shortest);
        double sum = 0;
        for (int i = offset; i < offset + factors; i++) {
            coefficients[i] = -Math.log1p(-random.nextDouble()); // exponential: shares of a sum are uniform spacings
            sum += coefficients[i];
        }
        for (int i = offset; i < offset + slots; i++) {
            boolean used = i < offset + factors;
            // a sum of 0 needs factors that are all 0, each of probability 2^-53: then the length goes to the first
            double share = !used ? 0 : sum > 0 ? coefficients[i] / sum : i == offset ? 1 : 0;
            coefficients[i] = used && random.nextBoolean() ? -length * share : length * share;
            indices[i] = used ? random.nextInt(generators) : 0;
        }
        return factors;
    }

    /**
     * Draws one word as an object.
     *
     * @param random the stream to draw from
     * @return the same word that {@link #draw} would write
     */
    public GroupWord draw(SplittableRandom random) {
        int slots = words.mostFactors();
        double[] coefficients = new double[slots];
        int[] indices = new int[slots];
        int factors = draw(random, coefficients, indices, 0, slots);
        List<GroupWord.Factor> drawn = new ArrayList<>();
        for (int i = 0; i < factors; i++) {
            drawn.add(new GroupWord.Factor(indices[i], coefficients[i]));
        }
        return GroupWord.of(drawn);
    }

    /**
     * Writes the inverse of a word, its factors reversed and negated. The arrays may be the same when the slots do not
     * overlap.
     *
     * @param coefficients of the word; not modified unless it is {@code inverseCoefficients}
     * @param indices of the word; not modified unless it is {@code inverseIndices}
     * @param offset first slot of the word
     * @param slots slots of the word, used or not
     * @param inverseCoefficients slots {@code inverseOffset} to {@code inverseOffset + slots - 1} are modified
     * @param inverseIndices in the same slots; modified
     * @param inverseOffset first slot of the inverse
     */
    public static void invert(
            double[] coefficients,
            int[] indices,
            int offset,
            int slots,
            double[] inverseCoefficients,
            int[] inverseIndices,
            int inverseOffset) {
        for (int i = 0; i < slots; i++) {
            inverseCoefficients[inverseOffset + i] = -coefficients[offset + slots - 1 - i];
            inverseIndices[inverseOffset + i] = indices[offset + slots - 1 - i];
        }
    }
}
