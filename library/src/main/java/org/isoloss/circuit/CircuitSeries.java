package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Input;
import org.isoloss.circuit.Circuit.Parameter;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.ModularRank;

/**
 * The derivatives of a circuit at integer points modulo {@link ModularRank#PRIME}; where it has smooth functions, as power series
 * in t along {@code t -> t theta}.
 */
public final class CircuitSeries {
    private static final long PRIME = ModularRank.PRIME;

    /** Orders 0 to 12. */
    private static final int LENGTH = 13;

    private final Circuit circuit;
    private final int length;
    private final Map<CircuitFunction, long[]> taylor = new EnumMap<>(CircuitFunction.class);
    private final Map<CircuitFunction, long[]> slopes = new EnumMap<>(CircuitFunction.class);

    /**
     * Prepares points.
     *
     * @param circuit for which {@link #obstacle} says nothing
     */
    public CircuitSeries(Circuit circuit) {
        this.circuit = circuit;
        this.length = circuit.isTranscendental() ? LENGTH : 1;
        for (CircuitFunction function : CircuitFunction.values()) {
            if (circuit.has(function) && function != CircuitFunction.RELU && function != CircuitFunction.RECIPROCAL) {
                List<Long> longer = TaylorCoefficients.of(function, length + 1, Ring.RESIDUES);
                long[] slope = new long[length];
                Arrays.setAll(slope, k -> (k + 1) * longer.get(k + 1) % PRIME);
                slopes.put(function, slope);
                taylor.put(
                        function,
                        longer.stream().limit(length).mapToLong(Long::longValue).toArray());
            }
        }
    }

    /**
     * Says why nothing can be proved by series.
     *
     * @param circuit any
     * @return the reason, or nothing
     */
    public static Optional<String> obstacle(Circuit circuit) {
        return circuit.has(CircuitFunction.SOFTPLUS) && circuit.has(CircuitFunction.ERF)
                ? Optional.of("it is unknown whether log 2 and the root of pi are algebraically independent")
                : Optional.empty();
    }

    /** {@return the number of coefficients of a series, 1 where there is no t} */
    public int length() {
        return length;
    }

    /**
     * Differentiates.
     *
     * @param theta length p; not modified
     * @param inputs their number; not modified
     * @return for each output the series of its derivative in each parameter; nothing where a ReLU lies on its kink, or it is not
     *     proved that it does not
     * @throws UnsupportedOperationException where a function has no series there, with the reason
     */
    public Optional<long[][][]> derivatives(int[] theta, int[] inputs) {
        CircuitSides sides = new CircuitSides(circuit, theta, inputs, length);
        if (!sides.decided()) {
            return Optional.empty();
        }
        List<Gate> gates = circuit.gates();
        long[][] values = new long[gates.size()][];
        long[][] local = new long[gates.size()][]; // slopes of functions
        for (int i = 0; i < values.length; i++) {
            switch (gates.get(i)) {
                case Parameter(int index) -> values[i] = power(theta[index], length == 1 ? 0 : 1);
                case Input(int index) -> values[i] = power(inputs[index], 0);
                case Constant(Rational<BigInteger> number) -> values[i] = power(residue(number), 0);
                case Sum(int left, int right) -> values[i] = sum(values[left], values[right]);
                case Product(int left, int right) -> values[i] = product(values[left], values[right]);
                case Application(CircuitFunction function, int argument) ->
                    apply(function, argument, i, sides, values, local);
            }
        }
        int outputs = circuit.outputs().size();
        long[][][] derivatives = new long[outputs][][];
        for (int output = 0; output < outputs; output++) {
            derivatives[output] = backward(circuit.outputs().get(output), values, local);
        }
        return Optional.of(derivatives);
    }

