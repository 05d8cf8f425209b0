package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.exact.DualPolynomial;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.network.ParameterLayout;

/**
 * Decides whether {@code D F [A theta + b]} vanishes identically, as polynomials in weights and inputs.
 *
 * <p>Linear layers and powers are polynomials themselves. A piecewise linear layer is {@code s z} with a symbol s for the
 * slope of each unit: an identity in s holds on every linear piece, hence by continuity for all weights and inputs, kinks
 * included. For any other activation a unit gets two symbols, one for its value and one for its slope: an identity in
 * these holds whatever the function is, but is sufficient only.
 */
final class Preservation {
    private final Architecture architecture;
    private final ParameterLayout layout;
    private final int variables;

    Preservation(Architecture architecture) {
        this.architecture = architecture;
        this.layout = architecture.layout();
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
        List<DualPolynomial> values = new ArrayList<>();
        for (int k = 0; k < architecture.inputs(); k++) {
            values.add(DualPolynomial.variable(variables, architecture.parameterCount() + k));
        }
        int symbols = architecture.parameterCount() + architecture.inputs();
        for (int layer = 0; layer < architecture.layerCount(); layer++) {
            List<DualPolynomial> sums = affine(layer, values, field);
            boolean last = layer == architecture.layerCount() - 1;
            values = last ? sums : activated(architecture.activations().get(layer), sums, symbols);
            symbols += 2 * sums.size();
        }
        return values.stream().allMatch(DualPolynomial::isConstantAlongField);
    }

    private List<DualPolynomial> affine(int layer, List<DualPolynomial> incoming, AffineField field) {
        ParameterLayout.Entry weight = layout.weight(layer);
        List<DualPolynomial> sums = new ArrayList<>();
        for (int unit = 0; unit < weight.rows(); unit++) {
            int row = unit;
            DualPolynomial sum = layout.bias(layer)
                    .map(bias -> parameter(bias.index(row, 0), field))
                    .orElseGet(() -> DualPolynomial.constant(variables, Rationals.ZERO));
            for (int j = 0; j < incoming.size(); j++) {
                sum = sum.plus(parameter(weight.index(unit, j), field).times(incoming.get(j)));
            }
            sums.add(sum);
        }
        return sums;
    }

    private DualPolynomial parameter(int index, AffineField field) {
        RationalVector row = field.coefficients().row(index);
        return row.isZero()
                ? DualPolynomial.variable(variables, index)
                : DualPolynomial.variable(variables, index, row);
    }

    private List<DualPolynomial> activated(HiddenActivation activation, List<DualPolynomial> sums, int symbols) {
        List<DualPolynomial> values = new ArrayList<>();
        for (int unit = 0; unit < sums.size(); unit++) {
            DualPolynomial sum = sums.get(unit);
            DualPolynomial first = DualPolynomial.variable(variables, symbols + 2 * unit);
            DualPolynomial second = DualPolynomial.variable(variables, symbols + 2 * unit + 1);
            values.add(
                    switch (activation) {
                        case HiddenActivation.Power power -> sum.power(power.exponent());
                        case HiddenActivation.PiecewiseLinear _ -> first.times(sum);
                        case HiddenActivation.Smooth _ -> sum.through(first, second);
                    });
        }
        return values;
    }
}
