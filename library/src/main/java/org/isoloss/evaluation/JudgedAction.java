package org.isoloss.evaluation;

import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.isoloss.action.GroupAction;
import org.isoloss.action.TrainedAction;
import org.isoloss.discovery.Problem;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Calibration;
import org.isoloss.network.PointSampler;

/**
 * What is judged: an action, however it was made, with what it should preserve, where, and in which units.
 *
 * @param action the action
 * @param target the function to be preserved; a {@link org.isoloss.model.SplitTarget} is also judged by its cancellation
 * @param points where parameters are drawn
 * @param calibration the units of parameters and outputs, fixed before training
 */
public record JudgedAction(GroupAction action, Target target, PointSampler points, Calibration calibration) {
    /** Refuses parts that do not belong together. */
    public JudgedAction {
        if (action.parameterCount() != target.parameterCount() || points.parameterCount() != target.parameterCount()) {
            throw new IllegalArgumentException(
                    "JudgedAction: the action moves %d parameters, the target has %d and the points have %d; expected one number"
                            .formatted(action.parameterCount(), target.parameterCount(), points.parameterCount()));
        }
    }

    /**
     * Judges an action by the problem that it was made for.
     *
     * @param action the action
     * @param problem with its target, points and scales
     * @return both together
     */
    public static JudgedAction of(GroupAction action, Problem problem) {
        return new JudgedAction(
                action,
                problem.target(),
                problem.points(),
                new Calibration(problem.parameterScale(), problem.outputScale()));
    }

    /** The same with memory of its own, for another thread, where the action is a trained one. */
    JudgedAction copy() {
        return action instanceof TrainedAction trained
                ? new JudgedAction(trained.copy(), target, points, calibration)
                : this;
    }

    /** The directions of the group with norm 1, in which words are drawn: a radius means the same at every scale of generators. */
    Generators directions() {
        return action.generators().normalised();
    }

    /** The same action at points that lie farther apart, in the same units. */
    JudgedAction widened(double factor) {
        return new JudgedAction(action, target, points.widened(factor), calibration);
    }

    /** Draws parameters, shape (count, p). */
    Matrix draw(SplittableRandom random, int count) {
        int columns = points.parameterCount();
        Matrix drawn = Matrix.zeros(count, columns);
        for (int row = 0; row < count; row++) {
            points.draw(random, drawn.entries(), row * columns);
        }
        return drawn;
    }

    /** The action at points that an earlier application may have thrown out of the numbers. */
    JudgedOrbits at(Matrix from) {
        return JudgedOrbits.of(action, from);
    }

    /** The action with one element for each point. */
    Matrix moved(Matrix elements, Matrix from) {
        return at(from).moved(elements);
    }

    Matrix outputs(Matrix at) {
        return whereFinite(at, target::outputs);
    }

    /**
     * Evaluates a function of rows without handing it a row that is not finite, which it might refuse: such a row is
     * replaced by zeros, and its result by NaN.
     */
    static Matrix whereFinite(Matrix rows, UnaryOperator<Matrix> function) {
        MaskedRows finite = MaskedRows.of(rows);
        return finite.marked(function.apply(finite.rows()));
    }
}
