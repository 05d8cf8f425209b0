package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;

/** Points of a dense network, drawn as they are asked for. */
final class ConstraintSamples implements SampledConstraints {
    static final double CURVED_FROM = 0.01;
    static final double CURVED_TO = 15;

    private final Architecture architecture;
    private final Sampling sampling;
    private final DrawnNetwork network;
    private final SplittableRandom parameterStream;
    private final SplittableRandom inputStream;
    private final double[] deviations;
    private final List<double[]> points = new ArrayList<>();
    private final List<Matrix> jacobians = new ArrayList<>();
    private double nearestKink = Double.POSITIVE_INFINITY;
    private long smooth;
    private long curved;

    ConstraintSamples(Architecture architecture, Sampling sampling, long seed) {
        this.architecture = architecture;
        this.sampling = sampling;
        this.network = new DrawnNetwork(architecture, sampling.inputsPerVector());
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

    @Override
    public double[] point(int index) {
        drawTo(index);
        return points.get(index);
    }

    @Override
    public Matrix jacobian(int index) {
        drawTo(index);
        return jacobians.get(index);
    }

    @Override
    public int rowsPerPoint() {
        return sampling.inputsPerVector() * architecture.outputs();
    }

    /** Layers that are 0 throughout, behind dead units alone, do not count. */
    @Override
    public double nearestKink() {
        return nearestKink;
    }

    @Override
    public double curvedShare() {
        return smooth == 0 ? 1 : (double) curved / smooth;
    }

    private void drawTo(int index) {
        while (points.size() <= index) {
            double[] theta = new double[deviations.length];
            for (int a = 0; a < theta.length; a++) {
                theta[a] = deviations[a] * parameterStream.nextGaussian();
            }
            double[] inputs = new double[sampling.inputsPerVector() * architecture.inputs()];
            for (int k = 0; k < inputs.length; k++) {
                inputs[k] = sampling.inputScale() * inputStream.nextGaussian();
            }
            points.add(theta);
            jacobians.add(network.jacobian(theta, inputs).requireFinite("Jacobian of sampled point " + points.size()));
            lookAt(network.sums(theta, inputs));
        }
    }

    private void lookAt(List<double[]> sums) {
        for (int layer = 0; layer < architecture.layerCount() - 1; layer++) {
            HiddenActivation activation = architecture.activations().get(layer);
            double[] sizes = Arrays.stream(sums.get(layer)).map(Math::abs).toArray();
            if (activation.isTranscendental()) {
                smooth += sizes.length;
                curved += Arrays.stream(sizes)
                        .filter(size -> size >= CURVED_FROM && size <= CURVED_TO)
                        .count();
            }
            int width = architecture.widths().get(layer + 1);
            for (int at = 0; activation.isPiecewiseLinear() && at < sizes.length; at += width) {
                DoubleSummaryStatistics row =
                        Arrays.stream(sizes, at, at + width).summaryStatistics();
                if (row.getMax() > 0) { // a layer fed by dead units alone is 0 throughout, and constrains nothing
                    nearestKink = Math.min(nearestKink, row.getMin() / row.getMax());
                }
            }
        }
    }
}
