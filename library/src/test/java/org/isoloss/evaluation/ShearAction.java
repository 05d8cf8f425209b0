package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * The exact action of R on {@link ScalarSite}: t moves v, c and d by t and w so that the output stays. Defects are planted
 * by overriding how one row moves, or its velocity. The group is {@code [[1, t], [0, 1]]}.
 */
class ShearAction implements GroupAction {
    private static final Generators GENERATORS = Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0)));

    @Override
    public final Generators generators() {
        return GENERATORS;
    }

    @Override
    public final int parameterCount() {
        return 4;
    }

    @Override
    public final Matrix apply(Matrix elements, Matrix parameters) {
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double[] point = move(elements.get(row, 1), parameters.row(row));
            System.arraycopy(point, 0, moved.entries(), row * point.length, point.length);
        }
        return moved;
    }

    @Override
    public final Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Matrix tangents = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            double[] velocity = velocity(elements.get(row, 1), parameters.row(row));
            for (int i = 0; i < velocity.length; i++) {
                tangents.set(row, i, directions.get(row, 1) * velocity[i]);
            }
        }
        return tangents;
    }

    /** How far v, c and d move at time t; a smaller speed moves less. */
    double vSpeed() {
        return 1;
    }

    double nullSpeed() {
        return 1;
    }

    /** The share of the change of the moving unit's output that is compensated. */
    double compensation() {
        return 1;
    }

    double[] move(double t, double[] point) {
        double x = ScalarSite.PROTECTED.input();
        double v = point[ScalarSite.V];
        double after = v + vSpeed() * t;
        double change = ScalarSite.sigmoid(after * x) - ScalarSite.sigmoid(v * x);
        return new double[] {
            point[ScalarSite.W] - compensation() * ScalarSite.OUTGOING * change / ScalarSite.COMPENSATING,
            after,
            point[ScalarSite.C] + nullSpeed() * t,
            point[ScalarSite.D] + nullSpeed() * t
        };
    }

    double[] velocity(double t, double[] point) {
        double x = ScalarSite.PROTECTED.input();
        double sigmoid = ScalarSite.sigmoid((point[ScalarSite.V] + vSpeed() * t) * x);
        double slope = sigmoid * (1 - sigmoid) * x * vSpeed();
        return new double[] {
            -compensation() * ScalarSite.OUTGOING * slope / ScalarSite.COMPENSATING, vSpeed(), nullSpeed(), nullSpeed()
        };
    }
}
