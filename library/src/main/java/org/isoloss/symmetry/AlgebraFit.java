package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Value;

/**
 * Fits an element of the Lie group of a block to what two networks compute: rotations by Procrustes' method, scales and shifts of
 * units by regression in the algebra, bases by regression.
 */
final class AlgebraFit {
    /** Regressed maps that explain less than this share of the other network's block are no change of basis. */
    private static final double EXPLAINED = 0.01;

    /** As many coordinates are fitted together; larger algebras have bases that regression finds. */
    private static final int MOST_FITTED = 8;

    /** Shifts in a basis of length 1 that are smaller, in units of the value's size, are rounding. */
    private static final double ROUNDING = 1e-9;

    private static final int ROUNDS = 60;
    private static final double DIFFERENCE = 1e-5;

    private final GroupSearch found;
    private final Map<Value, Matrix> ours;
    private final Map<Value, Matrix> theirs;
    private final WeightRows weights;
    private final Map<Value, Affine> known;

    /**
     * Prepares fits.
     *
     * @param found the groups of our network
     * @param ours what our network computes
     * @param theirs what the other computes on the same inputs
     * @param weights of both
     * @param known the maps of values that are fitted already, with the order in which blocks change places
     */
    AlgebraFit(
            GroupSearch found,
            Map<Value, Matrix> ours,
            Map<Value, Matrix> theirs,
            WeightRows weights,
            Map<Value, Affine> known) {
        this.found = found;
        this.ours = ours;
        this.theirs = theirs;
        this.weights = weights;
        this.known = known;
    }

    private Matrix own(Value value, Map<Value, int[]> channels) {
        return BlockMatch.columns(Objects.requireNonNull(ours.get(value)), Objects.requireNonNull(channels.get(value)));
    }

    private Matrix goal(Value value, Map<Value, int[]> channels) {
        return BlockMatch.columns(
                Objects.requireNonNull(theirs.get(value)), Objects.requireNonNull(channels.get(value)));
    }

    /**
     * Fits an element.
     *
     * @param block of our network
     * @param goal the channels of the other network's block that it is assigned to
     * @return the maps of the block's values; none where it stays
     */
    Map<Value, Affine> element(LinkAlgebra.Block block, Map<Value, int[]> goal) {
        boolean isUnit = block.channels().values().stream().allMatch(channels -> channels.length == 1);
        return isUnit
                ? unit(block, goal)
                : block.basis().size() <= MOST_FITTED
                        ? fitted(block, goal)
                        : basis(block.channels(), goal, block.channels().keySet());
    }

    /** Gauss and Newton's method in the coordinates of the algebra. */
    private Map<Value, Affine> fitted(LinkAlgebra.Block block, Map<Value, int[]> goal) {
        int elements = block.basis().size();
        double[] at = new double[elements];
        double[] residual = residual(block, goal, at);
        for (int round = 0; round < ROUNDS; round++) {
            Matrix slopes = Matrix.zeros(residual.length, elements);
            for (int i = 0; i < elements; i++) {
                double[] ahead = at.clone();
                double[] behind = at.clone();
                ahead[i] += DIFFERENCE;
                behind[i] -= DIFFERENCE;
                double[] one = residual(block, goal, ahead);
                double[] other = residual(block, goal, behind);
                for (int row = 0; row < residual.length; row++) {
                    slopes.set(row, i, (one[row] - other[row]) / (2 * DIFFERENCE));
                }
            }
            Matrix step = LeastSquares.of(slopes, Matrix.over(residual.length, 1, residual), 1e-9)
                    .solution();
            double length = step.frobeniusNorm();
            for (int i = 0; i < elements; i++) {
                at[i] -= step.get(i, 0) / Math.max(1, length);
            }
            residual = residual(block, goal, at);
            if (length < 1e-14) {
                break;
            }
        }
        return exponential(block, at);
    }

    private static Map<Value, Affine> exponential(LinkAlgebra.Block block, double[] at) {
        Map<Value, Affine> maps = new LinkedHashMap<>();
        block.channels().forEach((value, channels) -> {
            Matrix near = Matrix.zeros(channels.length, channels.length + 1);
            for (int i = 0; i < at.length; i++) {
                near = near.plus(
                        Objects.requireNonNull(block.basis().get(i).get(value)).scaled(at[i]));
            }
            maps.put(value, Affine.exponential(near));
        });
        return maps;
    }

