package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.source.NamedArrays;

/**
 * What another program made of some tokens: numbers to be met.
 *
 * @param name what to call it
 * @param inputs what was run: {@code input_ids} of shape (batch, time), and what was given beside them
 * @param layers whose feed-forward blocks were looked at, rising
 * @param expected by {@link #key}, one token a row
 */
public record GoldenCase(String name, NamedArrays inputs, List<Integer> layers, NamedArrays expected) {
    /** Keeps its own list. */
    public GoldenCase {
        layers = List.copyOf(layers);
    }

    /**
     * Returns where numbers are found.
     *
     * @param kind of the numbers
     * @param layer from 0; of no meaning for the output
     * @return the name among those that are expected
     */
    static String key(Parity.Kind kind, int layer) {
        return kind == Parity.Kind.OUTPUT ? kind.label() : kind.label() + " " + layer;
    }
}
