package org.isoloss.task;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;

/**
 * Some numbers of a model of any kind moved, and others chosen so that the protected outputs stay: where the outputs are affine
 * in the compensating numbers, as in weights behind the last activation before a boundary, one linear system of least norm; by
 * Newton's method where they are not.
 *
 * @see "corollary cor:subnet-compensating-action of the paper"
 */
public final class ModelCompensation {
    private static final double RANK = 1e-10;
    private static final double SOLVED = 1e-9;
    private static final int MOST_STEPS = 12;

    private final ModelTarget target;
    private final boolean[] moves;
    private final double[] moved;
    private final double alone;
    private final double residual;
    private final double condition;
    private final int steps;

    private ModelCompensation(
            ModelTarget target,
            boolean[] moves,
            double[] moved,
            double alone,
            double residual,
            double condition,
            int steps) {
        this.target = target;
        this.moves = moves;
        this.moved = moved;
        this.alone = alone;
        this.residual = residual;
        this.condition = condition;
        this.steps = steps;
    }

    /**
     * Moves and compensates. What moves is rounded to its stored type first, so that only the rounding of the compensating
     * numbers is left.
     *
     * @param batch the protected inputs with the model
     * @param parts what moves, as {@link Moving} reads it
     * @param compensating what compensates, nothing of what moves
     * @param size of the change, relative to the norm of what moves; positive
     * @param random draws its direction; modified
     * @return the moved model
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when the outputs cannot be kept, with the numbers
     */
    public static ModelCompensation of(
            ModelBatch batch, List<String> parts, List<String> compensating, double size, SplittableRandom random)
            throws IOException {
        Moving free = batch.moving(parts);
        requireApart(free, batch.moving(compensating));
        List<String> both = new ArrayList<>(parts);
        both.addAll(compensating);
        Moving all = batch.moving(both);
        boolean[] moves = marked(all, free);
        ModelTarget target = ModelTarget.of(all, batch.batches());
        double[] point = changed(all, moves, size, random, types(batch, all));
        double[] wanted = outputs(target, target.origin());
        double scale = norm(wanted);
        double alone = norm(difference(outputs(target, point), wanted)) / scale;
        double residual = alone;
        double condition = Double.NaN;
        int step = 0;
        for (; step < MOST_STEPS && residual > SOLVED * 1e-4; step++) {
            Matrix jacobian = columns(target.jacobian(point), moves);
            double[] gap = difference(wanted, outputs(target, point));
            LeastSquares solved = LeastSquares.of(jacobian, Matrix.of(gap.length, 1, gap), RANK);
            condition = step == 0 ? Svd.of(jacobian).condition() : condition;
            double[] next = point.clone();
            for (int i = 0, b = 0; i < next.length; i++) {
                next[i] += moves[i] ? 0 : solved.solution().get(b++, 0);
            }
            double after = norm(difference(outputs(target, next), wanted)) / scale;
            if (!(after < residual)) {
                break;
            }
            point = next;
            residual = after;
        }
        if (residual > SOLVED) {
            int rank = LeastSquares.of(
                            columns(target.jacobian(point), moves), Matrix.zeros(target.outputCount(), 1), RANK)
                    .rank();
            throw new IllegalArgumentException(
                    "%d protected output components move by %.1e of their norm, and the %d compensating numbers, which reach %d of them, leave %.1e; protect fewer inputs, let more compensate, or move less"
                            .formatted(target.outputCount(), alone, all.count() - free.count(), rank, residual));
        }
        return new ModelCompensation(target, moves, point, alone, residual, condition, step);
    }

    private static void requireApart(Moving free, Moving compensating) {
        free.places().forEach((name, places) -> {
            int[] others = compensating.places().getOrDefault(name, new int[0]);
            if (Arrays.stream(places).anyMatch(place -> Arrays.binarySearch(others, place) >= 0)) {
                throw new IllegalArgumentException("an entry of %s both moves and compensates".formatted(name));
            }
        });
    }

    private static boolean[] marked(Moving all, Moving free) {
        boolean[] moves = new boolean[all.count()];
        int next = 0;
        for (Map.Entry<String, int[]> tensor : all.places().entrySet()) {
            int[] chosen = free.places().getOrDefault(tensor.getKey(), new int[0]);
            for (int place : tensor.getValue()) {
                moves[next++] = Arrays.binarySearch(chosen, place) >= 0;
            }
        }
        return moves;
    }

    private static Map<String, ElementType> types(ModelBatch batch, Moving all) throws IOException {
        Map<String, ElementType> types = new HashMap<>();
        for (String name : all.places().keySet()) {
            types.put(name, batch.tensor(name).type());
        }
        return types;
    }

    private static double[] changed(
            Moving all, boolean[] moves, double size, SplittableRandom random, Map<String, ElementType> types) {
        double[] origin = all.origin();
        double[] direction = new double[origin.length];
        double weights = 0;
        double length = 0;
        for (int i = 0; i < origin.length; i++) {
            if (moves[i]) {
                direction[i] = random.nextGaussian();
                length = Math.hypot(length, direction[i]);
                weights = Math.hypot(weights, origin[i]);
            }
        }
        double[] changed = origin.clone();
        int next = 0;
        for (Map.Entry<String, int[]> tensor : all.places().entrySet()) {
            ElementType type = Objects.requireNonNull(types.get(tensor.getKey()));
            for (int i = 0; i < tensor.getValue().length; i++, next++) {
                if (moves[next]) {
                    changed[next] = type.nearest(origin[next] + size * weights / length * direction[next]);
                }
            }
        }
        return changed;
    }

    private static double[] outputs(ModelTarget target, double[] point) {
        return target.outputs(Matrix.of(1, point.length, point)).row(0);
    }

    private static Matrix columns(Matrix jacobian, boolean[] moves) {
        int count = 0;
        for (boolean moving : moves) {
            count += moving ? 0 : 1;
        }
        Matrix columns = Matrix.zeros(jacobian.rows(), count);
        for (int row = 0; row < jacobian.rows(); row++) {
            for (int i = 0, b = 0; i < moves.length; i++) {
                if (!moves[i]) {
                    columns.set(row, b++, jacobian.get(row, i));
                }
            }
        }
        return columns;
    }

    private static double[] difference(double[] left, double[] right) {
        double[] difference = new double[left.length];
        Arrays.setAll(difference, i -> left[i] - right[i]);
        return difference;
    }

    private static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }

    /** {@return the tensors with moved numbers, by name, row-major} */
    public Map<String, double[]> tensors() {
        return target.moving().tensors(moved);
    }

    /** {@return how many numbers move} */
    public int movingCount() {
        int count = 0;
        for (boolean moving : moves) {
            count += moving ? 1 : 0;
        }
        return count;
    }

    /** {@return how many numbers compensate} */
    public int compensatingCount() {
        return moves.length - movingCount();
    }

    /** {@return how many output components are protected} */
    public int outputCount() {
        return target.outputCount();
    }

    /** {@return how far the protected outputs would move if nothing compensated, relative to their norm} */
    public double alone() {
        return alone;
    }

    /** {@return how far they move before rounding, relative to their norm} */
    public double residual() {
        return residual;
    }

    /** {@return the condition number of the linear system} */
    public double condition() {
        return condition;
    }

    /** {@return how many linear systems were solved; 1 or 2 where the outputs are affine in what compensates} */
    public int steps() {
        return steps;
    }
}