    /** What the element leaves of all values, each over its size. */
    private double[] residual(LinkAlgebra.Block block, Map<Value, int[]> goal, double[] at) {
        Map<Value, Affine> maps = exponential(block, at);
        return block.channels().keySet().stream()
                .flatMapToDouble(value -> {
                    Matrix other = goal(value, goal);
                    Matrix moved = Objects.requireNonNull(maps.get(value)).applied(own(value, block.channels()));
                    double size = other.frobeniusNorm();
                    return Arrays.stream(
                            size == 0
                                    ? new double[0] // never active
                                    : moved.minus(other).scaled(1 / size).entries());
                })
                .toArray();
    }

    /** Fits an element of a classical group. */
    Map<Value, Affine> element(WideBlock.Found block, Map<Value, int[]> goal) {
        return switch (block.classical()) {
            case ROTATIONS, ROTATIONS_THAT_KEEP_ONES -> rotated(block, goal);
            case SCALES -> Map.of(); // fitted with the rotation of what is scaled
            case BASES, ROTARY_HALVES, ROTARY_NEIGHBOURS ->
                basis(block.channels(), goal, block.movedChannels().keySet());
        };
    }

    /** The same rotation before and after a norm; what parameters scale by their own numbers moves by what fits. */
    private Map<Value, Affine> rotated(WideBlock.Found block, Map<Value, int[]> goal) {
        Matrix rotation = rotation(block, goal);
        Map<Value, Affine> maps = new LinkedHashMap<>();
        block.movedChannels()
                .forEach((value, channels) -> maps.put(
                        value,
                        block.isScaled(value)
                                ? scaled(block, value, rotation)
                                : new Affine(rotation, new double[channels.length])));
        return maps;
    }

