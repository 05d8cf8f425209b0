package org.isoloss.affine;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.isoloss.affine.CertifiedCircuit.Gate;
import org.jspecify.annotations.Nullable;

/**
 * Forward derivatives of a certificate's circuit in single parameters at one integer point, modulo the verifier's prime, as
 * series along {@code t -> t theta} where the circuit has smooth functions.
 */
final class CertifiedSeries {
    private static final long PRIME = PrimeElimination.PRIME;
    private static final int SERIES_LENGTH = 13;

    /** The derivative of what does not move. */
    private static final long[] STILL = {};

    private final CertifiedCircuit circuit;
    private final Set<Integer> fixed;
    private final int length;
    private final long[][] values;
    private final long[][] slopes;
    private final CertifiedConstants constants;
    private final Map<String, long[][]> taylor = new HashMap<>();

    private CertifiedSeries(
            CertifiedCircuit circuit, Set<Integer> fixed, int[] theta, int[] input, boolean[] above, int length) {
        this.circuit = circuit;
        this.fixed = fixed;
        this.length = length;
        this.values = new long[circuit.gates.size()][];
        this.slopes = new long[values.length][];
        this.constants = new CertifiedConstants(circuit, input);
        for (int i = 0; i < values.length; i++) {
            Gate gate = circuit.gates.get(i);
            switch (gate.kind()) {
                case "parameter" ->
                    values[i] = power(fixed.contains(gate.first()) ? 0 : theta[gate.first()], length == 1 ? 0 : 1);
                case "input" -> values[i] = power(input[gate.first()], 0);
                case "constant" -> values[i] = power(residue(gate.constant()), 0);
                case "+" -> values[i] = sum(values[gate.first()], values[gate.second()]);
                case "*" -> values[i] = TaylorSeries.product(values[gate.first()], values[gate.second()]);
                case "relu" -> {
                    slopes[i] = power(above[i] ? 1 : 0, 0);
                    values[i] = above[i] ? values[gate.first()] : new long[length];
                }
                case "reciprocal" -> {
                    values[i] = reciprocal(values[gate.first()]);
                    slopes[i] = TaylorSeries.product(power(-1, 0), TaylorSeries.product(values[i], values[i]));
                }
                default -> apply(gate, i);
            }
        }
    }

    /** The length of all series. */
    static int length(CertifiedCircuit circuit) {
        return circuit.isSmooth() ? SERIES_LENGTH : 1;
    }

    /** Returns nothing where a ReLU lies on its kink, or it is not known that it does not. */
    static Optional<CertifiedSeries> at(CertifiedCircuit circuit, Set<Integer> fixed, int[] theta, int[] input) {
        boolean[] above = new boolean[0];
        if (circuit.has("relu")) {
            boolean @Nullable [] known = CertifiedSides.of(circuit, fixed, theta, input);
            if (known == null) {
                return Optional.empty();
            }
            above = known;
        }
        return Optional.of(new CertifiedSeries(circuit, fixed, theta, input, above, length(circuit)));
    }

    private void apply(Gate gate, int place) {
        long[] argument = values[gate.first()];
        boolean atOne = gate.kind().equals("log") || gate.kind().equals("root");
        if (!constants.is(gate.first(), atOne ? Fraction.ONE : Fraction.ZERO)) {
            throw new IllegalArgumentException("%s is expanded at %d alone, and gate %d needs it elsewhere"
                    .formatted(gate.kind(), atOne ? 1 : 0, place));
        }
        long[] inner = argument.clone();
        inner[0] = 0;
        long[][] known = taylor.computeIfAbsent(
                gate.kind(), kind -> new long[][] {TaylorSeries.of(kind, length), TaylorSeries.slopeOf(kind, length)});
        values[place] = TaylorSeries.insert(known[0], inner);
        slopes[place] = TaylorSeries.insert(known[1], inner);
    }

    private long[] power(long number, int order) {
        long[] series = new long[length];
        series[order] = Math.floorMod(number, PRIME);
        return series;
    }

    private static long residue(Fraction number) {
        BigInteger prime = BigInteger.valueOf(PRIME);
        long divisor = number.denominator().mod(prime).longValueExact();
        if (divisor == 0) {
            throw new IllegalArgumentException(
                    "a constant has a denominator that is divisible by the verifier's prime");
        }
        return number.numerator().mod(prime).longValueExact() * PrimeElimination.inverse(divisor) % PRIME;
    }

    private long[] sum(long[] left, long[] right) {
        long[] sum = new long[length];
        for (int k = 0; k < length; k++) {
            sum[k] = (left[k] + right[k]) % PRIME;
        }
        return sum;
    }

    private long[] reciprocal(long[] series) {
        if (series[0] == 0) {
            throw new IllegalArgumentException("a quotient by what is 0 where all parameters are");
        }
        long first = PrimeElimination.inverse(series[0]);
        long[] inverse = new long[length];
        inverse[0] = first;
        for (int k = 1; k < length; k++) {
            long rest = 0;
            for (int i = 1; i <= k; i++) {
                rest = (rest + series[i] * inverse[k - i]) % PRIME;
            }
            inverse[k] = (PRIME - rest) * first % PRIME;
        }
        return inverse;
    }

    /** The derivative of all outputs in one parameter, output by output. */
    long[] in(int parameter) {
        long[][] moves = new long[values.length][];
        Arrays.fill(moves, STILL);
        for (int i = 0; i < moves.length; i++) {
            Gate gate = circuit.gates.get(i);
            switch (gate.kind()) {
                case "parameter" -> {
                    if (gate.first() == parameter && !fixed.contains(parameter)) {
                        moves[i] = power(1, 0);
                    }
                }
                case "input", "constant" -> {}
                case "+" -> moves[i] = added(moves[gate.first()], moves[gate.second()]);
                case "*" ->
                    moves[i] = added(
                            multiplied(moves[gate.first()], values[gate.second()]),
                            multiplied(moves[gate.second()], values[gate.first()]));
                default -> moves[i] = multiplied(moves[gate.first()], slopes[i]);
            }
        }
        List<Integer> outputs = circuit.outputs;
        long[] flat = new long[outputs.size() * length];
        for (int c = 0; c < outputs.size(); c++) {
            long[] move = moves[outputs.get(c)];
            if (move.length > 0) {
                System.arraycopy(move, 0, flat, c * length, length);
            }
        }
        return flat;
    }

    private long[] added(long[] left, long[] right) {
        return left.length == 0 ? right : right.length == 0 ? left : sum(left, right);
    }

    private static long[] multiplied(long[] move, long[] by) {
        return move.length == 0 ? STILL : TaylorSeries.product(move, by);
    }
}
