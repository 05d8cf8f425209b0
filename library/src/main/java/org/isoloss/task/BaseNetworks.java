package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.task.NetworkSource.Start;

/** Small networks that a task makes on the spot, from its seed. */
final class BaseNetworks {
    /** A student as in appendix {@code app:one-generator-setup}: 3,000 steps against a teacher on Gaussian inputs. */
    private static final int STUDENT_STEPS = 3_000;

    /** The paper leaves the number of inputs and the rate open: a fixed batch, and Adam's usual rate. */
    private static final int STUDENT_INPUTS = 256;

    private static final double STUDENT_RATE = 1e-3;

    private BaseNetworks() {}

    static DenseNetwork make(NetworkSource source, List<Integer> widths, SplittableRandom random) {
        Activation activation = Activation.named(String.valueOf(source.activation()));
        boolean biases = Boolean.TRUE.equals(source.biases());
        Start start = source.start() == null ? Start.RANDOM : source.start();
        return switch (start) {
            case RANDOM -> random(activation, widths, biases, random);
            case IDENTITY -> identity(activation, widths, biases);
            case STUDENT -> student(activation, widths, biases, random);
        };
    }

    private static DenseNetwork random(
            Activation activation, List<Integer> widths, boolean biases, SplittableRandom random) {
        List<DenseLayer> layers = new ArrayList<>();
        for (int layer = 0; layer + 1 < widths.size(); layer++) {
            int in = widths.get(layer);
            int out = widths.get(layer + 1);
            double[] weight = new double[in * out];
            Arrays.setAll(weight, i -> random.nextGaussian() / Math.sqrt(in));
            double[] bias = new double[out];
            if (biases) {
                Arrays.setAll(bias, i -> random.nextGaussian() / Math.sqrt(in));
            }
            Matrix matrix = Matrix.over(out, in, weight);
            layers.add(biases ? DenseLayer.of(matrix, bias) : DenseLayer.of(matrix));
        }
        return new DenseNetwork(activation, layers);
    }

    private static DenseNetwork identity(Activation activation, List<Integer> widths, boolean biases) {
        List<DenseLayer> layers = new ArrayList<>();
        for (int layer = 0; layer + 1 < widths.size(); layer++) {
            if (!widths.get(layer).equals(widths.get(layer + 1))) {
                throw new IllegalArgumentException(
                        "network: start 'identity' needs equal widths, got %s".formatted(widths));
            }
            int size = widths.get(layer);
            layers.add(
                    biases
                            ? DenseLayer.of(Matrix.identity(size), new double[size])
                            : DenseLayer.of(Matrix.identity(size)));
        }
        return new DenseNetwork(activation, layers);
    }

    private static DenseNetwork student(
            Activation activation, List<Integer> widths, boolean biases, SplittableRandom random) {
        DenseNetwork teacher = random(activation, widths, biases, random.split());
        DenseNetwork student = random(activation, widths, biases, random.split());
        Matrix inputs = Matrix.gaussian(STUDENT_INPUTS, widths.getFirst(), random.split());
        var training = new DenseTraining(student, inputs, teacher.outputs(teacher.parameters(), inputs));
        training.runTo(STUDENT_STEPS, STUDENT_RATE);
        return training.network();
    }
}
