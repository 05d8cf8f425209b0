package org.isoloss.model;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.isoloss.model.UnitBlock.Projection;
import org.jspecify.annotations.Nullable;

/**
 * Weighted sums of what enters, one a unit, with or without a bias.
 *
 * @param value the sums
 * @param axis along which the units lie
 * @param begin the first unit of the weights that is one of these
 * @param units how many there are
 * @param entering what is summed
 * @param features the axes of it that are
 * @param weights their tensor
 * @param axes those of the contraction
 * @param bias the numbers that are added; null for none
 * @param steps from the contraction to the sums, both among them
 */
record UnitSums(
        Value value,
        int axis,
        int begin,
        int units,
        Value entering,
        List<Integer> features,
        StoredView weights,
        ContractedAxes axes,
        @Nullable Bias bias,
        Set<Value> steps) {
    UnitSums {
        steps = new LinkedHashSet<>(steps);
    }

    /** Numbers along one axis: where the first lies in its tensor, and how far the next. */
    record Bias(StoredView view, int first, int step) {
        /** Takes what is added to a value, if it is one number for each place along an axis. */
        static @Nullable Bias of(Value sum, @Nullable StoredView view, int axis) {
            if (view == null) {
                return null;
            }
            int at = axis - sum.shape().rank() + view.sizes().size();
            for (int i = 0; i < view.sizes().size(); i++) {
                if (i != at && view.sizes().get(i) != 1) {
                    return null;
                }
            }
            return at >= 0 && view.sizes().get(at) == sum.shape().size(axis)
                    ? new Bias(view, view.offset(), view.strides().get(at))
                    : null;
        }

        String name() {
            return view.name();
        }
    }

    static @Nullable UnitSums of(Value product) {
        for (int side = 0; side < 2; side++) {
            StoredView weights = StoredView.of(product.argument(side));
            ContractedAxes axes = ContractedAxes.of(product, side);
            if (weights != null
                    && axes != null
                    && !axes.summed().isEmpty()
                    && axes.outputs().size() == 1) {
                return new UnitSums(
                        product,
                        axes.resultAxis(),
                        0,
                        product.shape().size(axes.resultAxis()),
                        product.argument(1 - side),
                        axes.summed(),
                        weights,
                        axes,
                        null,
                        Set.of(product));
            }
        }
        return null;
    }

    private UnitSums at(Value next, int nextAxis, int nextBegin, @Nullable Bias nextBias) {
        Set<Value> more = new LinkedHashSet<>(steps);
        more.add(next);
        return new UnitSums(
                next,
                nextAxis,
                nextBegin,
                next.shape().size(nextAxis),
                entering,
                features,
                weights,
                axes,
                nextBias,
                more);
    }

    @Nullable
    UnitSums reshaped(Value next) {
        int kept = UnitAxis.kept(value.shape(), next.shape(), axis);
        return kept < 0 ? null : at(next, kept, begin, bias);
    }

    /** With axes in another order, or of some neighbouring units alone. */
    @Nullable
    UnitSums arranged(Value next) {
        IndexMap map = ((Rearrangement) next.operation()).map();
        int found = -1;
        for (int source = 0; source < map.source().rank(); source++) {
            List<Integer> steps = map.steps().get(source);
            int along = steps.indexOf(1);
            boolean alone = steps.stream().filter(step -> step != 0).count() == 1;
            boolean whole =
                    along >= 0 && map.target().size(along) == map.source().size(source);
            if (!alone || along < 0 || (source != axis && (!whole || map.base().get(source) != 0))) {
                return null;
            }
            found = source == axis ? along : found;
        }
        int first = map.base().get(axis);
        boolean inside = first >= 0 && first + map.target().size(found) <= units;
        return map.target().rank() == map.source().rank() && inside ? at(next, found, begin + first, bias) : null;
    }

    @Nullable
    UnitSums biased(Value next, @Nullable StoredView view) {
        Bias added = next.shape().equals(value.shape()) ? Bias.of(next, view, axis) : null;
        if (added == null || bias != null) {
            return null;
        }
        // counted from the first unit of the weights, as those are
        return at(next, axis, begin, new Bias(added.view, added.first - begin * added.step, added.step));
    }

    /** Whether units of others are sums of the same, so that they can be gates. */
    boolean isLike(UnitSums other) {
        return entering == other.entering
                && features.equals(other.features)
                && axis == other.axis
                && (weights.parameter() != other.weights.parameter() || Math.abs(begin - other.begin) >= units)
                && (bias == null) == (other.bias == null);
    }

    /** All tensors that the sums are made with, as they are stored and read. */
    Set<Value> stored() {
        Set<Value> stored = new LinkedHashSet<>(weights.steps());
        if (bias != null) {
            stored.addAll(bias.view.steps());
        }
        return stored;
    }

    Projection projection() {
        int step = weights.strides().get(axes.outputs().getFirst());
        List<Integer> places = List.of(0);
        for (int axis : axes.weightAxes()) {
            places = UnitBlockSearch.spread(
                    places, weights.sizes().get(axis), weights.strides().get(axis));
        }
        return new Projection(
                weights.name(),
                units,
                weights.offset() + begin * step,
                step,
                places,
                bias == null ? null : bias.name(),
                bias == null ? 0 : bias.first + begin * bias.step,
                bias == null ? 0 : bias.step);
    }
}
