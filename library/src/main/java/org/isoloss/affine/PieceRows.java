package org.isoloss.affine;

import java.math.BigInteger;
import java.util.Optional;
import org.isoloss.exact.ModularRank;
import org.isoloss.network.ParameterLayout;

/**
 * The exact constraints at one integer point of a network of linear, power and piecewise linear layers. The pieces on which
 * the point lies are found with integers, the Jacobian there modulo the prime.
 */
final class PieceRows implements ExactRows {
    private static final long PRIME = ModularRank.PRIME;

    private final long[] theta;
    private final long[][] jacobian;

    private PieceRows(long[] theta, long[][] jacobian) {
        this.theta = theta;
        this.jacobian = jacobian;
    }

    /** Returns the rows, or nothing when the point lies on a kink, where there is no derivative. */
    static Optional<PieceRows> at(Architecture architecture, int[] theta, int[] input) {
        ParameterLayout layout = architecture.layout();
        int layers = architecture.layerCount();
        BigInteger[] exact = new BigInteger[input.length];
        long[][] values = new long[layers][];
        long[][] slopes = new long[layers][];
        values[0] = residues(input);
        for (int k = 0; k < input.length; k++) {
            exact[k] = BigInteger.valueOf(input[k]);
        }
        BigInteger denominator = BigInteger.ONE;
        for (int layer = 0; layer < layers - 1; layer++) {
            HiddenActivation activation = architecture.activations().get(layer);
            BigInteger[] sums = sums(layout, layer, theta, exact, denominator);
            values[layer + 1] = new long[sums.length];
            slopes[layer] = new long[sums.length];
            exact = new BigInteger[sums.length];
            long[] residues = sums(layout, layer, theta, values[layer]);
            for (int unit = 0; unit < sums.length; unit++) {
                long z = residues[unit];
                switch (activation) {
                    case HiddenActivation.Power power -> {
                        long below = power(z, power.exponent() - 1);
                        slopes[layer][unit] = power.exponent() * below % PRIME;
                        values[layer + 1][unit] = below * z % PRIME;
                        exact[unit] = sums[unit].pow(power.exponent());
                    }
                    case HiddenActivation.PiecewiseLinear piecewise -> {
                        if (sums[unit].signum() == 0) {
                            return Optional.empty();
                        }
                        int inverse = piecewise.inverseSlope();
                        boolean above = sums[unit].signum() > 0;
                        long below = inverse == 0 ? 0 : ModularRank.residue(1, inverse);
                        slopes[layer][unit] = above ? 1 : below;
                        values[layer + 1][unit] = slopes[layer][unit] * z % PRIME;
                        exact[unit] = sums[unit].multiply(
                                BigInteger.valueOf(above ? Math.max(1, inverse) : Math.min(1, inverse)));
                    }
                    case HiddenActivation.Smooth smooth ->
                        throw new IllegalArgumentException(
                                "PieceRows: " + smooth.label() + " has no exact value at an integer");
                }
            }
            denominator = switch (activation) {
                case HiddenActivation.Power power -> denominator.pow(power.exponent());
                case HiddenActivation.PiecewiseLinear piecewise ->
                    denominator.multiply(BigInteger.valueOf(Math.max(1, piecewise.inverseSlope())));
                case HiddenActivation.Smooth _ -> denominator;
            };
        }
        return Optional.of(new PieceRows(residues(theta), jacobian(architecture, residues(theta), values, slopes)));
    }

    /** Sums whose sign is that of the pre-activations: those times a positive common denominator. */
    private static BigInteger[] sums(
            ParameterLayout layout, int layer, int[] theta, BigInteger[] incoming, BigInteger denominator) {
        ParameterLayout.Entry weight = layout.weight(layer);
        BigInteger[] sums = new BigInteger[weight.rows()];
        for (int unit = 0; unit < sums.length; unit++) {
            int row = unit;
            BigInteger sum = layout.bias(layer)
                    .map(bias -> denominator.multiply(BigInteger.valueOf(theta[bias.index(row, 0)])))
                    .orElse(BigInteger.ZERO);
            for (int j = 0; j < incoming.length; j++) {
                sum = sum.add(incoming[j].multiply(BigInteger.valueOf(theta[weight.index(unit, j)])));
            }
            sums[unit] = sum;
        }
        return sums;
    }

    private static long[] sums(ParameterLayout layout, int layer, int[] theta, long[] incoming) {
        ParameterLayout.Entry weight = layout.weight(layer);
        long[] sums = new long[weight.rows()];
        for (int unit = 0; unit < sums.length; unit++) {
            int row = unit;
            long sum = layout.bias(layer)
                    .map(bias -> Math.floorMod((long) theta[bias.index(row, 0)], PRIME))
                    .orElse(0L);
            for (int j = 0; j < incoming.length; j++) {
                sum = (sum + incoming[j] * Math.floorMod((long) theta[weight.index(unit, j)], PRIME)) % PRIME;
            }
            sums[unit] = sum;
        }
        return sums;
    }

    private static long[][] jacobian(Architecture architecture, long[] theta, long[][] values, long[][] slopes) {
        ParameterLayout layout = architecture.layout();
        int outputs = architecture.outputs();
        long[][] jacobian = new long[outputs][theta.length];
        for (int c = 0; c < outputs; c++) {
            long[] sensitivity = new long[outputs];
            sensitivity[c] = 1;
            for (int layer = architecture.layerCount() - 1; layer >= 0; layer--) {
                ParameterLayout.Entry weight = layout.weight(layer);
                long[] before = new long[weight.columns()];
                for (int unit = 0; unit < weight.rows(); unit++) {
                    for (int j = 0; j < weight.columns(); j++) {
                        int index = weight.index(unit, j);
                        jacobian[c][index] = sensitivity[unit] * values[layer][j] % PRIME;
                        before[j] = (before[j] + sensitivity[unit] * theta[index]) % PRIME;
                    }
                    if (layout.bias(layer).isPresent()) {
                        jacobian[c][layout.bias(layer).get().index(unit, 0)] = sensitivity[unit];
                    }
                }
                for (int j = 0; j < before.length && layer > 0; j++) {
                    before[j] = before[j] * slopes[layer - 1][j] % PRIME;
                }
                sensitivity = before;
            }
        }
        return jacobian;
    }

    private static long[] residues(int[] integers) {
        long[] residues = new long[integers.length];
        for (int i = 0; i < integers.length; i++) {
            residues[i] = Math.floorMod((long) integers[i], PRIME);
        }
        return residues;
    }

    private static long power(long z, int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power = power * z % PRIME;
        }
        return power;
    }

    @Override
    public int count() {
        return jacobian.length;
    }

    @Override
    public long coefficient(int row, int a, int b) {
        return b < theta.length ? jacobian[row][a] * theta[b] % PRIME : jacobian[row][a];
    }
}
