package org.isoloss.evaluation;

import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * An action with planted defects: {@code a(g, theta) + shift + size sin(theta + e)}, less its value at the identity, where e
 * is the sum of the squared entries of g - I. The shift breaks the identity, the rest the composition.
 *
 * @param exact what is perturbed
 * @param shift added to every coordinate
 * @param size of the wave
 */
record PerturbedAction(GroupAction exact, double shift, double size) implements GroupAction {
    @Override
    public Generators generators() {
        return exact.generators();
    }

    @Override
    public int parameterCount() {
        return exact.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Matrix moved = exact.apply(elements, parameters).copy();
        for (int row = 0; row < moved.rows(); row++) {
            double square = 0;
            for (int i = 0; i < elements.columns(); i++) {
                square += step(elements, row, i) * step(elements, row, i);
            }
            for (int i = 0; i < moved.columns(); i++) {
                double theta = parameters.get(row, i);
                double wave = Math.sin(theta + square) - Math.sin(theta);
                moved.set(row, i, moved.get(row, i) + shift + size * wave);
            }
        }
        return moved;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Matrix tangents = exact.derivative(elements, directions, parameters).copy();
        for (int row = 0; row < tangents.rows(); row++) {
            double square = 0;
            double rate = 0;
            for (int i = 0; i < elements.columns(); i++) {
                square += step(elements, row, i) * step(elements, row, i);
                rate += 2 * step(elements, row, i) * directions.get(row, i);
            }
            for (int i = 0; i < tangents.columns(); i++) {
                double wave = Math.cos(parameters.get(row, i) + square) * rate;
                tangents.set(row, i, tangents.get(row, i) + size * wave);
            }
        }
        return tangents;
    }

    private double step(Matrix elements, int row, int i) {
        return elements.get(row, i) - (i % (generators().size() + 1) == 0 ? 1 : 0);
    }
}
