package org.isoloss.autodiff;

/**
 * A batch of group words {@code exp(t_m h_(i_m)) ... exp(t_1 h_(i_1))} with the same number of slots, to be filled before
 * each step. A slot with coefficient 0 is the identity, so shorter words leave slots at 0.
 */
public final class Words {
    private final int count;
    private final int slots;
    private final double[] coefficients;
    private final int[] indices;

    /**
     * Creates words that are all the identity.
     *
     * @param count number of words, at least 1
     * @param slots largest number of factors of a word, at least 1
     */
    public Words(int count, int slots) {
        this.count = count;
        this.slots = slots;
        coefficients = new double[count * slots];
        indices = new int[count * slots];
    }

    /** {@return the number of words, at least 1} */
    public int count() {
        return count;
    }

    /** {@return the largest number of factors, at least 1} */
    public int slots() {
        return slots;
    }

    /**
     * {@return the coefficients to be filled: word after word, the factor that acts first before the others; length {@code
     * count * slots}; writing changes the words}
     */
    public double[] coefficients() {
        return coefficients;
    }

    /** {@return the generator of each factor, to be filled: length {@code count * slots}; writing changes the words} */
    public int[] indices() {
        return indices;
    }
}
