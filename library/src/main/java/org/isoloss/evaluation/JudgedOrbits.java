package org.isoloss.evaluation;

import org.isoloss.action.GroupAction;
import org.isoloss.action.OrbitMap;
import org.isoloss.linalg.Matrix;

/** An action at points some of which may not be finite: what it makes of these is NaN. */
record JudgedOrbits(OrbitMap map, MaskedRows points) {
    static JudgedOrbits of(GroupAction action, Matrix from) {
        MaskedRows points = MaskedRows.of(from);
        return new JudgedOrbits(action.at(points.rows()), points);
    }

    /** One element for each point or several, row i at point i mod n. */
    Matrix moved(Matrix elements) {
        return points.marked(map.apply(elements));
    }

    Matrix derivative(Matrix elements, Matrix directions) {
        return points.marked(map.derivative(elements, directions));
    }

    Matrix field(Matrix directions) {
        return points.marked(map.field(directions));
    }
}
