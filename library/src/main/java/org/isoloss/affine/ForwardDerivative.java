package org.isoloss.affine;

/**
 * Forward derivatives of a network in single parameters, modulo the verifier's prime, in truncated series of t when the
 * parameters are {@code t theta} and as numbers when the length of the series is 1.
 */
final class ForwardDerivative {
    private static final long PRIME = PrimeElimination.PRIME;

    private final CertificateContent content;
    private final int length;
    private final long[] theta;
    private final int[] offsets;

    /** What each layer reads, and f' at each pre-activation. */
    private final long[][][] values;

    private final long[][][] slopes;

    ForwardDerivative(CertificateContent content, int[] theta, int[] input, int length, boolean[][] above) {
        this.content = content;
        this.length = length;
        this.theta = new long[theta.length];
        for (int a = 0; a < theta.length; a++) {
            this.theta[a] = Math.floorMod((long) theta[a], PRIME);
        }
        int layers = content.widths.size() - 1;
        this.offsets = new int[layers + 1];
        this.values = new long[layers][][];
        this.slopes = new long[layers][][];
        values[0] = new long[input.length][length];
        for (int k = 0; k < input.length; k++) {
            values[0][k][0] = Math.floorMod((long) input[k], PRIME);
        }
        for (int layer = 0; layer < layers; layer++) {
            int in = content.widths.get(layer);
            int out = content.widths.get(layer + 1);
            offsets[layer + 1] = offsets[layer] + in * out + (content.biases.get(layer) ? out : 0);
            if (layer < layers - 1) {
                values[layer + 1] = new long[out][];
                slopes[layer] = new long[out][];
                for (int unit = 0; unit < out; unit++) {
                    activate(layer, unit, sum(layer, unit, values[layer], true), above[layer]);
                }
            }
        }
    }

    private void activate(int layer, int unit, long[] sum, boolean[] above) {
        String activation = content.activations.get(layer);
        if (TaylorSeries.isTranscendental(activation)) {
            values[layer + 1][unit] = TaylorSeries.insert(TaylorSeries.of(activation, length), sum);
            slopes[layer][unit] = TaylorSeries.insert(TaylorSeries.slopeOf(activation, length), sum);
            return;
        }
        long[] slope = new long[length];
        slope[0] = 1;
        long[] value = sum;
        if (activation.startsWith("z^")) {
            int exponent = activation.charAt(2) - '0';
            for (int i = 1; i < exponent; i++) {
                slope = TaylorSeries.product(slope, sum);
            }
            value = TaylorSeries.product(slope, sum);
            for (int k = 0; k < length; k++) {
                slope[k] = slope[k] * exponent % PRIME;
            }
        } else if (activation.endsWith("relu") && !above[unit]) {
            slope[0] = activation.equals("relu") ? 0 : PrimeElimination.inverse(100);
            value = TaylorSeries.product(slope, sum);
        }
        values[layer + 1][unit] = value;
        slopes[layer][unit] = slope;
    }

    /** Weights times incoming series, times t where there is a t; with the bias for values, without for derivatives. */
    private long[] sum(int layer, int unit, long[][] incoming, boolean withBias) {
        long[] sum = new long[length];
        for (int j = 0; j < incoming.length; j++) {
            long weight = theta[offsets[layer] + unit * incoming.length + j];
            for (int k = 0; k < length; k++) {
                sum[k] = (sum[k] + weight * incoming[j][k]) % PRIME;
            }
        }
        if (withBias && content.biases.get(layer)) {
            int width = content.widths.get(layer + 1);
            sum[0] = (sum[0] + theta[offsets[layer] + width * incoming.length + unit]) % PRIME;
        }
        return length == 1 ? sum : TaylorSeries.timesVariable(sum);
    }

    /** The derivative of all outputs in one parameter, output by output. */
    long[] in(int parameter) {
        int layer = 0;
        while (parameter >= offsets[layer + 1]) {
            layer++;
        }
        int incoming = content.widths.get(layer);
        int place = parameter - offsets[layer];
        boolean bias = place >= incoming * content.widths.get(layer + 1);
        int unit = bias ? place - incoming * content.widths.get(layer + 1) : place / incoming;
        long[][] moving = new long[content.widths.get(layer + 1)][length];
        if (bias) {
            moving[unit][0] = 1;
        } else {
            moving[unit] = values[layer][place % incoming].clone();
        }
        for (int next = layer + 1; next < content.widths.size() - 1; next++) {
            for (int j = 0; j < moving.length; j++) {
                moving[j] = TaylorSeries.product(moving[j], slopes[next - 1][j]);
            }
            long[][] behind = new long[content.widths.get(next + 1)][];
            for (int i = 0; i < behind.length; i++) {
                behind[i] = sum(next, i, moving, false);
            }
            moving = behind;
        }
        long[] flat = new long[moving.length * length];
        for (int c = 0; c < moving.length; c++) {
            System.arraycopy(moving[c], 0, flat, c * length, length);
        }
        return flat;
    }
}
