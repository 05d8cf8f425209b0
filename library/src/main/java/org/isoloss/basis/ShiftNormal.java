package org.isoloss.basis;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Dimensions;
import org.isoloss.model.FreeShift;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.FreeShift.Entries;
import org.isoloss.model.FreeShift.Opposed;
import org.isoloss.model.FreeShift.Read;
import org.isoloss.model.FreeShift.Written;
import org.isoloss.model.Model;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the free shifts that take away what they can: biases for which others make up become zero, or the factors beside them where a
 * head without a bias needs them; rows of a table sum to zero; nothing is written or read along what is unseen.
 */
final class ShiftNormal {
    private final Model model;
    private final ShiftedWeights weights;
    private final double rounding;
    private final Map<FreeShift, double[]> found = new LinkedHashMap<>();

    /**
     * Prepares a choice.
     *
     * @param model whose parameters are shifted
     * @param rounding what may be left, relatively, where the choice is made already
     */
    ShiftNormal(Model model, double rounding) {
        this.model = model;
        this.rounding = rounding;
        this.weights = new ShiftedWeights(model, new LinkedHashMap<>());
    }

    Map<FreeShift, double[]> found(List<FreeShift> shifts) {
        shifts.stream()
                .filter(shift -> shift instanceof Balanced || shift instanceof Opposed)
                .forEach(this::choose);
        shifts.stream().filter(Written.class::isInstance).forEach(this::choose);
        shifts.stream()
                .filter(shift -> shift instanceof Entries entries && entries.isRead())
                .forEach(this::choose);
        shifts.stream().filter(Read.class::isInstance).forEach(this::choose);
        return found;
    }

    private void choose(FreeShift shift) {
        double[] own = weights.numbers(shift.tensor()).asFloat64();
        double[] chosen = new double[shift.dimension()];
        switch (shift) {
            case Balanced balanced
            when !balanced.places().isEmpty() -> {
                double[] goal = goal(balanced);
                Arrays.setAll(chosen, i -> goal[i] - own[balanced.places().get(i)]);
            }
            case Balanced _ -> {
                for (int i = 0; i < own.length; i++) {
                    chosen[i % chosen.length] -= own[i] * chosen.length / own.length;
                }
            }
            case Opposed opposed ->
                Arrays.setAll(chosen, i -> -own[opposed.places().get(i)]);
            case Entries entries ->
                Arrays.setAll(chosen, i -> -own[entries.places().get(i)]);
            case Written written -> along(written.tensor(), written.axis(), own, null, chosen);
            case Read read -> along(read.tensor(), read.axis(), own, read.factors(), chosen);
        }
        double largest = Arrays.stream(own).map(Math::abs).max().orElse(0);
        if (Arrays.stream(chosen).anyMatch(number -> Math.abs(number) > rounding * largest)) {
            weights.add(shift, chosen, 1);
            found.put(shift, chosen);
        }
    }

    /** Zero, or the factors of a norm whose shift a head without a bias must read. */
    private double[] goal(Balanced balanced) {
        for (FreeShift.Turned turned : balanced.turned().values()) {
            Value factors = turned.factors();
            if (factors != null && factors.shape().count() == balanced.width()) {
                return weights.computed(factors, Map.of());
            }
            double[] ones = new double[balanced.width()];
            Arrays.fill(ones, 1);
            return ones;
        }
        return new double[balanced.width()];
    }

    /** What takes away the mean along an axis of numbers times factors. */
    private void along(String tensor, int axis, double[] own, @Nullable Value factors, double[] chosen) {
        Dimensions shape = model.parameter(tensor).shape();
        int inner = shape.strides()[axis];
        int size = shape.size(axis);
        int outer = inner * size;
        double[] by = factors == null ? null : weights.computed(factors, Map.of());
        for (int i = 0; i < own.length; i++) {
            chosen[i / outer * inner + i % inner] -= own[i] * (by == null ? 1 : by[i / inner % size]) / size;
        }
    }
}
