package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.action.FieldDerivative;
import org.isoloss.action.ParameterDerivative;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/** Matrices on column vectors, {@code a(g, theta) = g theta}: the first example of the paper's appendix. */
record LinearAction(Generators generators) implements FieldDerivative, ParameterDerivative {
    static LinearAction of(Matrix... generators) {
        return new LinearAction(Generators.normalising(List.of(generators)));
    }

    @Override
    public int parameterCount() {
        return generators.size();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        int size = generators.size();
        Matrix moved = Matrix.zeros(parameters.rows(), size);
        for (int row = 0; row < parameters.rows(); row++) {
            Matrix point = Matrix.over(size, 1, parameters.row(row));
            Rows.set(
                    moved,
                    row,
                    Matrix.over(size, size, elements.row(row)).times(point).entries());
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        return apply(directions, parameters);
    }

    @Override
    public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
        return apply(directions, velocities);
    }

    @Override
    public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
        return apply(elements, velocities);
    }
}