    /** What is scaled goes from our scales to those of the other network. */
    private Affine scaled(WideBlock.Found block, Value value, Matrix rotation) {
        double[] before = block.scales(value, weights, false);
        double[] after = block.scales(value, weights, true);
        int n = before.length;
        Matrix matrix = Matrix.zeros(n, n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                matrix.set(i, j, after[i] * rotation.get(i, j) / before[j]);
            }
        }
        return new Affine(matrix, new double[n]);
    }

    /** One rotation for all values that move alike. */
    private Matrix rotation(WideBlock.Found block, Map<Value, int[]> goal) {
        int n = block.width();
        Matrix cross = Matrix.zeros(n, n);
        for (Value value : block.movedAlike()) {
            Matrix one = own(value, block.channels());
            Matrix other = goal(value, goal);
            cross = cross.plus(other.transpose().times(one).scaled(1 / Math.max(one.frobeniusNorm(), 1e-300)));
        }
        if (block.classical() == WideBlock.Classical.ROTATIONS_THAT_KEEP_ONES) {
            cross = keepingOnes(cross);
        }
        Svd svd = Svd.of(cross);
        return svd.left().times(svd.right().transpose());
    }

    /** What lies along ones goes to ones, and the rest to the rest. */
    private static Matrix keepingOnes(Matrix cross) {
        int n = cross.rows();
        Matrix centred = Matrix.identity(n);
        Matrix ones = Matrix.zeros(n, n);
        for (int i = 0; i < n * n; i++) {
            centred.entries()[i] -= 1.0 / n;
            ones.entries()[i] = 1.0 / n;
        }
        Matrix rest = centred.times(cross).times(centred);
        return rest.plus(ones.scaled(Math.max(rest.frobeniusNorm(), Double.MIN_NORMAL)));
    }

    /** Slopes and intercepts of all values, as nearly as one element of the algebra has them. */
    private Map<Value, Affine> unit(LinkAlgebra.Block block, Map<Value, int[]> goal) {
        List<double[]> rows = new ArrayList<>();
        List<Double> right = new ArrayList<>();
        int elements = block.basis().size();
        for (Value value : block.channels().keySet()) {
            Matrix one = own(value, block.channels());
            Matrix other = goal(value, goal);
            double size = one.frobeniusNorm() / Math.sqrt(one.rows());
            if (size == 0) {
                continue; // never active on these inputs, which say nothing of it
            }
            boolean hasShift = block.basis().stream()
                    .anyMatch(element ->
                            Math.abs(Objects.requireNonNull(element.get(value)).get(0, 1)) > ROUNDING * size);
            var regression = new Regression(hasShift);
            for (int row = 0; row < one.rows(); row++) {
                regression.add(one.get(row, 0), other.get(row, 0));
            }
            double slope = Math.abs(regression.slope(1));
            if (!(slope > 0) || !Double.isFinite(slope)) {
                continue;
            }
            double length = Math.log(slope);
            double shift = regression.intercept() * (Math.abs(slope - 1) < 1e-12 ? 1 : length / (slope - 1));
            double[] scales = new double[elements];
            double[] shifts = new double[elements];
            for (int i = 0; i < elements; i++) {
                Matrix map = Objects.requireNonNull(block.basis().get(i).get(value));
                scales[i] = map.get(0, 0);
                shifts[i] = map.get(0, 1) / size;
            }
            rows.add(scales);
            right.add(length);
            if (hasShift) {
                rows.add(shifts);
                right.add(shift / size);
            }
        }
        if (rows.isEmpty()) {
            return Map.of();
        }
        Matrix design = Matrix.zeros(rows.size(), elements);
        Matrix goals = Matrix.zeros(rows.size(), 1);
        for (int i = 0; i < rows.size(); i++) {
            System.arraycopy(rows.get(i), 0, design.entries(), i * elements, elements);
            goals.set(i, 0, right.get(i));
        }
        Matrix weights = LeastSquares.of(design, goals, 1e-9).solution();
        return exponential(block, weights.column(0));
    }

    /** What goes in by least squares, and what comes out as it follows from that. */
    private Map<Value, Affine> basis(Map<Value, int[]> block, Map<Value, int[]> goal, Set<Value> values) {
        Map<Value, int[]> free = new LinkedHashMap<>();
        block.forEach((value, channels) -> {
            if (values.contains(value) && found.cut().results().contains(value)) {
                free.put(value, channels);
            }
        });
        Map<Value, Affine> maps = regressed(free, goal);
        return maps.isEmpty() ? maps : found.completed(block, maps);
    }

    /** Each value's map by least squares, as near the identity as it may be; where it is no change of basis, the block stays. */
    private Map<Value, Affine> regressed(Map<Value, int[]> channels, Map<Value, int[]> goal) {
        Map<Value, Affine> maps = new LinkedHashMap<>();
        for (Value value : channels.keySet()) {
            Matrix one = own(value, channels);
            Matrix other = goal(value, goal);
            WeightRows.Pair rows = weights.of(value, known);
            Affine map = rows == null
                    ? AffineFit.of(one).nearest(one, other)
                    : nearest(
                            one,
                            other,
                            BlockMatch.columns(rows.ours(), Objects.requireNonNull(channels.get(value))),
                            BlockMatch.columns(rows.theirs(), Objects.requireNonNull(goal.get(value))));
            if (map.applied(one).minus(other).frobeniusNorm() > EXPLAINED * other.frobeniusNorm()) {
                return Map.of();
            }
            double[] singular = Svd.valuesOf(map.matrix());
            if (singular[singular.length - 1] <= 1e-6 * singular[0]) {
                return Map.of();
            }
            maps.put(value, map);
        }
        return maps;
    }

    /** The map nearest to the identity, with rows that move by the matrix alone, which count as much as all others together. */
    private static Affine nearest(Matrix one, Matrix other, Matrix linearOne, Matrix linearOther) {
        int n = one.columns();
        double size = Math.max(one.frobeniusNorm(), Double.MIN_NORMAL);
        double linearSize = Math.max(linearOne.frobeniusNorm(), Double.MIN_NORMAL);
        Matrix design = Matrix.zeros(one.rows() + linearOne.rows(), n + 1);
        Matrix goal = Matrix.zeros(design.rows(), n);
        for (int i = 0; i < design.rows(); i++) {
            boolean isLinear = i >= one.rows();
            int row = isLinear ? i - one.rows() : i;
            for (int j = 0; j < n; j++) {
                double before = isLinear ? linearOne.get(row, j) / linearSize : one.get(row, j) / size;
                double after = isLinear ? linearOther.get(row, j) / linearSize : other.get(row, j) / size;
                design.set(i, j, before);
                goal.set(i, j, after - before);
            }
            design.set(i, n, isLinear ? 0 : 1 / Math.sqrt(one.rows()));
        }
        Matrix solution = LeastSquares.of(design, goal, 1e-10).solution().transpose();
        for (int i = 0; i < n; i++) {
            solution.set(i, n, solution.get(i, n) * size / Math.sqrt(one.rows()));
        }
        return AffineFit.besideIdentity(solution);
    }
}
