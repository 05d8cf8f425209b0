package org.isoloss.decomposition;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.FlowAction;
import org.isoloss.action.SmoothCutoff;
import org.isoloss.action.VectorField;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Networks;
import org.isoloss.network.Support;

/** Networks with families to be taken apart. */
record Decomposed(String name, OutputCoordinates coordinates) {
    static List<Decomposed> all() {
        return List.of(
                of("sigmoid, k = 1, H = 3", 1, Activation.SIGMOID, 1, 1, 3, 1),
                of("sigmoid, k = 2, H = 5", 2, Activation.SIGMOID, 2, 2, 5, 2),
                of("tanh, k = 3, H = 12", 3, Activation.TANH, 3, 2, 12, 1));
    }

    private static Decomposed of(String name, long seed, Activation activation, int inputs, int... widths) {
        var random = new SplittableRandom(seed);
        return new Decomposed(
                name,
                OutputCoordinates.choose(
                        Networks.random(random, activation, false, widths),
                        Networks.gaussian(random, inputs, widths[0])));
    }

    @Override
    public String toString() {
        return name;
    }

    int protectedInputs() {
        return coordinates.inputs().rows();
    }

    /** A third of a turn in the plane of the first and the last component of z. */
    OutputPreservingFamily twist() {
        return TwistFamily.of(coordinates, 1, 0, coordinates.movingCount() - 1, 1.0 / 3);
    }

    /** A random direction of norm 1, projected and cut off. */
    OutputPreservingFamily flow() {
        var random = new SplittableRandom(17);
        ModelTarget target = DenseTarget.outputs(
                coordinates.network(), Support.all(coordinates.network().layout()), coordinates.inputs());
        double[] origin = coordinates.network().parameters();
        Matrix direction = Networks.gaussian(random, 1, origin.length);
        VectorField field = VectorField.constant(
                direction.scaled(0.5 / direction.frobeniusNorm()).entries());
        return OutputPreservingFamily.flow(FlowAction.of(
                        target, SmoothCutoff.of(origin, coordinates.radii(1)).times(field))
                .withTolerance(1e-12));
    }

    /** At distances from 0 to 1 from the network, in units of the radii, and a last point outside the support. */
    Matrix points(int count) {
        var random = new SplittableRandom(23);
        double[] origin = coordinates.network().parameters();
        double[] radii = coordinates.radii(1);
        Matrix points = Matrix.zeros(count, origin.length);
        for (int row = 0; row < count; row++) {
            double[] normal = Networks.gaussian(random, 1, origin.length).entries();
            double norm = Math.sqrt(Arrays.stream(normal).map(x -> x * x).sum());
            double distance = row == count - 1 ? 1.5 : (double) row / count;
            for (int i = 0; i < origin.length; i++) {
                points.set(row, i, origin[i] + distance * radii[i] * normal[i] / norm);
            }
        }
        return points;
    }
}
