package org.isoloss.flow;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/**
 * The distance from numbers of a narrow type that leave the kept values nearly as they are. Rounding each number to the nearest
 * makes errors that add up; of the two neighbours of each number those are chosen here whose errors cancel in the kept values.
 * A flow that comes near to them is at weights whose nearest neighbours they are.
 *
 * @see "Nagel et al., Up or down? Adaptive rounding for post-training quantization, ICML 2020"
 */
public final class Rounding implements Objective {
    private static final int ROUNDS = 6;

    /** Within this part of a cell of every chosen number the flow is at its end. */
    private static final double NEAR = 0.05;

    private final double[] chosen;
    private final double[] cells;

    private Rounding(double[] chosen, double[] cells) {
        this.chosen = chosen;
        this.cells = cells;
    }

    /**
     * Chooses the numbers.
     *
     * @param target whose values are to stay
     * @param grid the type
     * @param origin where the flow begins, length p; not modified
     * @return half the square of the distance from them
     */
    public static Rounding of(DifferentiableTarget target, WeightGrid grid, double[] origin) {
        double[] cells = grid.cells(origin);
        double[] wanted = outputs(target, origin);
        double[] best = grid.rounded(origin);
        double least = Vectors.norm(Vectors.difference(outputs(target, best), wanted));
        double[] point = best.clone();
        for (int round = 0; round < ROUNDS; round++) {
            double[] gap = Vectors.difference(outputs(target, point), wanted);
            exchange(target.jacobian(point), gap, point, origin, cells);
            double left = Vectors.norm(Vectors.difference(outputs(target, point), wanted));
            if (!(left < least)) {
                break;
            }
            least = left;
            best = point.clone();
        }
        return new Rounding(best, cells);
    }

    private static double[] outputs(DifferentiableTarget target, double[] point) {
        return target.outputs(Matrix.of(1, point.length, point)).row(0);
    }

    /**
     * Exchanges neighbours, one after the other, as long as the gap becomes smaller, to first order.
     *
     * @param gap modified
     * @param point numbers of the type; modified
     */
    private static void exchange(Matrix jacobian, double[] gap, double[] point, double[] origin, double[] cells) {
        Matrix columns = jacobian.transpose();
        double[] squares = new double[point.length];
        for (int i = 0; i < squares.length; i++) {
            double norm = Vectors.norm(columns.row(i));
            squares[i] = norm * norm;
        }
        for (int exchanged = 0; exchanged < 4 * point.length; exchanged++) {
            double[] slopes = Blas.gemv(columns, false, gap);
            int best = -1;
            double gain = -1e-12 * Math.pow(Vectors.norm(gap), 2);
            for (int i = 0; i < point.length; i++) {
                double change = change(point[i], origin[i], cells[i]);
                double less = 2 * change * slopes[i] + change * change * squares[i];
                if (less < gain) {
                    gain = less;
                    best = i;
                }
            }
            if (best < 0) {
                return;
            }
            double change = change(point[best], origin[best], cells[best]);
            point[best] += change;
            double[] column = columns.row(best);
            Arrays.setAll(gap, k -> gap[k] + change * column[k]);
        }
    }

    /** To the neighbour on the other side of a number; 0 where the number is one of the type's. */
    private static double change(double rounded, double number, double cell) {
        double away = rounded - number;
        return Math.abs(away) < 1e-9 * cell ? 0 : away > 0 ? -cell : cell;
    }

    @Override
    public double value(double[] point) {
        double sum = 0;
        for (int i = 0; i < point.length; i++) {
            double away = cells[i] == 0 ? 0 : point[i] - chosen[i];
            sum += 0.5 * away * away;
        }
        return sum;
    }

    @Override
    public double[] gradient(double[] point) {
        double[] gradient = new double[point.length];
        Arrays.setAll(gradient, i -> cells[i] == 0 ? 0 : point[i] - chosen[i]);
        return gradient;
    }

    @Override
    public boolean isReached(double[] point) {
        for (int i = 0; i < point.length; i++) {
            if (Math.abs(point[i] - chosen[i]) > NEAR * cells[i] && cells[i] > 0) {
                return false;
            }
        }
        return true;
    }
}
