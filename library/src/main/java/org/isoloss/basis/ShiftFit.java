package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.isoloss.model.FreeShift;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.FreeShift.Entries;
import org.isoloss.model.FreeShift.Opposed;
import org.isoloss.model.FreeShift.Read;
import org.isoloss.model.FreeShift.Written;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/** Finds the free shifts that bring the parameters of a model nearest to those of another, one after the other. */
final class ShiftFit {
    /** Of the factors that are added to tell a slope. */
    private static final double STEP = 1e-6;

    private final Model model;
    private final Model other;
    private final boolean isCautious;
    private final SequencedMap<FreeShift, double[]> found = new LinkedHashMap<>();
    private SequencedMap<String, Numbers> now;

    /**
     * Prepares a fit.
     *
     * @param model whose parameters are shifted
     * @param before parameters that have other numbers already
     * @param other with parameters of the same names
     * @param isCautious whether a shift is left out that brings nothing nearer by itself; the other shifts may need it
     */
    ShiftFit(Model model, SequencedMap<String, Numbers> before, Model other, boolean isCautious) {
        this.isCautious = isCautious;
        this.model = model;
        this.now = before;
        this.other = other;
    }

    /** Fits: what is read, what is written, what is balanced by others, and again what is written. */
    SequencedMap<FreeShift, double[]> found(List<FreeShift> shifts) {
        List<FreeShift> order = new ArrayList<>();
        shifts.stream().filter(Read.class::isInstance).forEach(order::add);
        List<FreeShift> written =
                shifts.stream().filter(Written.class::isInstance).toList();
        order.addAll(written);
        shifts.stream()
                .filter(shift -> shift instanceof Balanced || shift instanceof Opposed)
                .forEach(order::add);
        shifts.stream()
                .filter(shift -> shift instanceof Entries entries && entries.isRead())
                .forEach(order::add);
        order.addAll(written); // biases have moved
        order.forEach(this::fit);
        shifts.stream()
                .filter(shift -> shift instanceof Balanced balanced
                        && !balanced.turned().isEmpty()
                        && !balanced.places().isEmpty())
                .forEach(shift -> refine((Balanced) shift));
        return found;
    }

    private void fit(FreeShift shift) {
        var weights = new ShiftedWeights(model, now);
        double[] residual = other.numbers(shift.tensor()).clone();
        double[] own = weights.numbers(shift.tensor()).asFloat64();
        Arrays.setAll(residual, i -> residual[i] - own[i]);
        double[] dual = null;
        if (shift instanceof Read read) {
            double[] sums = weights.sums(read);
            double square = Arrays.stream(sums).map(x -> x * x).sum();
            dual = Arrays.stream(sums).map(x -> x / square).toArray();
        }
        keep(shift, ShiftProjection.of(model, shift, residual, dual), isCautious);
    }

    /** Adds a shift, where that is asked only if it brings its tensors nearer. */
    private void keep(FreeShift shift, double[] best, boolean onlyNearer) {
        Set<String> tensors = shift.tensors();
        var weights = new ShiftedWeights(model, now);
        weights.add(shift, best, 1);
        if (!onlyNearer || distance(weights.changed(), tensors) < distance(now, tensors)) {
            now = weights.changed();
            found.merge(shift, best, (before, more) -> {
                double[] sum = before.clone();
                Arrays.setAll(sum, i -> sum[i] + more[i]);
                return sum;
            });
        }
    }

    /**
     * Adds to a bias as much of the factors beside it as brings what makes up for it nearest: how a head without a bias reads what is
     * always the same depends on one number, which rounding of the bias may miss.
     */
    private void refine(Balanced balanced) {
        FreeShift.Turned turned = balanced.turned().values().iterator().next();
        var weights = new ShiftedWeights(model, now);
        double[] factors = new double[balanced.width()];
        Arrays.fill(factors, 1);
        if (turned.factors() != null && turned.factors().shape().count() == factors.length) {
            factors = weights.computed(turned.factors(), Map.of());
        }
        double step = STEP;
        double[] little = Arrays.stream(factors).map(x -> step * x).toArray();
        var moved = new ShiftedWeights(model, now);
        moved.add(balanced, little, 1);
        double product = 0;
        double square = 0;
        for (String tensor : balanced.tensors()) {
            double[] goal = other.numbers(tensor);
            double[] own = weights.numbers(tensor).asFloat64();
            double[] after = moved.numbers(tensor).asFloat64();
            for (int i = 0; i < own.length; i++) {
                double slope = (after[i] - own[i]) / step;
                product += slope * (goal[i] - own[i]);
                square += slope * slope;
            }
        }
        double best = square == 0 ? 0 : product / square;
        keep(balanced, Arrays.stream(factors).map(x -> best * x).toArray(), true);
    }

    private double distance(SequencedMap<String, Numbers> changed, Set<String> tensors) {
        return WeightDistance.squared(model.reading(changed), other, tensors);
    }
}
