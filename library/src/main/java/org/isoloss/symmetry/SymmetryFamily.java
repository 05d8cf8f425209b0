package org.isoloss.symmetry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A family of symmetries of a model at its weights.
 *
 * @param name what its elements do, in words
 * @param layer what it acts on: the common part of the names of its tensors
 * @param group its continuous part, such as {@code GL(4)^2}, with the permutations and signs that go with it
 * @param rank the dimension of what it does to the parameters at these weights
 * @param adds how much of that the families before it do not do
 * @param permutations how many discrete elements it has beside, as a product such as {@code 5! 2^5}; empty where there are none
 * @param tensors the parameters that it changes
 * @param verified the largest change of an output by random elements far from the identity, relative to the largest output
 * @param conserved what gradient flow keeps because of it; null where nothing is known
 */
public record SymmetryFamily(
        String name,
        String layer,
        String group,
        int rank,
        int adds,
        String permutations,
        List<String> tensors,
        double verified,
        @Nullable String conserved) {
    /** Copies the list. */
    public SymmetryFamily {
        tensors = List.copyOf(tensors);
    }
}
