package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/** A smooth map with the identity but no other law: {@code theta + B (g - I) + (theta . C (g - I)^2)}, entry by entry. */
final class LawlessAction implements GroupAction {
    private static final Generators GENERATORS =
            Generators.normalising(List.of(Matrix.of(2, 2, 0.3, -1, 0.8, 0.1), Matrix.of(2, 2, 0.5, 0.2, -0.1, -0.4)));
    private static final double[][] LINEAR = {
        {0.4, -0.3, 0.2, 0.6}, {-0.5, 0.7, 0.1, -0.2}, {0.3, 0.3, -0.8, 0.1}, {0.2, -0.6, 0.4, 0.9}
    };

    @Override
    public Generators generators() {
        return GENERATORS;
    }

    @Override
    public int parameterCount() {
        return 4;
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Matrix moved = parameters.copy();
        for (int row = 0; row < parameters.rows(); row++) {
            for (int i = 0; i < 4; i++) {
                double sum = 0;
                for (int j = 0; j < 4; j++) {
                    double step = elements.get(row, j) - (j % 3 == 0 ? 1 : 0);
                    sum += LINEAR[i][j] * (step + parameters.get(row, i) * step * step);
                }
                moved.set(row, i, moved.get(row, i) + sum);
            }
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Matrix tangents = Matrix.zeros(parameters.rows(), 4);
        for (int row = 0; row < parameters.rows(); row++) {
            for (int i = 0; i < 4; i++) {
                double sum = 0;
                for (int j = 0; j < 4; j++) {
                    double step = elements.get(row, j) - (j % 3 == 0 ? 1 : 0);
                    sum += LINEAR[i][j] * directions.get(row, j) * (1 + 2 * parameters.get(row, i) * step);
                }
                tangents.set(row, i, sum);
            }
        }
        return tangents;
    }
}
