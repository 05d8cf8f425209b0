package org.isoloss.network;

import java.util.SplittableRandom;
import java.util.function.Function;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.ModelTarget;

/** The recording of a target on random values and tangents, beside what the target itself computes. */
final class RecordedTarget {
    /** Values and tangents in any order, with several tangents of a value, one or none. */
    private static final int[] KINDS = {-1, 2, -1, 0, -1, 2};

    private final DifferentiableTarget target;
    private final Function<double[], Matrix> jacobian;
    private final Graph graph = new Graph();
    private final Tensor parameters;
    private final Tensor recorded;
    private final Tensor loss;
    private final Program program;

    /**
     * Records a target.
     *
     * @param jacobian of the target at a point
     * @param origin around which the values are drawn
     */
    RecordedTarget(DifferentiableTarget target, Function<double[], Matrix> jacobian, double[] origin, long seed) {
        this.target = target;
        this.jacobian = jacobian;
        parameters = graph.differentiableInput(KINDS.length, target.parameterCount());
        recorded = target.record(graph, Jet.of(parameters, KINDS)).stacked();
        loss = graph.innerProduct(0.5, recorded, recorded);
        program = graph.compile(Precision.FLOAT64);
        var random = new SplittableRandom(seed);
        for (int i = 0; i < parameters.size(); i++) {
            boolean value = KINDS[i / origin.length] < 0;
            program.set(
                    parameters,
                    i,
                    value ? origin[i % origin.length] + 0.3 * random.nextGaussian() : random.nextGaussian());
        }
        program.forward();
    }

    static RecordedTarget of(ModelTarget target) {
        return new RecordedTarget(target, target::jacobian, target.origin(), 41);
    }

    static RecordedTarget of(SiteCoordinates coordinates) {
        return new RecordedTarget(coordinates, coordinates::jacobian, coordinates.origin(), 43);
    }

    Program program() {
        return program;
    }

    Tensor parameters() {
        return parameters;
    }

    /** Half the squared norm of all recorded values and tangents. */
    Tensor loss() {
        return loss;
    }

    /** The largest difference between recorded values and those of the target. */
    double errorOfValues() {
        Matrix points = program.get(parameters);
        Matrix outputs = target.outputs(points);
        double worst = 0;
        for (int row = 0; row < KINDS.length; row++) {
            if (KINDS[row] < 0) {
                worst = Math.max(worst, distance(row, outputs.row(row)));
            }
        }
        return worst;
    }

    /** The largest difference between recorded tangents and products of the Jacobian. */
    double errorOfTangents() {
        Matrix points = program.get(parameters);
        double worst = 0;
        for (int row = 0; row < KINDS.length; row++) {
            if (KINDS[row] >= 0) {
                double[] point = points.row(KINDS[row]);
                Matrix direction = Matrix.over(point.length, 1, points.row(row));
                worst = Math.max(
                        worst,
                        distance(row, jacobian.apply(point).times(direction).entries()));
            }
        }
        return worst;
    }

    private double distance(int row, double[] expected) {
        double[] found = program.get(recorded).row(row);
        double worst = 0;
        for (int i = 0; i < expected.length; i++) {
            worst = Math.max(worst, Math.abs(found[i] - expected[i]));
        }
        return worst;
    }
}
