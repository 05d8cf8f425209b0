package org.isoloss.installation;

import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.SiteCoordinates;

/** A planted defect: an action that leaves the outgoing weights alone. */
record Uncompensated(GroupAction whole, SiteCoordinates site) implements GroupAction {
    @Override
    public Generators generators() {
        return whole.generators();
    }

    @Override
    public int parameterCount() {
        return whole.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        return withoutOutgoing(whole.apply(elements, parameters), parameters);
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Matrix zero = Matrix.zeros(parameters.rows(), parameters.columns());
        return withoutOutgoing(whole.derivative(elements, directions, parameters), zero);
    }

    private Matrix withoutOutgoing(Matrix moved, Matrix instead) {
        for (int row = 0; row < moved.rows(); row++) {
            for (int i = 0; i < site.outgoingCount(); i++) {
                moved.set(row, i, instead.get(row, i));
            }
        }
        return moved;
    }
}
