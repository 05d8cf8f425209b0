package org.isoloss.checkpoint;

import java.util.List;

/**
 * What an edit did to the stored weights, after rounding to the type of each tensor.
 *
 * @param tensors the tensors given to the edit, in the order given
 */
public record EditReport(List<EditedTensor> tensors) {
    /** Copies the list. */
    public EditReport {
        tensors = List.copyOf(tensors);
    }

    /**
     * What became of one tensor.
     *
     * @param name its name
     * @param type the type it is stored in
     * @param weights how many elements it has
     * @param requested how many were given another value than the stored one
     * @param changed how many have other bits than before; the rest of {@code requested} was rounded away
     * @param medianUlps the distance moved, in units in the last place of {@code type}: the middle one of the
     *     {@code changed}, the lower of two; 0 when there is none
     * @param maxUlps the largest distance moved; at most {@link Long#MAX_VALUE}
     */
    public record EditedTensor(
            String name, ElementType type, long weights, long requested, long changed, long medianUlps, long maxUlps) {
        /**
         * Says what new values would change, and writes nothing.
         *
         * @param tensor as stored
         * @param values all its elements, row-major; not modified
         * @param type that they are rounded to, one that holds the stored numbers exactly
         * @return the counts in that type
         * @throws IllegalArgumentException when a new value is not finite or beyond the type
         */
        public static EditedTensor of(StoredTensor tensor, double[] values, ElementType type) {
            if (values.length != tensor.shape().count()) {
                throw new IllegalArgumentException("tensor %s has %d elements, but %d new values are given"
                        .formatted(tensor.name(), tensor.shape().count(), values.length));
            }
            return new EditOutput(tensor, values, type).count();
        }
    }

    /**
     * Returns how many weights were given another value than the stored one.
     *
     * @return the sum over the tensors
     */
    public long requested() {
        return tensors.stream().mapToLong(EditedTensor::requested).sum();
    }

    /**
     * Returns how many stored weights have other bits than before.
     *
     * @return the sum over the tensors
     */
    public long changed() {
        return tensors.stream().mapToLong(EditedTensor::changed).sum();
    }

    /**
     * Tells whether a change was asked for and rounding to the stored types undid all of it.
     *
     * @return true when the file holds the same weights as before although others were given
     */
    public boolean roundedAway() {
        return requested() > 0 && changed() == 0;
    }
}
