package org.isoloss.model;

import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.linalg.Matrix;

/**
 * What a model computes, where one tensor moves and others compensate: {@code F = Y_C + Y_B} with the moving contribution
 * {@code Y_C(theta) = F(theta_C, theta_B at the origin)} and the rest {@code Y_B}. So the moving change is the change of the
 * protected outputs if the first tensor alone moved: motion that these outputs do not see counts for nothing.
 */
public final class CompensatedTarget implements DifferentiableTarget, SplitTarget {
    private final ModelTarget whole;
    private final int first;

    /**
     * Splits a target.
     *
     * @param whole of at least two moving tensors, of which the first one moves and the others compensate
     */
    public CompensatedTarget(ModelTarget whole) {
        this.whole = whole;
        this.first = whole.moving().places().firstEntry().getValue().length;
        if (first == whole.parameterCount()) {
            throw new IllegalArgumentException("CompensatedTarget: only one tensor moves, and nothing compensates");
        }
    }

    @Override
    public int parameterCount() {
        return whole.parameterCount();
    }

    @Override
    public int outputCount() {
        return whole.outputCount();
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        return whole.outputs(parameters);
    }

    @Override
    public Matrix movingOutputs(Matrix parameters) {
        Matrix alone = Matrix.zeros(parameters.rows(), parameters.columns());
        double[] origin = whole.origin();
        for (int row = 0; row < parameters.rows(); row++) {
            int at = row * origin.length;
            System.arraycopy(parameters.entries(), at, alone.entries(), at, first);
            System.arraycopy(origin, first, alone.entries(), at + first, origin.length - first);
        }
        return whole.outputs(alone);
    }

    @Override
    public Matrix compensatingOutputs(Matrix parameters) {
        return outputs(parameters).minus(movingOutputs(parameters));
    }

    @Override
    public Jet record(Graph graph, Jet parameters) {
        return whole.record(graph, parameters);
    }

    @Override
    public Matrix jacobian(double[] point) {
        return whole.jacobian(point);
    }
}
