package org.isoloss.affine;

import org.isoloss.exact.ModularRank;
import org.isoloss.network.ParameterLayout;

/**
 * The exact constraints along a ray {@code t -> t theta} of a network with analytic activations. There {@code J(t theta) (t A
 * theta + b)} is a power series in t, and each of its coefficients must vanish: {@code J_(k-1) A theta + J_k b = 0}, with the
 * coefficients J_k of the Jacobian. They lie in a field of rational functions in at most one transcendental number, which
 * is replaced by a residue; the rank can only drop by that.
 */
final class SeriesRows implements ExactRows {
    static final int ORDER = 12;

    private static final long PRIME = ModularRank.PRIME;

    private final Architecture architecture;
    private final ParameterLayout layout;
    private final long[] theta;
    private final long[][][] jacobian; // output, parameter, order

    SeriesRows(Architecture architecture, int[] theta, int[] input) {
        this.architecture = architecture;
        this.layout = architecture.layout();
        this.theta = new long[theta.length];
        for (int a = 0; a < theta.length; a++) {
            this.theta[a] = Math.floorMod((long) theta[a], PRIME);
        }
        int layers = architecture.layerCount();
        long[][][] values = new long[layers][][];
        long[][][] slopes = new long[layers][][];
        values[0] = new long[input.length][ORDER + 1];
        for (int k = 0; k < input.length; k++) {
            values[0][k][0] = Math.floorMod((long) input[k], PRIME);
        }
        for (int layer = 0; layer < layers - 1; layer++) {
            long[] taylor = taylor(architecture.activations().get(layer));
            long[] slope = ModularSeries.derivative(taylor);
            int width = architecture.widths().get(layer + 1);
            values[layer + 1] = new long[width][];
            slopes[layer] = new long[width][];
            for (int unit = 0; unit < width; unit++) {
                long[] sum = preActivation(layer, unit, values[layer]);
                values[layer + 1][unit] = ModularSeries.composed(taylor, sum);
                slopes[layer][unit] = ModularSeries.composed(slope, sum);
            }
        }
        this.jacobian = jacobian(values, slopes);
    }

    private static long[] taylor(HiddenActivation activation) {
        return switch (activation) {
            case HiddenActivation.Power power -> {
                long[] taylor = new long[ORDER + 2];
                taylor[power.exponent()] = 1;
                yield taylor;
            }
            case HiddenActivation.Smooth smooth -> ModularSeries.taylor(smooth.activation(), ORDER + 1);
            case HiddenActivation.PiecewiseLinear piecewise ->
                throw new IllegalArgumentException("SeriesRows: " + piecewise.label() + " is not analytic at 0");
        };
    }

    private long[] preActivation(int layer, int unit, long[][] incoming) {
        ParameterLayout.Entry weight = layout.weight(layer);
        long[] sum = new long[ORDER + 1];
        if (layout.bias(layer).isPresent()) {
            sum[0] = theta[layout.bias(layer).get().index(unit, 0)];
        }
        for (int j = 0; j < incoming.length; j++) {
            sum = ModularSeries.sum(sum, ModularSeries.scaled(theta[weight.index(unit, j)], incoming[j]));
        }
        return ModularSeries.shifted(sum);
    }

    private long[][][] jacobian(long[][][] values, long[][][] slopes) {
        int outputs = architecture.outputs();
        long[][][] result = new long[outputs][theta.length][];
        for (int c = 0; c < outputs; c++) {
            long[][] sensitivity = new long[outputs][ORDER + 1];
            sensitivity[c][0] = 1;
            for (int layer = architecture.layerCount() - 1; layer >= 0; layer--) {
                ParameterLayout.Entry weight = layout.weight(layer);
                long[][] before = new long[weight.columns()][ORDER + 1];
                for (int unit = 0; unit < weight.rows(); unit++) {
                    for (int j = 0; j < weight.columns(); j++) {
                        int index = weight.index(unit, j);
                        result[c][index] = ModularSeries.product(sensitivity[unit], values[layer][j]);
                        before[j] = ModularSeries.sum(before[j], ModularSeries.scaled(theta[index], sensitivity[unit]));
                    }
                    if (layout.bias(layer).isPresent()) {
                        result[c][layout.bias(layer).get().index(unit, 0)] = sensitivity[unit];
                    }
                }
                for (int j = 0; j < before.length && layer > 0; j++) {
                    before[j] = ModularSeries.product(ModularSeries.shifted(before[j]), slopes[layer - 1][j]);
                }
                sensitivity = before;
            }
        }
        return result;
    }

    @Override
    public int count() {
        return jacobian.length * (ORDER + 1);
    }

    @Override
    public long coefficient(int row, int a, int b) {
        long[] series = jacobian[row / (ORDER + 1)][a];
        int order = row % (ORDER + 1);
        if (b == theta.length) {
            return series[order];
        }
        return order == 0 ? 0 : series[order - 1] * theta[b] % PRIME;
    }
}
