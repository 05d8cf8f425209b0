package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * Brings weights nearer to goals by small elements of the Lie groups of all blocks together, by Gauss and Newton's method: what
 * activations do not show, such as the scale of a unit that is never active, weights do.
 */
final class WeightFit {
    /** As many coordinates are fitted together. */
    static final int MOST = 600;

    private static final int ROUNDS = 30;
    private static final int HALVINGS = 8;
    private static final double DIFFERENCE = 1e-5;
    private static final double DONE = 1e-15;

    private final GroupSearch found;
    private final SequencedMap<Value, Affine> begun;
    private final Map<Value, int[]> orders;
    private final double[] goal;
    private final List<Coordinate> coordinates = new ArrayList<>();

    /**
     * One coordinate: an element of a block.
     *
     * @param channels of the block
     * @param maps near the identity
     */
    private record Coordinate(Map<Value, int[]> channels, Map<Value, Matrix> maps) {}

    /**
     * Prepares the fit.
     *
     * @param found the groups
     * @param begun the maps so far, before blocks change places
     * @param orders how they then do, for each value
     * @param goal the parameters to be reached
     */
    WeightFit(GroupSearch found, SequencedMap<Value, Affine> begun, Map<Value, int[]> orders, double[] goal) {
        this.found = found;
        this.begun = begun;
        this.orders = orders;
        this.goal = goal;
        for (GroupFactor factor : found.factors()) {
            if (factor instanceof GroupFactor.Continuous continuous) {
                continuous
                        .blocks()
                        .forEach(block ->
                                block.basis().forEach(maps -> coordinates.add(new Coordinate(block.channels(), maps))));
            }
        }
    }

    /** Whether there are coordinates, and not too many. */
    boolean isFeasible() {
        return !coordinates.isEmpty() && coordinates.size() <= MOST;
    }

    /** Fits; the maps are those so far where nothing comes nearer. */
    SequencedMap<Value, Affine> fitted() {
        double[] at = new double[coordinates.size()];
        double[] residual = residual(at);
        double distance = norm(residual);
        double size = norm(goal);
        for (int round = 0; round < ROUNDS && distance > DONE * size; round++) {
            Matrix slopes = Matrix.zeros(goal.length, at.length);
            for (int i = 0; i < at.length; i++) {
                double[] ahead = at.clone();
                double[] behind = at.clone();
                ahead[i] += DIFFERENCE;
                behind[i] -= DIFFERENCE;
                double[] one = residual(ahead);
                double[] other = residual(behind);
                for (int row = 0; row < goal.length; row++) {
                    slopes.set(row, i, (one[row] - other[row]) / (2 * DIFFERENCE));
                }
            }
            Matrix step = LeastSquares.of(slopes, Matrix.over(residual.length, 1, residual), 1e-10)
                    .solution();
            double share = 1;
            double before = distance;
            for (int halving = 0; halving < HALVINGS; halving++, share /= 2) {
                double[] next = at.clone();
                for (int i = 0; i < next.length; i++) {
                    next[i] -= share * step.get(i, 0);
                }
                double[] left = residual(next);
                if (norm(left) < distance) {
                    at = next;
                    residual = left;
                    distance = norm(left);
                    break;
                }
            }
            if (distance > 0.9 * before) {
                break;
            }
        }
        return maps(at);
    }

    private static double norm(double[] vector) {
        double square = 0;
        for (double entry : vector) {
            square += entry * entry;
        }
        return Math.sqrt(square);
    }

    private double[] residual(double[] at) {
        double[] left = found.action().moved(maps(at));
        for (int i = 0; i < left.length; i++) {
            left[i] -= goal[i];
        }
        return left;
    }

    private SequencedMap<Value, Affine> maps(double[] at) {
        IdentityHashMap<Map<Value, int[]>, Map<Value, Matrix>> near = new IdentityHashMap<>();
        var step = new BlockMaps(found.points());
        List<Map<Value, int[]>> blocks = new ArrayList<>();
        for (int i = 0; i < at.length; i++) {
            Coordinate coordinate = coordinates.get(i);
            double weight = at[i];
            Map<Value, Matrix> own = near.computeIfAbsent(coordinate.channels(), channels -> {
                blocks.add(channels);
                return new LinkedHashMap<>();
            });
            coordinate.maps().forEach((value, map) -> own.merge(value, map.scaled(weight), Matrix::plus));
        }
        blocks.forEach(channels -> step.add(channels, Objects.requireNonNull(near.get(channels)), 1));
        SequencedMap<Value, Affine> maps = new LinkedHashMap<>(begun);
        step.elements(found.action()).forEach((value, map) -> maps.merge(value, map, Affine::then));
        orders.forEach((value, order) ->
                maps.compute(value, (_, map) -> (map == null ? Affine.identity(order.length) : map).rows(order)));
        return maps;
    }
}
