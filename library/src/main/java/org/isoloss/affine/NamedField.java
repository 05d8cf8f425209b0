package org.isoloss.affine;

import java.util.List;

/**
 * One generator of a recovered algebra.
 *
 * @param name what it does, in words
 * @param field exactly
 * @param moves the tensors that it changes
 */
public record NamedField(String name, AffineField field, List<String> moves) {
    /** Keeps its own list. */
    public NamedField {
        moves = List.copyOf(moves);
    }
}
