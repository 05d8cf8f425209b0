package org.isoloss.affine;

import java.util.Optional;

/**
 * The equations {@code J [A b] (theta, 1) = 0} at one integer point for the verifier, with J by one forward derivative for
 * each parameter. Networks with transcendental layers are expanded along {@code t theta} in powers of t.
 */
final class ForwardPoint {
    private static final long PRIME = PrimeElimination.PRIME;
    private static final int SERIES_LENGTH = 13;

    private final int length;
    private final long[] theta;

    /** Derivative of output c in parameter a, coefficient of t^k at {@code [a][c * length + k]}. */
    private final long[][] derivatives;

    private ForwardPoint(int length, long[] theta, long[][] derivatives) {
        this.length = length;
        this.theta = theta;
        this.derivatives = derivatives;
    }

    /** Returns the equations, or nothing when the point lies on a kink; not for networks with both kinds of layers. */
    static Optional<ForwardPoint> at(CertificateContent content, int[] theta, int[] input) {
        boolean analytic = content.activations.stream().anyMatch(TaylorSeries::isTranscendental);
        boolean pieces = content.activations.stream().anyMatch(name -> name.endsWith("relu"));
        boolean[][] above = new boolean[content.activations.size()][];
        if (pieces && !signs(content, theta, input, above)) {
            return Optional.empty();
        }
        ForwardDerivative forward = new ForwardDerivative(content, theta, input, analytic ? SERIES_LENGTH : 1, above);
        long[][] derivatives = new long[theta.length][];
        long[] residues = new long[theta.length];
        for (int a = 0; a < theta.length; a++) {
            derivatives[a] = forward.in(a);
            residues[a] = Math.floorMod((long) theta[a], PRIME);
        }
        return Optional.of(new ForwardPoint(analytic ? SERIES_LENGTH : 1, residues, derivatives));
    }

    /** Finds on which side of its kink every unit is; false when one lies on it. */
    private static boolean signs(CertificateContent content, int[] theta, int[] input, boolean[][] above) {
        Fraction[] values = new Fraction[input.length];
        for (int k = 0; k < input.length; k++) {
            values[k] = Fraction.of(input[k]);
        }
        int offset = 0;
        for (int layer = 0; layer < content.activations.size(); layer++) {
            int width = content.widths.get(layer + 1);
            String activation = content.activations.get(layer);
            Fraction[] next = new Fraction[width];
            above[layer] = new boolean[width];
            for (int unit = 0; unit < width; unit++) {
                Fraction sum = content.biases.get(layer)
                        ? Fraction.of(theta[offset + width * values.length + unit])
                        : Fraction.ZERO;
                for (int j = 0; j < values.length; j++) {
                    sum = sum.plus(values[j].times(Fraction.of(theta[offset + unit * values.length + j])));
                }
                above[layer][unit] = sum.numerator().signum() > 0;
                if (activation.endsWith("relu") && sum.isZero()) {
                    return false;
                }
                next[unit] = switch (activation) {
                    case "relu" -> above[layer][unit] ? sum : Fraction.ZERO;
                    case "leaky_relu" -> above[layer][unit] ? sum : sum.over(Fraction.of(100));
                    default -> {
                        Fraction power = sum;
                        for (int i = 1; activation.startsWith("z^") && i < activation.charAt(2) - '0'; i++) {
                            power = power.times(sum);
                        }
                        yield power;
                    }
                };
            }
            offset += width * values.length + (content.biases.get(layer) ? width : 0);
            values = next;
        }
        return true;
    }

    int rows() {
        return derivatives[0].length;
    }

    long coefficient(int row, int a, int b) {
        if (b == theta.length) {
            return derivatives[a][row];
        }
        if (length == 1) {
            return derivatives[a][row] * theta[b] % PRIME;
        }
        return row % length == 0 ? 0 : derivatives[a][row - 1] * theta[b] % PRIME;
    }
}
