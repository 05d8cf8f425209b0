package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * The elements of the algebra of a block that move parameters, and each by itself: where a value is narrower than its channels, or
 * nothing takes a shift up, different maps of values are the same change of parameters, or none.
 */
final class ActingAlgebra {
    private static final double STEP = 1e-4;
    /** A field counts when this share of it at least leads out of those before. */
    private static final double FRESH = 1e-6;
    /** Larger algebras are taken as they are. */
    private static final int MOST = 1200;

    private final Map<Value, GaugePoint> points;
    private final GaugeAction action;

    ActingAlgebra(Map<Value, GaugePoint> points, GaugeAction action) {
        this.points = points;
        this.action = action;
    }

    /**
     * Searches.
     *
     * @param blocks alike
     * @return with as many elements as move parameters independently; those that have none are left out
     */
    List<LinkAlgebra.Block> acting(List<LinkAlgebra.Block> blocks) {
        List<LinkAlgebra.Block> acting = new ArrayList<>();
        for (LinkAlgebra.Block block : blocks) {
            List<Map<Value, Matrix>> kept = block.basis().size() > MOST ? block.basis() : independent(block);
            if (!kept.isEmpty()) {
                acting.add(new LinkAlgebra.Block(block.channels(), kept));
            }
        }
        return acting;
    }

    /** By Gram and Schmidt's method, on the fields as they are folded into fewer numbers by random signs. */
    private List<Map<Value, Matrix>> independent(LinkAlgebra.Block block) {
        int length = 4 * block.basis().size() + 64;
        List<Map<Value, Matrix>> kept = new ArrayList<>();
        List<double[]> spanned = new ArrayList<>();
        for (Map<Value, Matrix> element : block.basis()) {
            double[] field = folded(block, element, length);
            double whole = Math.sqrt(product(field, field));
            for (int round = 0; round < 2; round++) {
                for (double[] other : spanned) {
                    double share = product(field, other);
                    for (int i = 0; i < length; i++) {
                        field[i] -= share * other[i];
                    }
                }
            }
            double left = Math.sqrt(product(field, field));
            if (whole > 0 && left > FRESH * whole) {
                for (int i = 0; i < length; i++) {
                    field[i] /= left;
                }
                spanned.add(field);
                kept.add(element);
            }
        }
        return kept;
    }

    private static double product(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    private double[] folded(LinkAlgebra.Block block, Map<Value, Matrix> element, int length) {
        Map<Value, double[]> ahead = weights(block, element, STEP);
        Map<Value, double[]> behind = weights(block, element, -STEP);
        double[] folded = new double[length];
        var random = new SplittableRandom(length);
        ahead.forEach((weight, numbers) -> {
            double[] others = Objects.requireNonNull(behind.get(weight));
            double size = 0;
            for (double number : numbers) {
                size = Math.max(size, Math.abs(number));
            }
            for (int i = 0; i < numbers.length; i++) {
                int place = random.nextInt(length);
                double change = numbers[i] - others[i];
                double sign = random.nextBoolean() ? 1 : -1;
                folded[place] += Math.abs(change) > 1e-12 * size ? sign * change : 0;
            }
        });
        return folded;
    }

    private Map<Value, double[]> weights(LinkAlgebra.Block block, Map<Value, Matrix> element, double length) {
        var maps = new BlockMaps(points);
        maps.add(block.channels(), element, length);
        return action.movedWeights(maps.elements(action));
    }
}
