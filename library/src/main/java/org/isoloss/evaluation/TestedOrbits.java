package org.isoloss.evaluation;

import org.isoloss.action.GroupAction;
import org.isoloss.action.OrbitMap;
import org.isoloss.linalg.Matrix;

/** An action at points some of which may not be finite: what it makes of these is NaN. */
record TestedOrbits(OrbitMap map, FiniteRows points) {
    static TestedOrbits of(GroupAction action, Matrix from) {
        FiniteRows points = FiniteRows.of(from);
        return new TestedOrbits(action.at(points.rows()), points);
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
