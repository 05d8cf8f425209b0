package org.isoloss.basis;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * Brings weights nearer to others, one class of channels after the other, each fitted to all weights as they are then, until none helps. A
 * change of a class stays only where all weights together come nearer, so that the end is never farther away than the beginning.
 */
final class WeightDescent {
    /** Rounds over all classes at most; the first that gains less than this share of the distance is the last. */
    private static final int ROUNDS = 100;

    private static final double GAIN = 1e-6;

    private final AlignedWeights weights;
    private final BasisAlignment alignment;
    private final boolean isScaling;
    private final Map<Value, Double> squares = new LinkedHashMap<>();

    /**
     * Begins somewhere.
     *
     * @param weights of which no class is known yet
     * @param start the changes of classes to begin with
     * @param isScaling whether units may be scaled
     */
    WeightDescent(AlignedWeights weights, Map<AxisClass, ClassElement> start, boolean isScaling) {
        this.weights = weights;
        this.isScaling = isScaling;
        this.alignment = new BasisAlignment(weights);
        weights.ours().classes().forEach(weights.ours()::know);
        start.forEach(weights.ours()::choose);
        weights.ours().weights().forEach(weight -> squares.put(weight, square(weight)));
    }

    /** The changes of classes at the end. */
    Map<AxisClass, ClassElement> found() {
        for (int round = 0; round < ROUNDS; round++) {
            double before = distance();
            weights.ours().classes().forEach(this::improve);
            if (!(distance() < before * (1 - GAIN))) {
                break;
            }
        }
        return new LinkedHashMap<>(weights.ours().found());
    }

    private double distance() {
        return squares.values().stream().mapToDouble(square -> square).sum();
    }

    private double square(Value weight) {
        double[] own = weights.moved(weight);
        double[] goal = weights.projectedGoal(weight);
        double square = 0;
        for (int i = 0; i < own.length; i++) {
            square += (own[i] - goal[i]) * (own[i] - goal[i]);
        }
        return square;
    }

    private void improve(AxisClass channels) {
        if (channels.kind() == AxisClass.Kind.SCALED) {
            return; // what factors of norms say is exact or nothing
        }
        Map<AxisClass, ClassElement> before = new LinkedHashMap<>(weights.ours().found());
        Map<Value, Double> squaresBefore = new LinkedHashMap<>(squares);
        double distance = distance();
        Set<AxisClass> numbered = weights.ours().dependents(channels);
        if (!fit(channels, !numbered.isEmpty())) {
            return;
        }
        numbered.forEach(other -> fit(other, false));
        weights.ours().weights().stream()
                .filter(weight -> isMoved(weight, channels) || numbered.stream().anyMatch(own -> isMoved(weight, own)))
                .forEach(weight -> squares.put(weight, square(weight)));
        if (!(distance() < distance)) {
            weights.ours().found().clear();
            weights.ours().found().putAll(before);
            squares.putAll(squaresBefore);
        }
    }

    private boolean fit(AxisClass channels, boolean isNumbering) {
        if (channels.kind() != AxisClass.Kind.MONOMIAL
                || isNumbering
                || !channels.blocks().isEmpty()) {
            alignment.fit(channels);
            return true;
        }
        ClassElement own = new UnitFit(weights, channels, isScaling).found();
        if (own != null) {
            weights.ours().chooseAfterOrders(channels, own);
        }
        return own != null;
    }

    private boolean isMoved(Value weight, AxisClass channels) {
        return weights.ours().blocks(weight).stream()
                .flatMap(block -> block.factors().stream())
                .map(Factor::channels)
                .anyMatch(own -> isMovedBy(own, channels));
    }

    private static boolean isMovedBy(@Nullable AxisClass own, AxisClass channels) {
        return own != null
                && (own == channels || own.index().contains(channels) || isMovedBy(own.followed(), channels));
    }
}
