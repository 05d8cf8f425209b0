package org.isoloss.model;

import java.util.List;
import java.util.Optional;

/**
 * Values of a model that carry the same channels along, as the states of a residual stream do: a change of basis of one is one of
 * all. Found from the graph alone, without a number of a parameter.
 *
 * @param name of its first value
 * @param width the number of channels
 * @param made the uses that write channels: products, tables and sums with a tensor
 * @param read the products that read channels
 * @param scaledFrom the uses that make it of the channels of another space, each with a factor of its own
 * @param scaledTo the uses that make another space of it
 * @param isResidual whether values of it are added up
 * @param fixesOnes whether a change of basis must keep the vector of ones, as a mean over channels asks
 * @param isLinear whether any invertible change of basis goes through, not rotations alone
 * @param obstacle what no change of basis goes through; empty where rotations do
 */
public record ChannelSpace(
        String name,
        int width,
        List<Use> made,
        List<Read> read,
        List<Scale> scaledFrom,
        List<Scale> scaledTo,
        boolean isResidual,
        boolean fixesOnes,
        boolean isLinear,
        Optional<String> obstacle) {
    /** Copies the lists. */
    public ChannelSpace {
        made = List.copyOf(made);
        read = List.copyOf(read);
        scaledFrom = List.copyOf(scaledFrom);
        scaledTo = List.copyOf(scaledTo);
    }

    /**
     * One use of a tensor whose axis is that of the channels.
     *
     * @param result of the use, which tells uses of one tensor apart
     * @param tensor the name of the parameter
     * @param axis of the parameter as it is stored
     * @param isShift whether it is added
     */
    public record Use(Value result, String tensor, int axis, boolean isShift) {}

    /**
     * A product that reads channels.
     *
     * @param use of the weight
     * @param bias the parameter that is added to what comes out, one number a row of the weight; empty where there is none
     */
    public record Read(Use use, Optional<String> bias) {}

    /**
     * Factors between two spaces.
     *
     * @param use of the tensor with the factors
     * @param offset what is added to the tensor to make them, as where a file holds what a factor is above 1
     * @param isOfNorm whether what is scaled was divided by a number that depends on it
     */
    public record Scale(Use use, double offset, boolean isOfNorm) {}

    /**
     * Finds all spaces of a model.
     *
     * @param model any
     * @return in the order of computation
     */
    public static List<ChannelSpace> of(Model model) {
        return new ChannelSpaceSearch(model).spaces();
    }
}
