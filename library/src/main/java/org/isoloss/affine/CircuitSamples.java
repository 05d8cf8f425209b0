package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.CircuitFunction;
import org.isoloss.circuit.CircuitPoint;
import org.isoloss.linalg.Matrix;

/** Points of a circuit, drawn as they are asked for. */
final class CircuitSamples implements SampledConstraints {
    /** Points are up to so much larger than their deviations, so that smooth functions are seen where they bend. */
    private static final double LARGEST = 4;

    private static final double SINGLE = 0.5; // deviation of what is not a matrix, as biases

    private final Circuit circuit;
    private final Sampling sampling;
    private final SplittableRandom parameterStream;
    private final SplittableRandom inputStream;
    private final double[] deviations;
    private final List<double[]> points = new ArrayList<>();
    private final List<Matrix> jacobians = new ArrayList<>();
    private double nearestKink = Double.POSITIVE_INFINITY;
    private long smooth;
    private long curved;

    CircuitSamples(Circuit circuit, Sampling sampling, long seed) {
        this.circuit = circuit;
        this.sampling = sampling;
        SplittableRandom streams = new SplittableRandom(seed);
        this.parameterStream = streams.split();
        this.inputStream = streams.split();
        this.deviations = deviations(circuit, sampling);
    }

    /** A matrix or kernel has entries of variance 1 over the size of its rows. */
    static double[] deviations(Circuit circuit, Sampling sampling) {
        double[] deviations = new double[circuit.parameterCount()];
        List<Circuit.Tensor> tensors = circuit.tensorOfParameter();
        for (int a = 0; a < deviations.length; a++) {
            List<Integer> sizes = tensors.get(a).sizes();
            double deviation = sizes.size() < 2
                    ? SINGLE
                    : Math.sqrt((double) sizes.getFirst() / tensors.get(a).count());
            deviations[a] = sampling.weightScale() * deviation;
        }
        return deviations;
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
        return sampling.inputsPerVector() * circuit.outputs().size();
    }

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
            double size = Math.pow(LARGEST, parameterStream.nextDouble());
            Arrays.setAll(theta, a -> size * deviations[a] * parameterStream.nextGaussian());
            int outputs = circuit.outputs().size();
            Matrix jacobian = Matrix.zeros(rowsPerPoint(), theta.length);
            for (int i = 0; i < sampling.inputsPerVector(); i++) {
                double[] input = new double[circuit.inputs()];
                Arrays.setAll(input, _ -> sampling.inputScale() * inputStream.nextGaussian());
                CircuitPoint at = new CircuitPoint(circuit, theta, input);
                double[] rows = at.jacobian().entries();
                System.arraycopy(rows, 0, jacobian.entries(), i * outputs * theta.length, rows.length);
                lookAt(at);
            }
            points.add(theta);
            jacobians.add(jacobian.requireFinite("Jacobian of sampled point " + points.size()));
        }
    }

    private void lookAt(CircuitPoint at) {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (Circuit.Gate gate : circuit.gates()) {
            if (gate instanceof Circuit.Application(CircuitFunction function, int argument)) {
                double size = Math.abs(at.value(argument));
                if (function == CircuitFunction.RELU) {
                    least = Math.min(least, size);
                    most = Math.max(most, size);
                } else if (function.levelsOff()) {
                    smooth++;
                    curved += size >= ConstraintSamples.CURVED_FROM && size <= ConstraintSamples.CURVED_TO ? 1 : 0;
                }
            }
        }
        if (most > 0) {
            nearestKink = Math.min(nearestKink, least / most);
        }
    }
}
