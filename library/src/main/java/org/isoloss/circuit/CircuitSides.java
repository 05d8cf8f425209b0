package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Input;
import org.isoloss.circuit.Circuit.Parameter;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.Rationals;

/**
 * On which side of its kink every ReLU lies, proved in interval arithmetic: at a point, or for small positive t on the ray
 * {@code t -> t theta}, where the first coefficient that is not 0 decides.
 */
final class CircuitSides {
    private final int length;
    private final Interval[][] values;

    /** What is 0 all around the point, behind units that are off; ReLU of it has no kink there. */
    private final BitSet off = new BitSet();

    private final Map<CircuitFunction, List<Interval>> taylor = new EnumMap<>(CircuitFunction.class);
    private boolean decided = true;

    /** Series of the given length in t; of length 1, numbers. */
    CircuitSides(Circuit circuit, int[] theta, int[] inputs, int length) {
        this.length = length;
        this.values = new Interval[circuit.gates().size()][];
        for (int i = 0; i < values.length; i++) {
            Gate gate = circuit.gates().get(i);
            values[i] = switch (gate) {
                case Parameter(int index) -> power(Interval.of(theta[index]), length == 1 ? 0 : 1);
                case Input(int index) -> power(Interval.of(inputs[index]), 0);
                case Constant(Rational<BigInteger> number) -> power(nearest(number), 0);
                case Sum(int left, int right) -> sum(values[left], values[right]);
                case Product(int left, int right) -> product(values[left], values[right]);
                case Application(CircuitFunction function, int argument) ->
                    applied(function, values[argument], off.get(argument));
            };
            off.set(i, isOff(gate));
        }
    }

    private boolean isOff(Gate gate) {
        return switch (gate) {
            case Sum(int left, int right) -> off.get(left) && off.get(right);
            case Product(int left, int right) -> off.get(left) || off.get(right);
            case Application(CircuitFunction function, int argument) ->
                switch (function) {
                    case RELU -> off.get(argument) || leading(values[argument]) < 0;
                    case TANH, ERF -> off.get(argument);
                    default -> false;
                };
            default -> false;
        };
    }

    private static Interval nearest(Rational<BigInteger> number) {
        double value = Rationals.toDouble(number);
        return number.isIntegral() && Math.abs(value) < 1L << 52 ? Interval.of(value) : Interval.around(value);
    }

    /** Whether every side is known; where one is not, nothing else means anything. */
    boolean decided() {
        return decided;
    }

    /** Whether the argument of a ReLU is positive. */
    boolean isAbove(int argument) {
        return leading(values[argument]) > 0;
    }

    /** Whether a series has no constant term but this one, exactly. */
    boolean startsAt(int gate, int number) {
        Interval constant = values[gate][0];
        return constant.low() == number && constant.high() == number;
    }

    private static int leading(Interval[] series) {
        for (Interval coefficient : series) {
            if (!coefficient.isZero()) {
                return coefficient.sign();
            }
        }
        return 0;
    }

    private Interval[] power(Interval number, int order) {
        Interval[] series = new Interval[length];
        Arrays.fill(series, Interval.ZERO);
        series[order] = number;
        return series;
    }

    private Interval[] sum(Interval[] left, Interval[] right) {
        Interval[] sum = new Interval[length];
        Arrays.setAll(sum, k -> left[k].plus(right[k]));
        return sum;
    }

    private Interval[] product(Interval[] left, Interval[] right) {
        Interval[] product = power(Interval.ZERO, 0);
        for (int i = 0; i < length; i++) {
            for (int j = 0; i + j < length && !left[i].isZero(); j++) {
                product[i + j] = product[i + j].plus(left[i].times(right[j]));
            }
        }
        return product;
    }

    private Interval[] applied(CircuitFunction function, Interval[] argument, boolean isOff) {
        return switch (function) {
            case RELU -> {
                int side = leading(argument);
                decided &= side != 0 || isOff;
                yield side > 0 ? argument : power(Interval.ZERO, 0);
            }
            case RECIPROCAL -> {
                Interval first = argument[0].reciprocal();
                Interval[] inverse = power(first, 0);
                for (int k = 1; k < length; k++) {
                    Interval rest = Interval.ZERO;
                    for (int i = 1; i <= k; i++) {
                        rest = rest.plus(argument[i].times(inverse[k - i]));
                    }
                    inverse[k] = rest.times(first).times(Interval.of(-1));
                }
                yield inverse;
            }
            default -> {
                List<Interval> coefficients =
                        taylor.computeIfAbsent(function, key -> TaylorCoefficients.of(key, length, Ring.INTERVALS));
                Interval[] inner = argument.clone();
                inner[0] = Interval.ZERO; // what is subtracted is looked at by startsAt
                Interval[] value = power(Interval.ZERO, 0);
                for (int k = length - 1; k >= 0; k--) {
                    value = product(value, inner);
                    value[0] = value[0].plus(coefficients.get(k));
                }
                yield value;
            }
        };
    }
}
