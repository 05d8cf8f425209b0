package org.isoloss.evaluation;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * A map of the additive group of numbers on the line, {@code a(t, theta)}; t is the upper right entry of
 * {@code [[1, t], [0, 1]]}.
 *
 * @param map (t, theta) to the moved theta
 * @param rate (t, theta) to the derivative in t
 */
record AdditiveMap(DoubleBinaryOperator map, DoubleBinaryOperator rate) implements GroupAction {
    /** The paper's map with the identity and complete, compatible generators, and yet no action. */
    static final AdditiveMap PRESCRIBED = new AdditiveMap((t, theta) -> theta + t + t * t, (t, theta) -> 1 + 2 * t);

    /** What its generators integrate to. */
    static final AdditiveMap INTEGRATED = new AdditiveMap((t, theta) -> theta + t, (t, theta) -> 1);

    private static final Generators GENERATORS = Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0)));

    static Matrix element(double t) {
        return Matrix.of(1, 4, 1, t, 0, 1);
    }

    double at(double t, double theta) {
        return apply(element(t), Matrix.of(1, 1, theta)).get(0, 0);
    }

    @Override
    public Generators generators() {
        return GENERATORS;
    }

    @Override
    public int parameterCount() {
        return 1;
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            moved.set(row, 0, map.applyAsDouble(elements.get(row, 1), parameters.get(row, 0)));
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Matrix tangents = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double speed = rate.applyAsDouble(elements.get(row, 1), parameters.get(row, 0));
            tangents.set(row, 0, directions.get(row, 1) * speed);
        }
        return tangents;
    }
}
