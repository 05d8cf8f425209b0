package org.isoloss.affine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.exact.DualPolynomial;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.model.Algebra;
import org.isoloss.model.AlgebraReading;
import org.isoloss.model.Model;
import org.isoloss.model.PiecewiseLinear;
import org.isoloss.model.Power;
import org.isoloss.model.Value;

/**
 * Decides whether {@code D F [A theta + b]} vanishes identically, as polynomials in weights and inputs.
 *
 * <p>Linear layers and powers are polynomials themselves. A piecewise linear layer is {@code s z} with a symbol s for the
 * slope of each unit: an identity in s holds on every linear piece, hence by continuity for all weights and inputs, kinks
 * included. For any other activation a unit gets two symbols, one for its value and one for its slope: an identity in
 * these holds whatever the function is, but is sufficient only.
 */
final class Preservation {
    private final Model model;
    private final int variables;

    Preservation(Architecture architecture) {
        this.model = architecture.model(new double[architecture.parameterCount()], 1);
        int units = architecture.widths().stream().mapToInt(Integer::intValue).sum();
        this.variables = architecture.parameterCount() + architecture.inputs() + 2 * units;
    }

    /** The number of multiplications of terms that {@link #holdsFor} would take for one dense field, roughly. */
    static double cost(Architecture architecture) {
        double terms = 1;
        double cost = 0;
        for (int layer = 0; layer < architecture.layerCount(); layer++) {
            double incoming = architecture.widths().get(layer) * terms + 1;
            if (layer < architecture.layerCount() - 1) {
                int power = Math.max(1, architecture.activations().get(layer).degree());
                terms = Math.pow(incoming, power) / (power > 1 ? power : 1);
            }
            cost += architecture.widths().get(layer + 1) * Math.max(incoming, terms);
        }
        return cost;
    }

    boolean holdsFor(AffineField field) {
        Map<Value, List<DualPolynomial>> given = new HashMap<>();
        int next = 0;
        for (Value parameter : model.parameters().values()) {
            int end = next + parameter.shape().count();
            given.put(
                    parameter,
                    IntStream.range(next, end)
                            .mapToObj(index -> moved(index, field))
                            .toList());
            next = end;
        }
        int first = next;
        Value input = model.inputs().firstEntry().getValue();
        given.put(
                input,
                IntStream.range(0, input.shape().count())
                        .mapToObj(k -> DualPolynomial.variable(variables, first + k))
                        .toList());
        Symbols symbols = new Symbols(first + input.shape().count());
        return AlgebraReading.read(symbols, List.copyOf(model.outputs().values()), given).getFirst().stream()
                .allMatch(DualPolynomial::isConstantAlongField);
    }

    private DualPolynomial moved(int index, AffineField field) {
        RationalVector row = field.coefficients().row(index);
        return row.isZero()
                ? DualPolynomial.variable(variables, index)
                : DualPolynomial.variable(variables, index, row);
    }

    /** Polynomials, with two symbols for every use of a function that is no power. */
    private final class Symbols implements Algebra<DualPolynomial> {
        private int next;

        Symbols(int next) {
            this.next = next;
        }

        @Override
        public DualPolynomial constant(double value) {
            return DualPolynomial.constant(variables, Rationals.ofDecimal(value));
        }

        @Override
        public DualPolynomial plus(DualPolynomial left, DualPolynomial right) {
            return left.plus(right);
        }

        @Override
        public DualPolynomial times(DualPolynomial left, DualPolynomial right) {
            return left.times(right);
        }

        @Override
        public DualPolynomial apply(Pointwise function, DualPolynomial argument) {
            if (function instanceof Power(double exponent, double factor) && factor == 1) {
                return argument.power((int) exponent);
            }
            DualPolynomial first = DualPolynomial.variable(variables, next++);
            DualPolynomial second = DualPolynomial.variable(variables, next++);
            return function instanceof PiecewiseLinear ? first.times(argument) : argument.through(first, second);
        }

        @Override
        public double number(DualPolynomial element) {
            throw new UnsupportedOperationException("a choice that depends on what moves");
        }
    }
}
