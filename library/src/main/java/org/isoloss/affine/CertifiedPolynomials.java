package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.affine.CertificateContent.Place;
import org.isoloss.affine.Monomials.Monomial;

/**
 * Expands the outputs of a network once, as sums of monomials, and applies each field to them monomial by monomial, as a
 * derivation. Slopes of piecewise linear layers and values and slopes of other functions are symbols.
 */
final class CertifiedPolynomials {
    /** Multiplications of terms and monomials of an output beyond which nothing is expanded. */
    private static final double MOST_WORK = 1e9;

    private static final double MOST_TERMS = 2e6;

    private final CertificateContent content;
    private final List<Map<Monomial, Fraction>> outputs;

    /** Symbols that stand for f(z): what z is, and the symbol that stands for f'(z). */
    private final Map<Integer, Opaque> opaque = new HashMap<>();

    private int symbols;

    private record Opaque(Map<Monomial, Fraction> argument, int slope) {}

    private CertifiedPolynomials(CertificateContent content) {
        this.content = content;
        this.symbols = content.parameterCount() + content.widths.getFirst();
        this.outputs = outputs();
    }

    /** Says which field changes an output, or nothing; refuses networks whose polynomials would not end. */
    static String wrongField(CertificateContent content) {
        requireSmall(content);
        CertifiedPolynomials polynomials = new CertifiedPolynomials(content);
        for (int i = 0; i < content.fields.size(); i++) {
            Map<Integer, Map<Monomial, Fraction>> moves = polynomials.moves(content.fields.get(i));
            Map<Integer, Map<Monomial, Fraction>> opaqueMoves = new HashMap<>();
            for (int c = 0; c < polynomials.outputs.size(); c++) {
                if (!polynomials
                        .derivative(polynomials.outputs.get(c), moves, opaqueMoves)
                        .isEmpty()) {
                    return "field %d changes output %d".formatted(i + 1, c + 1);
                }
            }
        }
        return "";
    }

    /** Counts from above, before anything is expanded: the monomials of a unit, their factors, and the terms of a derivative. */
    private static void requireSmall(CertificateContent content) {
        double moving = content.fields.stream()
                .mapToDouble(field -> mostInARow(field.keySet()))
                .max()
                .orElse(0);
        double terms = 1;
        double factors = 1;
        double moved = moving;
        double expanded = 0;
        for (int layer = 1; layer < content.widths.size(); layer++) {
            terms = content.widths.get(layer - 1) * terms + (content.biases.get(layer - 1) ? 1 : 0);
            factors++;
            String activation = layer <= content.activations.size() ? content.activations.get(layer - 1) : "identity";
            if (TaylorSeries.isTranscendental(activation)) {
                moved = Math.max(moving, terms * factors * moved);
                expanded += content.widths.get(layer) * moved;
                terms = 1;
                factors = 1;
            } else {
                int power = activation.startsWith("z^") ? activation.charAt(2) - '0' : 1;
                terms = multisets(terms, power);
                factors = power * factors + (activation.endsWith("relu") ? 1 : 0);
                expanded += content.widths.get(layer) * terms * (power > 1 ? content.widths.get(layer - 1) : 1);
            }
        }
        double work = expanded + content.widths.getLast() * terms * factors * moved * content.fields.size();
        if (!(work <= MOST_WORK && content.widths.getLast() * terms <= MOST_TERMS)) {
            throw new IllegalArgumentException(
                    "the outputs of this network are polynomials of up to %.0e monomials, too many to be checked by expansion"
                            .formatted(terms));
        }
    }

