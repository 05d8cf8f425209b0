package org.isoloss.symmetry;

import java.util.List;

/**
 * A family of symmetries that a model has but for the epsilons of its norms.
 *
 * @param family it, as the model with these epsilons at 0 has it; {@code adds} counts what no exact family of the model does
 * @param reaches how much the outputs of the model as it is change, from small elements to large ones
 */
public record NearFamily(SymmetryFamily family, List<Reach> reaches) {
    /** Copies the list. */
    public NearFamily {
        reaches = List.copyOf(reaches);
    }

    /**
     * The elements of one size.
     *
     * @param factor by which the largest change of scales among their maps multiplies, above 1
     * @param distance of that element whose outputs change most: the norm of the change of the weights over the norm of those that
     *     change
     * @param change the largest change of an output, relative to the largest output; infinite where an output is not a number
     */
    public record Reach(double factor, double distance, double change) {}
}
