package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides, while the operations are bound from last to first, which gradient contributions overwrite, which accumulate,
 * and which stretches have to be cleared first: so no pass over all gradients is spent on zeros.
 */
final class GradientPlan {
    /** A stretch of the gradient array, {@code from <= i < to}. */
    record Stretch(int from, int to) {}

    /** A weight gradient that waits for the end: {@code dW += inputs^T outputs}. */
    record WeightGradient(Tensor weight, Tensor input, Tensor output) {}

    /** Stretches that hold a contribution, sorted and disjoint. */
    private final List<Stretch> written = new ArrayList<>();

    private final List<Stretch> clears = new ArrayList<>();
    private final List<WeightGradient> deferred = new ArrayList<>();
    private final boolean backward;

    /** A plan for a backward pass, or one that goes nowhere, for operations that have none. */
    GradientPlan(boolean backward) {
        this.backward = backward;
    }

    /** Whether there will be a backward pass. */
    boolean forBackward() {
        return backward;
    }

    /** Announces contributions of a product to those of its factors that want one. */
    void accumulateFactors(Tensor left, Tensor right) {
        if (left.differentiable()) {
            accumulate(left);
        }
        if (right.differentiable()) {
            accumulate(right);
        }
    }

    /** Announces a contribution that can only accumulate. */
    void accumulate(Tensor tensor) {
        contribute(tensor, false);
    }

    /** Announces a contribution to every entry; returns whether it must accumulate rather than overwrite. */
    boolean contribute(Tensor tensor) {
        return contribute(tensor, true);
    }

    private boolean contribute(Tensor tensor, boolean canOverwrite) {
        List<Stretch> gaps = gaps(tensor.offset(), tensor.end());
        boolean untouched =
                gaps.size() == 1 && gaps.getFirst().from == tensor.offset() && gaps.getFirst().to == tensor.end();
        mark(tensor);
        if (untouched && canOverwrite) {
            return false;
        }
        clears.addAll(gaps);
        return true;
    }

    /** Announces that the gradient is about to be read. */
    void read(Tensor tensor) {
        clears.addAll(gaps(tensor.offset(), tensor.end()));
        mark(tensor);
    }

    /** Whether any part of the gradient has a contribution: otherwise the loss does not depend on the tensor. */
    boolean touched(Tensor tensor) {
        return written.stream().anyMatch(stretch -> stretch.from < tensor.end() && stretch.to > tensor.offset());
    }

    /** Leaves a weight gradient to the end, where stretches that lie together become one product. */
    void defer(WeightGradient gradient) {
        deferred.add(gradient);
    }

    List<WeightGradient> takeDeferred() {
        List<WeightGradient> taken = List.copyOf(deferred);
        deferred.clear();
        return taken;
    }

    /** Returns what has to be cleared before the operation that was bound last. */
    List<Stretch> takeClears() {
        List<Stretch> taken = List.copyOf(clears);
        clears.clear();
        return taken;
    }

    private List<Stretch> gaps(int from, int to) {
        List<Stretch> gaps = new ArrayList<>();
        int position = from;
        for (Stretch stretch : written) {
            if (stretch.to <= position || stretch.from >= to) {
                continue;
            }
            if (stretch.from > position) {
                gaps.add(new Stretch(position, stretch.from));
            }
            position = Math.max(position, stretch.to);
        }
        if (position < to) {
            gaps.add(new Stretch(position, to));
        }
        return gaps;
    }

    private void mark(Tensor tensor) {
        int from = tensor.offset();
        int to = tensor.end();
        List<Stretch> kept = new ArrayList<>();
        for (Stretch stretch : written) {
            if (stretch.to < from || stretch.from > to) {
                kept.add(stretch);
            } else {
                from = Math.min(from, stretch.from);
                to = Math.max(to, stretch.to);
            }
        }
        kept.add(new Stretch(from, to));
        kept.sort((a, b) -> Integer.compare(a.from, b.from));
        written.clear();
        written.addAll(kept);
    }
}
