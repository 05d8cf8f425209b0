package org.isoloss.decomposition;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.isoloss.action.FlowAction;
import org.isoloss.action.SmoothCutoff;
import org.isoloss.action.VectorField;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.Networks;

/** Networks with families to be taken apart. */
record Decomposed(String name, Matrix inputs, OutputCoordinates coordinates, UnaryOperator<double[]> outputs) {
    static List<Decomposed> all() {
        return List.of(
                of("sigmoid, k = 1, H = 3", 1, Activation.SIGMOID, 1, 1, 3, 1),
                of("sigmoid, k = 2, H = 5", 2, Activation.SIGMOID, 2, 2, 5, 2),
                of("tanh, k = 3, H = 12", 3, Activation.TANH, 3, 2, 12, 1),
                gated());
    }

    /** A gate, one input, four units of which each has two rows and two outgoing weights. */
    private static Decomposed gated() {
        var random = new SplittableRandom(4);
        GatedBlock block = GatedBlock.of(
                Activation.SILU,
                DenseLayer.of(Networks.gaussian(random, 4, 2)),
                DenseLayer.of(Networks.gaussian(random, 4, 2)),
                DenseLayer.of(Networks.gaussian(random, 2, 4)));
        Matrix batch = Networks.gaussian(random, 1, 2);
        int[] places = block.incident(0, 1, 2, 3);
        return new Decomposed(
                "gated, k = 1, H = 4",
                batch,
                OutputCoordinates.choose(new GatedRows(block, MovingRows.GATE_AND_UP), batch),
                theta -> {
                    double[] parameters = new double[theta.length];
                    for (int i = 0; i < theta.length; i++) {
                        parameters[places[i]] = theta[i];
                    }
                    GatedBlock moved = block.withParameters(parameters);
                    return moved.outgoing(0, 1, 2, 3)
                            .times(moved.features(moved.augmented(batch), 0, 1, 2, 3))
                            .entries();
                });
    }

    private static Decomposed of(String name, long seed, Activation activation, int inputs, int... widths) {
        var random = new SplittableRandom(seed);
        DenseNetwork network = Networks.random(random, activation, false, widths);
        Matrix batch = Networks.gaussian(random, inputs, widths[0]);
        return new Decomposed(
                name,
                batch,
                OutputCoordinates.choose(network.block(0), batch),
                theta -> network.outputs(inOrderOfLayers(theta, widths), batch).entries());
    }

    /** The weights unit by unit as a network without biases has them: first all that enters, then all that leaves. */
    private static double[] inOrderOfLayers(double[] theta, int... widths) {
        double[] weights = new double[theta.length];
        int size = widths[0] + widths[2];
        for (int unit = 0; unit < widths[1]; unit++) {
            for (int i = 0; i < size; i++) {
                int place = i < widths[0]
                        ? unit * widths[0] + i
                        : widths[1] * widths[0] + (i - widths[0]) * widths[1] + unit;
                weights[place] = theta[unit * size + i];
            }
        }
        return weights;
    }

    @Override
    public String toString() {
        return name;
    }

    int protectedInputs() {
        return inputs.rows();
    }

    /** A third of a turn in the plane of the first and the last component of z. */
    OutputPreservingFamily twist() {
        return TwistFamily.of(coordinates, 1, 0, coordinates.movingCount() - 1, 1.0 / 3);
    }

    /** A random direction of norm 1, projected and cut off. */
    OutputPreservingFamily flow() {
        var random = new SplittableRandom(17);
        double[] origin = coordinates.origin();
        Matrix direction = Networks.gaussian(random, 1, origin.length);
        VectorField field = VectorField.constant(
                direction.scaled(0.5 / direction.frobeniusNorm()).entries());
        return OutputPreservingFamily.flow(FlowAction.of(
                        coordinates.outputs(),
                        SmoothCutoff.of(origin, coordinates.radii(1)).times(field))
                .withTolerance(1e-12));
    }

    /** At distances from 0 to 1 from the network, in units of the radii, and a last point outside the support. */
    Matrix points(int count) {
        var random = new SplittableRandom(23);
        double[] origin = coordinates.origin();
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
