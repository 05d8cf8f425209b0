package org.isoloss.action;

import java.util.Arrays;
import org.hipparchus.exception.MathRuntimeException;
import org.hipparchus.ode.ODEState;
import org.hipparchus.ode.OrdinaryDifferentialEquation;
import org.hipparchus.ode.nonstiff.DormandPrince853Integrator;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.model.DifferentiableTarget;

/**
 * The one-parameter group that a field generates on the level sets of any differentiable {@code F_X}: at each point the field
 * is projected orthogonally onto the null space of {@code D F_X}, and the projection is integrated in float64. Nothing is
 * trained; beside a learned action it shows what the same motion costs when the conditions hold exactly.
 *
 * <pre>
 *   d theta / dt = [I - J^+ J] w(theta)      J = D F_X(theta)
 * </pre>
 *
 * <p>The group is R as matrices {@code [[1, t], [0, 1]]}. The integrator is the Runge-Kutta method of Dormand and Prince of
 * order 8 with adaptive steps; outputs, composition and inverse hold to about a hundred times its tolerance. Nothing pulls a
 * point back onto its level set: such a correction would depend on where a path was begun, and composition would be lost.
 *
 * <p>The flow is smooth where the rank of J is constant: where the singular values above 1e-8 of the largest keep their number.
 * A point on the path where that changes is reported with its t ({@link FlowPath}); {@link #apply} throws
 * {@link RankChangeException}. It is looked for at the ends of every step and inside, and closer where J changes fast, so
 * that a singular value that touches zero like an even power of t is found like one that crosses it. What is promised is
 * that J is looked at no less than 64 times along a path: a drop that shows at none of these places, because all of it
 * happens in less than about 1/64 of t and of a step, may be passed over. Where a singular value vanishes like the n-th power
 * of t, the t reported is where it falls below 1e-8 of the largest, about (1e-8)^(1/n) before it vanishes. At the kinks of
 * a piecewise linear network J jumps; the path goes on with the J beyond the kink when the rank is the same.
 *
 * @see "Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.10"
 */
public final class FlowAction implements GroupAction {
    /** The error allowed in a step, relative to the size of a coordinate, unless another is given. */
    public static final double DEFAULT_TOLERANCE = 1e-14;

    private static final int MOST_EVALUATIONS = 200_000;

    private static final AdditiveGroup GROUP = new AdditiveGroup(1);

    private final DifferentiableTarget target;
    private final VectorField field;
    private final double tolerance;

    private FlowAction(DifferentiableTarget target, VectorField field, double tolerance) {
        this.target = target;
        this.field = field;
        this.tolerance = tolerance;
    }

    /**
     * Makes the flow of a projected field.
     *
     * @param target the function to be preserved
     * @param field w, smooth, of as many parameters
     * @return the action of R
     */
    public static FlowAction of(DifferentiableTarget target, VectorField field) {
        return new FlowAction(target, field, DEFAULT_TOLERANCE);
    }

    /**
     * Integrates with another tolerance.
     *
     * @param newTolerance error allowed in a step, relative to the size of a coordinate, from 1e-15 to 1e-3
     * @return a new action
     */
    public FlowAction withTolerance(double newTolerance) {
        if (!(newTolerance >= 1e-15 && newTolerance <= 1e-3)) {
            throw new IllegalArgumentException(
                    "FlowAction.withTolerance: %s, expected a number from 1e-15 to 1e-3".formatted(newTolerance));
        }
        return new FlowAction(target, field, newTolerance);
    }

    @Override
    public Generators generators() {
        return GROUP.generators();
    }

    @Override
    public int parameterCount() {
        return target.parameterCount();
    }

