package org.isoloss.affine;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.ParameterLayout;

/**
 * Outputs of an architecture and their derivatives in the parameters, one input at a time, in float64. Unlike a {@link
 * org.isoloss.network.DenseNetwork} it allows a different activation in every layer, and powers.
 */
final class NetworkJacobian {
    static final double CURVED_FROM = 0.01;
    static final double CURVED_TO = 15;

    private final Architecture architecture;
    private final ParameterLayout layout;
    private double nearestKink = Double.POSITIVE_INFINITY;
    private long smooth;
    private long curved;

    NetworkJacobian(Architecture architecture) {
        this.architecture = architecture;
        this.layout = architecture.layout();
    }

    /** Returns the outputs. */
    double[] outputs(double[] theta, double[] input) {
        return forward(theta, input).sums[architecture.layerCount() - 1];
    }

    /**
     * Writes the derivatives of the outputs.
     *
     * @param theta parameters, length p; not modified
     * @param input length n; not modified
     * @param jacobian modified: output c goes to row {@code firstRow + c}, of p columns
     * @param firstRow from 0
     */
    void fill(double[] theta, double[] input, Matrix jacobian, int firstRow) {
        fill(theta, forward(theta, input), jacobian, firstRow);
    }

    /** Writes the derivatives where the values are known. */
    void fill(double[] theta, Forward forward, Matrix jacobian, int firstRow) {
        int outputs = architecture.outputs();
        double[][] sensitivity = new double[outputs][outputs]; // of the outputs in the layer's pre-activations
        for (int c = 0; c < outputs; c++) {
            sensitivity[c][c] = 1;
        }
        for (int layer = architecture.layerCount() - 1; layer >= 0; layer--) {
            ParameterLayout.Entry weight = layout.weight(layer);
            double[] incoming = forward.values[layer];
            int biasOffset =
                    layout.bias(layer).map(ParameterLayout.Entry::offset).orElse(-1);
            for (int c = 0; c < outputs; c++) {
                int start = (firstRow + c) * layout.size();
                for (int unit = 0; unit < weight.rows(); unit++) {
                    double factor = sensitivity[c][unit];
                    for (int j = 0; j < incoming.length; j++) {
                        jacobian.entries()[start + weight.offset() + unit * incoming.length + j] = factor * incoming[j];
                    }
                    if (biasOffset >= 0) {
                        jacobian.entries()[start + biasOffset + unit] = factor;
                    }
                }
            }
            if (layer > 0) {
                sensitivity = back(theta, weight, sensitivity, forward.sums[layer - 1], layer);
            }
        }
    }

    /**
     * Returns how close a pre-activation of a piecewise linear layer came to its kink, relative to the largest beside it;
     * layers that are 0 throughout, behind dead units alone, do not count.
     */
    double nearestKink() {
        return nearestKink;
    }

    /**
     * Returns which share of the pre-activations of transcendental layers was neither so small that the function is linear
     * to rounding nor so large that it is flat; 1 where there is no such layer.
     */
    double curvedShare() {
        return smooth == 0 ? 1 : (double) curved / smooth;
    }

    private double[][] back(
            double[] theta, ParameterLayout.Entry weight, double[][] sensitivity, double[] sums, int layer) {
        HiddenActivation activation = architecture.activations().get(layer - 1);
        double[][] before = new double[sensitivity.length][sums.length];
        for (int c = 0; c < sensitivity.length; c++) {
            for (int j = 0; j < sums.length; j++) {
                double sum = 0;
                for (int unit = 0; unit < weight.rows(); unit++) {
                    sum += sensitivity[c][unit] * theta[weight.offset() + unit * sums.length + j];
                }
                before[c][j] = sum * activation.first(sums[j]);
            }
        }
        return before;
    }

    /** Returns the values inside the network. */
    Forward forward(double[] theta, double[] input) {
        int layers = architecture.layerCount();
        Forward forward = new Forward(layers);
        double[] incoming = input;
        for (int layer = 0; layer < layers; layer++) {
            forward.values[layer] = incoming;
            double[] sums = affine(theta, layer, incoming);
            forward.sums[layer] = sums;
            if (layer < layers - 1) {
                incoming = activated(architecture.activations().get(layer), sums);
            }
        }
        return forward;
    }

    private double[] affine(double[] theta, int layer, double[] incoming) {
        ParameterLayout.Entry weight = layout.weight(layer);
        double[] sums = new double[weight.rows()];
        for (int unit = 0; unit < sums.length; unit++) {
            double sum = layout.bias(layer).isPresent()
                    ? theta[layout.bias(layer).get().offset() + unit]
                    : 0;
            for (int j = 0; j < incoming.length; j++) {
                sum += theta[weight.offset() + unit * incoming.length + j] * incoming[j];
            }
            sums[unit] = sum;
        }
        return sums;
    }

    private double[] activated(HiddenActivation activation, double[] sums) {
        double[] values = new double[sums.length];
        double largest = 0;
        double smallest = Double.POSITIVE_INFINITY;
        for (int unit = 0; unit < sums.length; unit++) {
            values[unit] = activation.value(sums[unit]);
            largest = Math.max(largest, Math.abs(sums[unit]));
            smallest = Math.min(smallest, Math.abs(sums[unit]));
        }
        switch (activation) {
            case HiddenActivation.PiecewiseLinear _ -> {
                if (largest > 0) { // a layer fed by dead units alone is 0 throughout, and constrains nothing
                    nearestKink = Math.min(nearestKink, smallest / largest);
                }
            }
            case HiddenActivation.Smooth _ -> {
                smooth += sums.length;
                curved += Arrays.stream(sums)
                        .map(Math::abs)
                        .filter(size -> size >= CURVED_FROM && size <= CURVED_TO)
                        .count();
            }
            case HiddenActivation.Power _ -> {}
        }
        return values;
    }

    /** What each layer reads, and what it computes before its activation. */
    static final class Forward {
        private final double[][] values;
        private final double[][] sums;

        private Forward(int layers) {
            values = new double[layers][];
            sums = new double[layers][];
        }

        /** What a layer receives; not to be modified. */
        double[] received(int layer) {
            return values[layer];
        }

        /** What a layer computes before its activation; not to be modified. */
        double[] sums(int layer) {
            return sums[layer];
        }
    }
}