    private static long mostInARow(Set<Place> places) {
        return places.stream().collect(Collectors.groupingBy(Place::row, Collectors.counting())).values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** The number of products of {@code power} out of {@code terms} factors. */
    private static double multisets(double terms, int power) {
        double count = 1;
        for (int i = 0; i < power; i++) {
            count *= (terms + i) / (i + 1);
        }
        return count;
    }

    private List<Map<Monomial, Fraction>> outputs() {
        List<Map<Monomial, Fraction>> values = new ArrayList<>();
        for (int k = 0; k < content.widths.getFirst(); k++) {
            values.add(Monomials.variable(content.parameterCount() + k));
        }
        int offset = 0;
        for (int layer = 1; layer < content.widths.size(); layer++) {
            int width = content.widths.get(layer);
            int biasOffset = offset + width * values.size();
            List<Map<Monomial, Fraction>> sums = new ArrayList<>();
            for (int unit = 0; unit < width; unit++) {
                Map<Monomial, Fraction> sum = new HashMap<>();
                for (int j = 0; j < values.size(); j++) {
                    Monomials.add(
                            sum,
                            Monomials.product(Monomials.variable(offset + unit * values.size() + j), values.get(j)),
                            Fraction.ONE);
                }
                if (content.biases.get(layer - 1)) {
                    Monomials.add(sum, Monomials.variable(biasOffset + unit), Fraction.ONE);
                }
                sums.add(sum);
            }
            offset = biasOffset + (content.biases.get(layer - 1) ? width : 0);
            values = layer == content.widths.size() - 1 ? sums : activated(content.activations.get(layer - 1), sums);
        }
        return values;
    }

    private List<Map<Monomial, Fraction>> activated(String activation, List<Map<Monomial, Fraction>> sums) {
        List<Map<Monomial, Fraction>> values = new ArrayList<>();
        for (Map<Monomial, Fraction> sum : sums) {
            if (activation.equals("identity")) {
                values.add(sum);
            } else if (activation.startsWith("z^")) {
                Map<Monomial, Fraction> power = sum;
                for (int i = 1; i < activation.charAt(2) - '0'; i++) {
                    power = Monomials.product(power, sum);
                }
                values.add(power);
            } else if (activation.equals("relu") || activation.equals("leaky_relu")) {
                values.add(Monomials.product(Monomials.variable(symbols++), sum));
            } else {
                opaque.put(symbols, new Opaque(sum, symbols + 1));
                values.add(Monomials.variable(symbols));
                symbols += 2;
            }
        }
        return values;
    }

    /** How fast each parameter changes along a field. */
    private Map<Integer, Map<Monomial, Fraction>> moves(Map<Place, Fraction> field) {
        Map<Integer, Map<Monomial, Fraction>> moves = new HashMap<>();
        field.forEach((place, value) -> moves.computeIfAbsent(place.row(), _ -> new HashMap<>())
                .merge(
                        place.column() == content.parameterCount()
                                ? Monomial.ONE
                                : new Monomial(List.of(place.column())),
                        value,
                        Fraction::plus));
        return moves;
    }

    private Map<Monomial, Fraction> derivative(
            Map<Monomial, Fraction> polynomial,
            Map<Integer, Map<Monomial, Fraction>> moves,
            Map<Integer, Map<Monomial, Fraction>> opaqueMoves) {
        Map<Monomial, Fraction> derivative = new HashMap<>();
        polynomial.forEach((monomial, coefficient) -> {
            for (int position = 0; position < monomial.factors().size(); position++) {
                Map<Monomial, Fraction> move = move(monomial.factors().get(position), moves, opaqueMoves);
                Monomial rest = monomial.without(position);
                move.forEach((term, factor) -> {
                    Monomial product = rest.times(term);
                    Fraction sum = derivative.merge(product, coefficient.times(factor), Fraction::plus);
                    if (sum.isZero()) {
                        derivative.remove(product);
                    }
                });
            }
        });
        return derivative;
    }

    private Map<Monomial, Fraction> move(
            int variable,
            Map<Integer, Map<Monomial, Fraction>> moves,
            Map<Integer, Map<Monomial, Fraction>> opaqueMoves) {
        Opaque function = opaque.get(variable);
        if (function == null) {
            return moves.getOrDefault(variable, Map.of());
        }
        Map<Monomial, Fraction> known = opaqueMoves.get(variable);
        if (known == null) {
            known = Monomials.product(
                    derivative(function.argument(), moves, opaqueMoves), Monomials.variable(function.slope()));
            opaqueMoves.put(variable, known);
        }
        return known;
    }
}
