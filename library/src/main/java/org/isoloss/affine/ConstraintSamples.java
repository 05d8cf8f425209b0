package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;

/** Sampled points with the Jacobians there, drawn as they are asked for: point k is the same whatever was asked before. */
final class ConstraintSamples {
    private final Architecture architecture;
    private final Sampling sampling;
    private final NetworkJacobian network;
    private final SplittableRandom parameterStream;
    private final SplittableRandom inputStream;
    private final double[] deviations;
    private final List<double[]> points = new ArrayList<>();
    private final List<Matrix> jacobians = new ArrayList<>();

    ConstraintSamples(Architecture architecture, Sampling sampling, long seed) {
        this.architecture = architecture;
        this.sampling = sampling;
        this.network = new NetworkJacobian(architecture);
        SplittableRandom streams = new SplittableRandom(seed);
        this.parameterStream = streams.split();
        this.inputStream = streams.split();
        this.deviations = deviations(architecture, sampling);
    }

    /**
     * The standard deviation of every parameter. A bias has that of the weights beside it; in a homogeneous network times
     * the unit of what they multiply: with inputs and weights, all sums of a layer then grow by one factor.
     */
    static double[] deviations(Architecture architecture, Sampling sampling) {
        boolean homogeneous = architecture.activations().stream().allMatch(activation -> activation.degree() > 0);
        double[] units = new double[architecture.layerCount()]; // of what each layer receives
        units[0] = homogeneous ? sampling.inputScale() : 1;
        for (int layer = 1; layer < units.length; layer++) {
            units[layer] = homogeneous
                    ? Math.pow(
                            sampling.weightScale() * units[layer - 1],
                            architecture.activations().get(layer - 1).degree())
                    : 1;
        }
        return architecture.parameters().stream()
                .mapToDouble(parameter -> sampling.weightScale()
                        * (parameter.isBias() ? units[parameter.layer()] : 1)
                        / Math.sqrt(architecture.widths().get(parameter.layer())))
                .toArray();
    }

    /** Returns the parameters of a point; not to be modified. */
    double[] point(int index) {
        drawTo(index);
        return points.get(index);
    }

    /** Returns the derivatives of all outputs for the inputs of a point, shape (inputs per vector * m, p). */
    Matrix jacobian(int index) {
        drawTo(index);
        return jacobians.get(index);
    }

    int rowsPerPoint() {
        return sampling.inputsPerVector() * architecture.outputs();
    }

    NetworkJacobian network() {
        return network;
    }

    private void drawTo(int index) {
        while (points.size() <= index) {
            double[] theta = new double[deviations.length];
            for (int a = 0; a < theta.length; a++) {
                theta[a] = deviations[a] * parameterStream.nextGaussian();
            }
            Matrix jacobian = Matrix.zeros(rowsPerPoint(), theta.length);
            for (int i = 0; i < sampling.inputsPerVector(); i++) {
                double[] input = new double[architecture.inputs()];
                for (int k = 0; k < input.length; k++) {
                    input[k] = sampling.inputScale() * inputStream.nextGaussian();
                }
                network.fill(theta, input, jacobian, i * architecture.outputs());
            }
            points.add(theta);
            jacobians.add(jacobian.requireFinite("Jacobian of sampled point " + (index + 1)));
        }
    }
}
