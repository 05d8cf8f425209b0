package org.isoloss.checkpoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.CheckpointEdit.NewValues;

/**
 * What an edit did to the stored weights, after rounding to the type of each tensor.
 *
 * <p>Rounding takes each weight to the stored number nearest to what was meant. The old weight is one of those numbers, so
 * the error is never larger than the change: the norm of what is lost over the norm of the change lies between 0, all is
 * kept, and 1, the new file is no nearer to what was meant than the old one. An edit counts as undone when this share is
 * above one half for a layer, its weight and bias taken together. At one half the stored change is within 30 degrees of the
 * meant one and has at least half of its norm, by the triangle inequality; beyond it more than half is rounding. A single
 * weight has to move by two thirds of a unit in the last place, many independent ones by 0.58 units on average (twice the
 * root mean square of a rounding error, 1/sqrt(12)). A layer that is meant to change by less than a thousandth of the whole
 * edit does not count: learned actions themselves are no more exact than that.
 *
 * @param tensors the tensors given to the edit, in the order given
 */
public record EditReport(List<EditedTensor> tensors) {
    private static final double MOST_LOST = 0.5;
    private static final double LEAST_PART = 1e-3;

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
     *     {@code changed}, the lower of two, to four digits; 0 when there is none
     * @param maxUlps the largest distance moved; at most {@link Long#MAX_VALUE}
     * @param meantNorm norm of the change that was asked for
     * @param lostNorm norm of the difference between what was asked for and what is stored; at most {@code meantNorm}
     */
    public record EditedTensor(
            String name,
            ElementType type,
            long weights,
            long requested,
            long changed,
            long medianUlps,
            long maxUlps,
            double meantNorm,
            double lostNorm) {
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
            return new EditOutput(tensor, NewValues.of(values, Optional.empty()), type).count();
        }
    }

    /** {@return how many weights were given another value than the stored one, the sum over the tensors} */
    public long requested() {
        return tensors.stream().mapToLong(EditedTensor::requested).sum();
    }

    /** {@return how many stored weights have other bits than before, the sum over the tensors} */
    public long changed() {
        return tensors.stream().mapToLong(EditedTensor::changed).sum();
    }

    /**
     * {@return whether rounding to the stored types undid the edit, or that of one of its layers; the rule is above; true when
     * the stored weights are not the edit that was meant}
     */
    public boolean roundedAway() {
        return undone().isPresent();
    }

    /**
     * Describes the layer of which rounding undid the largest share, where {@link #roundedAway}.
     *
     * @return such as {@code rounding to BF16 undoes 97 % of the change of '0.weight' (changed 1 of 1024 weights meant)}
     */
    public Optional<String> undone() {
        double whole = norm(tensors, EditedTensor::meantNorm);
        return layers().values().stream()
                .filter(layer -> norm(layer, EditedTensor::meantNorm) > LEAST_PART * whole && lost(layer) > MOST_LOST)
                .max(Comparator.comparingDouble(EditReport::lost))
                .map(EditReport::describe);
    }

    /** {@return whether wider types would help: true when a tensor that was meant to change is stored in fewer than 32 bits} */
    public boolean isNarrow() {
        return tensors.stream().anyMatch(tensor -> tensor.requested > 0 && tensor.type.bits() < Integer.SIZE);
    }

    /** Weight and bias of a layer are of one name up to the last dot. */
    private SequencedMap<String, List<EditedTensor>> layers() {
        SequencedMap<String, List<EditedTensor>> layers = new LinkedHashMap<>();
        for (EditedTensor tensor : tensors) {
            int dot = tensor.name.lastIndexOf('.');
            layers.computeIfAbsent(dot < 0 ? tensor.name : tensor.name.substring(0, dot), _ -> new ArrayList<>())
                    .add(tensor);
        }
        return layers;
    }

    private static double lost(List<EditedTensor> layer) {
        return norm(layer, EditedTensor::lostNorm) / norm(layer, EditedTensor::meantNorm);
    }

    private static double norm(List<EditedTensor> tensors, ToDoubleFunction<EditedTensor> part) {
        return tensors.stream().mapToDouble(part).reduce(0, Math::hypot);
    }

    private static String describe(List<EditedTensor> layer) {
        EditReport only = new EditReport(layer);
        return "rounding to %s undoes %.0f %% of the change of %s (changed %d of %d weights meant)"
                .formatted(
                        layer.stream()
                                .map(tensor -> tensor.type.name())
                                .distinct()
                                .collect(Collectors.joining(" and ")),
                        100 * lost(layer),
                        layer.stream()
                                .map(tensor -> CheckpointFormatException.quoted(tensor.name))
                                .collect(Collectors.joining(" and ")),
                        only.changed(),
                        only.requested());
    }
}