    /**
     * Follows the flow from one point.
     *
     * @param time t, finite, of either sign
     * @param point where to start, length p, finite; not modified
     * @return where the path ended, with the reason
     */
    public FlowPath follow(double time, double[] point) {
        requirePoint(time, point);
        var watch = new RankWatch(target::jacobian, point.clone(), time);
        double[] first = projected(point, watch.rank());
        double scale = Math.max(rootMeanSquare(point), Math.abs(time) * rootMeanSquare(first));
        if (time == 0 || rootMeanSquare(first) == 0) {
            return path(FlowPath.Outcome.ARRIVED, watch, watch.last(), time, point.clone(), 0);
        }
        double[] absolute = filled(point.length, tolerance * scale);
        double[] relative = filled(point.length, tolerance);
        double length = Math.abs(time);
        var integrator = new DormandPrince853Integrator(1e-15 * length, length, absolute, relative);
        integrator.setMaxEvaluations(MOST_EVALUATIONS);
        integrator.addStepHandler(watch);
        try {
            double[] end = integrator
                    .integrate(new Equation(watch.rank()), new ODEState(0, point.clone()), time)
                    .getPrimaryState();
            return path(FlowPath.Outcome.ARRIVED, watch, watch.last(), time, end, integrator.getEvaluations());
        } catch (RankWatch.Stop stop) {
            RankWatch.Sample at = stop.at();
            return path(FlowPath.Outcome.RANK_CHANGED, watch, at, at.time(), at.point(), integrator.getEvaluations());
        } catch (MathRuntimeException noStep) {
            RankWatch.Sample at = watch.last();
            return path(FlowPath.Outcome.STUCK, watch, at, at.time(), at.point(), integrator.getEvaluations());
        }
    }

    private static FlowPath path(
            FlowPath.Outcome outcome,
            RankWatch watch,
            RankWatch.Sample at,
            double time,
            double[] point,
            int evaluations) {
        return new FlowPath(
                outcome,
                time,
                point,
                watch.rank(),
                watch.rankAt(at),
                at.values().clone(),
                evaluations);
    }

    private final class Equation implements OrdinaryDifferentialEquation {
        private final int rank;

        Equation(int rank) {
            this.rank = rank;
        }

        @Override
        public int getDimension() {
            return target.parameterCount();
        }

        @Override
        public double[] computeDerivatives(double time, double[] point) {
            return projected(point, rank);
        }
    }

    /** {@code [I - Q Q^T] w}, with Q an orthonormal basis of the first {@code rank} independent rows of J. */
    private double[] projected(double[] point, int rank) {
        double[] direction = field.at(point);
        if (direction.length != point.length) {
            throw new IllegalArgumentException("FlowAction: the field has %d components at a point of %d parameters"
                    .formatted(direction.length, point.length));
        }
        if (rank == 0) {
            return direction;
        }
        Matrix rows = PivotedQr.of(target.jacobian(point).transpose()).q();
        int columns = rows.columns();
        double[] kept = direction.clone();
        for (int pass = 0; pass < 2; pass++) { // twice, so that what is left of the rows is at rounding
            for (int j = 0; j < rank; j++) {
                double product = 0;
                for (int i = 0; i < kept.length; i++) {
                    product += rows.entries()[i * columns + j] * kept[i];
                }
                for (int i = 0; i < kept.length; i++) {
                    kept[i] -= product * rows.entries()[i * columns + j];
                }
            }
        }
        return kept;
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double time = GROUP.vector(elements, row)[0];
            Batches.setRow(moved, row, follow(time, parameters.row(row)).orThrow());
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, directions, parameters);
        Matrix tangents = apply(elements, parameters);
        for (int row = 0; row < tangents.rows(); row++) {
            double speed = GROUP.tangent(directions, row)[0];
            double[] tangent = value(tangents.row(row));
            Arrays.setAll(tangent, i -> speed * tangent[i]);
            Batches.setRow(tangents, row, tangent);
        }
        return tangents;
    }

    /**
     * Returns the projected field at one point.
     *
     * @param point length p, finite; not modified
     * @return length p, in the null space of {@code D F_X}
     */
    public double[] value(double[] point) {
        requirePoint(0, point);
        return projected(point, new RankWatch(target::jacobian, point, 0).rank());
    }

    private void requirePoint(double time, double[] point) {
        if (point.length != parameterCount() || !Double.isFinite(time)) {
            throw new IllegalArgumentException(
                    "FlowAction: %d parameters and t = %s, expected %d parameters and a finite t"
                            .formatted(point.length, time, parameterCount()));
        }
        Matrix.over(1, point.length, point).requireFinite("FlowAction: the point");
    }

    private static double rootMeanSquare(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm() / Math.sqrt(vector.length);
    }

    private static double[] filled(int length, double value) {
        double[] array = new double[length];
        Arrays.fill(array, value);
        return array;
    }
}
