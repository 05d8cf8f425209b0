package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The commuting scales that make the sum of squares of some numbers least. Scale k with the logarithm t multiplies number e by
 * exp(w t), w being its exponent there; the sum is convex in all logarithms, and its minimum unique as far as numbers go. One
 * scale after another is set to its own minimum until none moves.
 *
 * @see "Kempf and Ness, The length of vectors in representation spaces, 1979"
 */
final class ScaleBalance {
    private static final int MOST_ROUNDS = 5000;
    private static final int MOST_STEPS = 100;
    private static final double STILL = 1e-14;
    /** A scale that goes farther than exp(16) has no minimum. */
    private static final double FARTHEST = 16;

    private final double[] squares;
    private final List<Map<Integer, Double>> exponents;
    private final double[] logarithms;
    private int unbounded;

    /**
     * Finds the scales.
     *
     * @param numbers that are scaled; those that do not count are zero; not modified
     * @param exponents for each scale, for each number that it moves, how
     */
    ScaleBalance(double[] numbers, List<? extends Map<Integer, Double>> exponents) {
        this.squares = new double[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            squares[i] = numbers[i] * numbers[i];
        }
        this.exponents = List.copyOf(exponents);
        this.logarithms = new double[exponents.size()];
        List<Integer> bounded = new ArrayList<>();
        for (int k = 0; k < logarithms.length; k++) {
            SortedMap<Double, Double> sums = sums(k);
            if (sums.isEmpty()) {
                continue;
            }
            if (sums.firstKey() < 0 && sums.lastKey() > 0) {
                bounded.add(k);
            } else {
                unbounded++;
            }
        }
        double farthest = 1;
        for (int round = 0; round < MOST_ROUNDS && farthest > STILL; round++) {
            farthest = 0;
            for (int k : bounded) {
                farthest = Math.max(farthest, balance(k));
            }
            if (bounded.removeIf(this::isFar)) {
                farthest = 1;
            }
        }
    }

    /** Takes a scale back that goes too far. */
    private boolean isFar(int k) {
        boolean isFar = Math.abs(logarithms[k]) > FARTHEST;
        if (isFar) {
            scale(k, -logarithms[k]);
            unbounded++;
        }
        return isFar;
    }

    private void scale(int k, double step) {
        logarithms[k] += step;
        exponents.get(k).forEach((place, exponent) -> squares[place] *= Math.exp(2 * exponent * step));
    }

    /** For each exponent of a scale the sum of squares of the numbers that have it. */
    private SortedMap<Double, Double> sums(int k) {
        SortedMap<Double, Double> sums = new TreeMap<>();
        exponents.get(k).forEach((place, exponent) -> {
            if (exponent != 0 && squares[place] > 0) {
                sums.merge(exponent, squares[place], Double::sum);
            }
        });
        return sums;
    }

    private double balance(int k) {
        double step = Math.clamp(minimum(sums(k)), -2 * FARTHEST, 2 * FARTHEST);
        scale(k, step);
        return Math.abs(step);
    }

    /** Newton's method for the logarithm of the sum, which is convex, with steps of at most one. */
    private static double minimum(SortedMap<Double, Double> sums) {
        double t = 0;
        for (int i = 0; i < MOST_STEPS; i++) {
            double sum = 0;
            double first = 0;
            double second = 0;
            for (Map.Entry<Double, Double> entry : sums.entrySet()) {
                double w = 2 * entry.getKey();
                double own = entry.getValue() * Math.exp(w * t);
                sum += own;
                first += w * own;
                second += w * w * own;
            }
            double slope = first / sum;
            double step = -slope / Math.max(second / sum - slope * slope, Double.MIN_NORMAL);
            t += Math.clamp(step, -1, 1);
            if (Math.abs(step) < STILL / 10) {
                break;
            }
        }
        return t;
    }

    /** The logarithm of each scale. */
    double[] logarithms() {
        return logarithms.clone();
    }

    /** How many scales have nothing on one side, so that no least sum is reached; they stay. */
    int unbounded() {
        return unbounded;
    }
}
