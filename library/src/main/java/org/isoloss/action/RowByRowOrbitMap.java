package org.isoloss.action;

import org.isoloss.linalg.Matrix;

/** The orbit map of an action that shares nothing between elements at one point. */
record RowByRowOrbitMap(GroupAction action, Matrix points) implements OrbitMap {
    @Override
    public Matrix apply(Matrix elements) {
        return action.apply(elements, repeated(elements));
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions) {
        return action.derivative(elements, directions, repeated(elements));
    }

    @Override
    public Matrix field(Matrix directions) {
        return action.field(directions, repeated(directions));
    }

    private Matrix repeated(Matrix matrices) {
        Batches.requireSeveral(action, matrices, points);
        return Batches.repeated(points, matrices.rows());
    }
}
