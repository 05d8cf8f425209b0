package org.isoloss.affine;

import org.isoloss.affine.CertifiedCircuit.Gate;
import org.jspecify.annotations.Nullable;

/**
 * What the gates of a circuit are where all parameters are 0, exactly, or unknown. A residue that looks like 0 proves nothing;
 * this does.
 */
final class CertifiedConstants {
    private static final int MOST_BITS = 20_000;

    private final @Nullable Fraction[] values;

    CertifiedConstants(CertifiedCircuit circuit, int[] input) {
        this.values = new @Nullable Fraction[circuit.gates.size()];
        for (int i = 0; i < values.length; i++) {
            Gate gate = circuit.gates.get(i);
            values[i] = bounded(
                    switch (gate.kind()) {
                        case "parameter" -> Fraction.ZERO;
                        case "input" -> Fraction.of(input[gate.first()]);
                        case "constant" -> gate.constant();
                        case "+" -> sum(values[gate.first()], values[gate.second()]);
                        case "*" -> product(values[gate.first()], values[gate.second()]);
                        default -> applied(gate.kind(), values[gate.first()]);
                    });
        }
    }

    /** Whether a gate is exactly this number. */
    boolean is(int gate, Fraction number) {
        return number.equals(values[gate]);
    }

    private static @Nullable Fraction bounded(@Nullable Fraction value) {
        return value != null
                        && value.numerator().bitLength() + value.denominator().bitLength() > MOST_BITS
                ? null
                : value;
    }

    private static @Nullable Fraction sum(@Nullable Fraction left, @Nullable Fraction right) {
        return left == null || right == null ? null : left.plus(right);
    }

    private static @Nullable Fraction product(@Nullable Fraction left, @Nullable Fraction right) {
        if (Fraction.ZERO.equals(left) || Fraction.ZERO.equals(right)) {
            return Fraction.ZERO;
        }
        return left == null || right == null ? null : left.times(right);
    }

    private static @Nullable Fraction applied(String function, @Nullable Fraction argument) {
        if (argument == null) {
            return null;
        }
        return switch (function) {
            case "relu" -> argument.numerator().signum() > 0 ? argument : Fraction.ZERO;
            case "reciprocal" -> argument.isZero() ? null : Fraction.ONE.over(argument);
            case "log" -> argument.equals(Fraction.ONE) ? Fraction.ZERO : null;
            case "root" -> argument.equals(Fraction.ONE) ? Fraction.ONE : null;
            case "tanh", "erf" -> argument.isZero() ? Fraction.ZERO : null;
            case "sigmoid" -> argument.isZero() ? Fraction.ONE.over(Fraction.of(2)) : null;
            case "exp" -> argument.isZero() ? Fraction.ONE : null;
            default -> null;
        };
    }
}
