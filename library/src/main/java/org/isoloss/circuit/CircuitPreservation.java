package org.isoloss.circuit;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.isoloss.circuit.Circuit.Application;
import org.isoloss.circuit.Circuit.Constant;
import org.isoloss.circuit.Circuit.Gate;
import org.isoloss.circuit.Circuit.Input;
import org.isoloss.circuit.Circuit.Parameter;
import org.isoloss.circuit.Circuit.Product;
import org.isoloss.circuit.Circuit.Sum;
import org.isoloss.exact.DualPolynomial;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;

/**
 * Decides whether a field changes an output of a circuit, as polynomials in parameters, inputs and symbols for what functions
 * give. A function of what the field leaves alone is one symbol that the field leaves alone; so is ReLU of what the field
 * scales a symbol that it scales. Elsewhere ReLU is its argument times a symbol for its slope, and any other function two
 * symbols, for value and slope. An identity in these symbols holds whatever they stand for, and on every piece; it is
 * sufficient only.
 */
public final class CircuitPreservation {
    /** Exponents of the terms that are multiplied before a field is given up: each has one for every variable. */
    private static final long MOST_EXPONENTS = 100_000_000;

    private final Circuit circuit;
    private final int variables;
    private final RationalMatrix field;
    private final List<DualPolynomial> values = new ArrayList<>();
    private int next;
    private long work;

    private CircuitPreservation(Circuit circuit, RationalMatrix field) {
        this.circuit = circuit;
        this.field = field;
        this.next = circuit.parameterCount() + circuit.inputs();
        long functions = circuit.gates().stream()
                .filter(gate -> gate instanceof Application)
                .count();
        this.variables = Math.toIntExact(next + 2 * functions);
    }

    /**
     * Decides.
     *
     * @param circuit of p parameters
     * @param field coefficients {@code [A b]}, shape (p, p + 1)
     * @return false also where it cannot be decided in reasonable time
     */
    public static boolean holds(Circuit circuit, RationalMatrix field) {
        CircuitPreservation preservation = new CircuitPreservation(circuit, field);
        for (Gate gate : circuit.gates()) {
            preservation.values.add(preservation.value(gate));
            if (preservation.isTooLong()) {
                return false;
            }
        }
        return circuit.outputs().stream()
                .allMatch(output -> preservation.values.get(output).isConstantAlongField());
    }

    private boolean isTooLong() {
        return work > MOST_EXPONENTS / variables;
    }

    private DualPolynomial value(Gate gate) {
        return switch (gate) {
            case Parameter(int index) -> {
                RationalVector row = field.row(index);
                yield row.isZero()
                        ? DualPolynomial.variable(variables, index)
                        : DualPolynomial.variable(variables, index, row);
            }
            case Input(int index) -> DualPolynomial.variable(variables, circuit.parameterCount() + index);
            case Constant(Rational<BigInteger> number) -> DualPolynomial.constant(variables, number);
            case Sum(int left, int right) -> {
                work += values.get(left).termCount() + values.get(right).termCount();
                yield values.get(left).plus(values.get(right));
            }
            case Product(int left, int right) -> {
                work += (long) values.get(left).termCount() * values.get(right).termCount();
                yield isTooLong() ? values.get(left) : values.get(left).times(values.get(right));
            }
            case Application(CircuitFunction function, int argument) -> applied(function, values.get(argument));
        };
    }

    private DualPolynomial applied(CircuitFunction function, DualPolynomial argument) {
        Optional<Rational<BigInteger>> rate = argument.rate();
        if (rate.isPresent() && (rate.get().isZero() || function == CircuitFunction.RELU)) {
            return symbol(rate.get());
        }
        DualPolynomial first = DualPolynomial.variable(variables, next++);
        if (function == CircuitFunction.RELU) {
            return first.times(argument);
        }
        return argument.through(first, DualPolynomial.variable(variables, next++));
    }

    /** A new variable that the field multiplies. */
    private DualPolynomial symbol(Rational<BigInteger> rate) {
        int index = next++;
        return rate.isZero()
                ? DualPolynomial.variable(variables, index)
                : DualPolynomial.variable(
                        variables, index, RationalVector.of(variables + 1, new TreeMap<>(Map.of(index, rate))));
    }
}
