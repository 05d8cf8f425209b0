package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.isoloss.affine.CertifiedCircuit.Gate;
import org.jspecify.annotations.Nullable;

/**
 * On which side of its kink every ReLU of a certificate's circuit lies, in exact fractions: at a point, or for small positive t on
 * {@code t -> t theta}. A gate is the first coefficients of a series; one that is not rational is unknown.
 */
final class CertifiedSides {
    private static final int LONGEST = 8;
    private static final int MOST_BITS = 20_000;
    private static final Fraction[] UNKNOWN = {};

    private final int length;
    private final Fraction[][] values;

    /** What is 0 wherever the units before it that are off stay off. */
    private final boolean[] silent;

    private boolean decided = true;
    private boolean longEnough = true;

    private CertifiedSides(
            CertifiedCircuit circuit, Set<Integer> fixed, int[] theta, int[] input, int length, int order) {
        this.length = length;
        this.values = new Fraction[circuit.gates.size()][];
        this.silent = new boolean[values.length];
        for (int i = 0; i < values.length; i++) {
            Gate gate = circuit.gates.get(i);
            values[i] = switch (gate.kind()) {
                case "parameter" -> power(Fraction.of(fixed.contains(gate.first()) ? 0 : theta[gate.first()]), order);
                case "input" -> power(Fraction.of(input[gate.first()]), 0);
                case "constant" -> power(gate.constant(), 0);
                case "+" -> sum(values[gate.first()], values[gate.second()]);
                case "*" -> product(values[gate.first()], values[gate.second()]);
                default -> applied(gate.kind(), values[gate.first()], silent[gate.first()]);
            };
            silent[i] = switch (gate.kind()) {
                case "+" -> silent[gate.first()] && silent[gate.second()];
                case "*" -> silent[gate.first()] || silent[gate.second()];
                case "tanh", "erf" -> silent[gate.first()];
                case "relu" -> silent[gate.first()] || leading(values[gate.first()]) < 0;
                default -> false;
            };
        }
    }

    /** Returns for each ReLU whether its argument is positive, and null where that is not known of all. */
    static boolean @Nullable [] of(CertifiedCircuit circuit, Set<Integer> fixed, int[] theta, int[] input) {
        boolean smooth = circuit.isSmooth();
        for (int length = smooth ? 2 : 1; length <= LONGEST; length *= 2) {
            CertifiedSides sides = new CertifiedSides(circuit, fixed, theta, input, length, smooth ? 1 : 0);
            if (!sides.decided || (!smooth && !sides.longEnough)) {
                return null;
            }
            if (sides.longEnough) {
                boolean[] above = new boolean[sides.values.length];
                for (int i = 0; i < above.length; i++) {
                    Gate gate = circuit.gates.get(i);
                    above[i] = gate.kind().equals("relu") && leading(sides.values[gate.first()]) > 0;
                }
                return above;
            }
        }
        return null;
    }

    private static boolean isUnknown(Fraction[] series) {
        return series.length == 0;
    }

    private static int leading(Fraction[] series) {
        for (Fraction coefficient : series) {
            if (!coefficient.isZero()) {
                return coefficient.numerator().signum();
            }
        }
        return 0;
    }

    private Fraction[] power(Fraction number, int order) {
        Fraction[] series = new Fraction[length];
        Arrays.fill(series, Fraction.ZERO);
        if (order < length) {
            series[order] = number;
        }
        return series;
    }

    private Fraction[] sum(Fraction[] left, Fraction[] right) {
        if (isUnknown(left) || isUnknown(right)) {
            return UNKNOWN;
        }
        Fraction[] sum = new Fraction[length];
        Arrays.setAll(sum, k -> left[k].plus(right[k]));
        return sum;
    }

    private Fraction[] product(Fraction[] left, Fraction[] right) {
        if (isUnknown(left) || isUnknown(right)) {
            return UNKNOWN;
        }
        Fraction[] product = power(Fraction.ZERO, 0);
        for (int i = 0; i < length; i++) {
            for (int j = 0; i + j < length && !left[i].isZero(); j++) {
                product[i + j] = product[i + j].plus(left[i].times(right[j]));
                if (product[i + j].numerator().bitLength() > MOST_BITS) {
                    return UNKNOWN;
                }
            }
        }
        return product;
    }

    private Fraction[] applied(String function, Fraction[] argument, boolean isSilent) {
        if (isSilent && function.equals("relu")) {
            return power(Fraction.ZERO, 0);
        }
        if (function.equals("relu")) {
            int side = isUnknown(argument) ? 0 : leading(argument);
            decided &= !isUnknown(argument);
            longEnough &= side != 0;
            return side > 0 ? argument : power(Fraction.ZERO, 0);
        }
        if (isUnknown(argument) || function.equals("erf") || function.equals("softplus")) {
            return UNKNOWN;
        }
        if (function.equals("reciprocal")) {
            return argument[0].isZero() ? UNKNOWN : reciprocal(argument);
        }
        Fraction centre = function.equals("log") || function.equals("root") ? Fraction.ONE : Fraction.ZERO;
        if (!argument[0].equals(centre)) {
            return UNKNOWN;
        }
        Fraction[] inner = argument.clone();
        inner[0] = Fraction.ZERO;
        List<Fraction> coefficients = coefficients(function);
        Fraction[] value = power(Fraction.ZERO, 0);
        for (int k = Math.min(length, coefficients.size()) - 1; k >= 0; k--) {
            value = product(value, inner);
            if (isUnknown(value)) {
                return UNKNOWN;
            }
            value[0] = value[0].plus(coefficients.get(k));
        }
        return value;
    }

    private Fraction[] reciprocal(Fraction[] series) {
        Fraction[] inverse = new Fraction[length];
        inverse[0] = Fraction.ONE.over(series[0]);
        for (int k = 1; k < length; k++) {
            Fraction rest = Fraction.ZERO;
            for (int i = 1; i <= k; i++) {
                rest = rest.plus(series[i].times(inverse[k - i]));
            }
            inverse[k] = rest.times(inverse[0]).negated();
        }
        return inverse;
    }

    /** Taylor coefficients up to order 7, from a table of functions. */
    private static List<Fraction> coefficients(String function) {
        return switch (function) {
            case "tanh" -> table(0, 1, 1, 0, -1, 3, 0, 2, 15, 0, -17, 315);
            case "sigmoid" -> table(1, 2, 1, 4, 0, -1, 48, 0, 1, 480, 0, -17, 80_640);
            case "exp" -> table(1, 1, 1, 1, 1, 2, 1, 6, 1, 24, 1, 120, 1, 720, 1, 5_040);
            case "log" -> table(0, 1, 1, -1, 2, 1, 3, -1, 4, 1, 5, -1, 6, 1, 7);
            case "root" -> table(1, 1, 1, 2, -1, 8, 1, 16, -5, 128, 7, 256, -21, 1_024, 33, 2_048);
            default -> throw new IllegalArgumentException(function);
        };
    }

    /** Numerators and denominators; a 0 stands alone. */
    private static List<Fraction> table(int... numbers) {
        List<Fraction> table = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            table.add(numbers[i] == 0 ? Fraction.ZERO : Fraction.of(numbers[i]).over(Fraction.of(numbers[++i])));
        }
        return table;
    }
}
