package org.isoloss.evaluation;

import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/** The derivative {@code D_theta F_X} of what an action should preserve. */
@FunctionalInterface
public interface OutputJacobian {
    /**
     * Returns the Jacobian at one point.
     *
     * @param point theta, length p, finite; not modified
     * @return shape (m, p); the order of the rows does not matter
     */
    Matrix at(double[] point);

    /**
     * Differentiates a target in float64, by one tangent for each parameter.
     *
     * @param target to be differentiated
     * @return its Jacobian; not for several threads at once
     */
    static OutputJacobian of(DifferentiableTarget target) {
        int count = target.parameterCount();
        Graph graph = new Graph();
        Tensor point = graph.input(1, count);
        Tensor stacked = graph.concatenate(point, graph.constant(Matrix.identity(count)));
        int[] valueRows = new int[count + 1]; // every tangent belongs to row 0
        valueRows[0] = -1;
        Tensor outputs = target.record(graph, Jet.of(stacked, valueRows)).stacked();
        Program program = graph.compile(Precision.FLOAT64);
        return theta -> {
            program.set(point, theta);
            program.forward();
            return program.get(outputs).rows(1, count + 1).transpose();
        };
    }
}
