package org.isoloss.basis;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        double[] change = Arrays.stream(own).map(number -> -number).toArray();
        if (shift instanceof Balanced balanced && !balanced.places().isEmpty()) {
            double[] goal = goal(balanced);
            for (int i = 0; i < shift.dimension(); i++) {
                change[balanced.places().get(i)] += goal[i];
            }
        }
        double[] chosen = ShiftProjection.of(model, shift, change, dual(shift));
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

    /** What is read unseen sums to zero, each number times the factor before it. */
    private double @Nullable [] dual(FreeShift shift) {
        Value factors = shift instanceof Read read ? read.factors() : null;
        if (factors == null) {
            return null;
        }
        double[] by = weights.computed(factors, Map.of());
        return Arrays.stream(by).map(factor -> factor / by.length).toArray();
    }
}