    private void apply(
            CircuitFunction function, int argument, int gate, CircuitSides sides, long[][] values, long[][] local) {
        switch (function) {
            case RELU -> {
                boolean above = sides.isAbove(argument);
                values[gate] = above ? values[argument] : new long[length];
                local[gate] = power(above ? 1 : 0, 0);
            }
            case RECIPROCAL -> {
                if (values[argument][0] == 0) {
                    throw new UnsupportedOperationException("a quotient by what is 0 where all parameters are");
                }
                values[gate] = reciprocal(values[argument]);
                local[gate] = scaled(PRIME - 1, product(values[gate], values[gate]));
            }
            default -> {
                int centre = TaylorCoefficients.centre(function);
                if (!sides.startsAt(argument, centre)) {
                    throw new UnsupportedOperationException(
                            "%s is expanded at %d alone, and is needed elsewhere".formatted(function.label(), centre));
                }
                long[] inner = values[argument].clone();
                inner[0] = 0;
                values[gate] = composed(coefficients(taylor, function), inner);
                local[gate] = composed(coefficients(slopes, function), inner);
            }
        }
    }

    private static long[] coefficients(Map<CircuitFunction, long[]> known, CircuitFunction function) {
        long[] coefficients = known.get(function);
        if (coefficients == null) {
            throw new IllegalStateException(function.label());
        }
        return coefficients;
    }

    private long[][] backward(int output, long[][] values, long[][] local) {
        long[][] upstream = new long[output + 1][];
        upstream[output] = power(1, 0);
        long[][] derivatives = new long[circuit.parameterCount()][];
        Arrays.setAll(derivatives, _ -> new long[length]);
        for (int i = output; i >= 0; i--) {
            long[] slope = upstream[i];
            if (slope == null) {
                continue;
            }
            switch (circuit.gates().get(i)) {
                case Parameter(int index) -> derivatives[index] = slope;
                case Sum(int left, int right) -> {
                    add(upstream, left, slope);
                    add(upstream, right, slope);
                }
                case Product(int left, int right) -> {
                    add(upstream, left, product(slope, values[right]));
                    add(upstream, right, product(slope, values[left]));
                }
                case Application application -> add(upstream, application.argument(), product(slope, local[i]));
                case Input _, Constant _ -> {}
            }
        }
        return derivatives;
    }

    private void add(long[][] upstream, int gate, long[] slope) {
        upstream[gate] = upstream[gate] == null ? slope : sum(upstream[gate], slope);
    }

    private static long residue(Rational<BigInteger> number) {
        BigInteger prime = BigInteger.valueOf(PRIME);
        return ModularRank.residue(
                number.numerator().mod(prime).longValueExact(),
                number.denominator().mod(prime).longValueExact());
    }

    private long[] power(long number, int order) {
        long[] series = new long[length];
        series[order] = Math.floorMod(number, PRIME);
        return series;
    }

    private long[] sum(long[] left, long[] right) {
        long[] sum = new long[length];
        for (int k = 0; k < length; k++) {
            sum[k] = (left[k] + right[k]) % PRIME;
        }
        return sum;
    }

    private static long[] scaled(long factor, long[] series) {
        long[] scaled = new long[series.length];
        for (int k = 0; k < scaled.length; k++) {
            scaled[k] = factor * series[k] % PRIME;
        }
        return scaled;
    }

    private long[] product(long[] left, long[] right) {
        long[] product = new long[length];
        for (int i = 0; i < length; i++) {
            for (int j = 0; i + j < length && left[i] != 0; j++) {
                product[i + j] = (product[i + j] + left[i] * right[j]) % PRIME;
            }
        }
        return product;
    }

    private long[] composed(long[] coefficients, long[] inner) {
        long[] value = new long[length];
        for (int k = length - 1; k >= 0; k--) {
            value = product(value, inner);
            value[0] = (value[0] + coefficients[k]) % PRIME;
        }
        return value;
    }

    private long[] reciprocal(long[] series) {
        long[] inverse = new long[length];
        inverse[0] = ModularRank.residue(1, series[0]);
        for (int k = 1; k < length; k++) {
            long rest = 0;
            for (int i = 1; i <= k; i++) {
                rest = (rest + series[i] * inverse[k - i]) % PRIME;
            }
            inverse[k] = (PRIME - rest) * inverse[0] % PRIME;
        }
        return inverse;
    }
}
