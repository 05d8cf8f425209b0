package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.affine.CertificateContent.Place;
import org.isoloss.affine.CertifiedCircuit.Gate;
import org.isoloss.affine.Monomials.Monomial;

/**
 * Expands how a field moves the outputs of a circuit. What a function gives is a symbol that does not move where its argument
 * does not; ReLU of what is multiplied is multiplied; elsewhere ReLU is a symbol times its argument, and another function
 * moves by a symbol times what its argument moves by.
 */
final class CertifiedIdentities {
    /** Products of terms of a field, and of all, beyond which nothing is expanded. */
    private static final long MOST_WORK = 3_000_000;

    private static final long MOST_WORK_IN_ALL = 100_000_000;

    private final CertifiedCircuit circuit;
    private final List<Map<Monomial, Fraction>> values = new ArrayList<>();
    private final List<Map<Monomial, Fraction>> moves = new ArrayList<>();
    private int symbols;
    private long work;
    private long workInAll;

    private CertifiedIdentities(CertifiedCircuit circuit) {
        this.circuit = circuit;
    }

    /** Says which field changes an output, or nothing. */
    static String wrongField(CertificateContent content, CertifiedCircuit circuit) {
        CertifiedIdentities identities = new CertifiedIdentities(circuit);
        for (int i = 0; i < content.fields.size(); i++) {
            int output = identities.changed(content.fields.get(i));
            if (output >= 0) {
                return "field %d changes output %d, as far as can be seen".formatted(i + 1, output + 1);
            }
        }
        return "";
    }

    private int changed(Map<Place, Fraction> field) {
        work = 0;
        values.clear();
        moves.clear();
        int parameters = circuit.parameterNames.size();
        symbols = parameters + circuit.inputs;
        Map<Integer, Map<Monomial, Fraction>> rows = new HashMap<>();
        field.forEach((place, coefficient) -> Monomials.add(
                rows.computeIfAbsent(place.row(), _ -> new HashMap<>()),
                place.column() == parameters ? Monomials.constant(Fraction.ONE) : Monomials.variable(place.column()),
                coefficient));
        for (Gate gate : circuit.gates) {
            switch (gate.kind()) {
                case "parameter" -> put(Monomials.variable(gate.first()), rows.getOrDefault(gate.first(), Map.of()));
                case "input" -> put(Monomials.variable(parameters + gate.first()), Map.of());
                case "constant" -> put(Monomials.constant(gate.constant()), Map.of());
                case "+" ->
                    put(
                            sum(values.get(gate.first()), values.get(gate.second())),
                            sum(moves.get(gate.first()), moves.get(gate.second())));
                case "*" ->
                    put(
                            product(values.get(gate.first()), values.get(gate.second())),
                            sum(
                                    product(moves.get(gate.first()), values.get(gate.second())),
                                    product(values.get(gate.first()), moves.get(gate.second()))));
                default -> apply(gate.kind(), values.get(gate.first()), moves.get(gate.first()));
            }
        }
        for (int i = 0; i < circuit.outputs.size(); i++) {
            if (!moves.get(circuit.outputs.get(i)).isEmpty()) {
                return i;
            }
        }
        return -1;
    }

    private void put(Map<Monomial, Fraction> value, Map<Monomial, Fraction> move) {
        values.add(value);
        moves.add(move);
    }

    private void apply(String function, Map<Monomial, Fraction> argument, Map<Monomial, Fraction> move) {
        Map<Monomial, Fraction> symbol = Monomials.variable(symbols++);
        if (move.isEmpty()) {
            put(symbol, Map.of());
        } else if (!function.equals("relu")) {
            put(symbol, product(Monomials.variable(symbols++), move));
        } else {
            Fraction rate = rate(argument, move);
            if (rate.isZero()) {
                put(product(symbol, argument), product(symbol, move));
            } else {
                put(symbol, product(Monomials.constant(rate), symbol));
            }
        }
    }

    /** The number by which something is multiplied as it moves; 0 where there is none. */
    private static Fraction rate(Map<Monomial, Fraction> value, Map<Monomial, Fraction> move) {
        Fraction rate = Fraction.ZERO;
        for (Map.Entry<Monomial, Fraction> term : value.entrySet()) {
            Fraction moved = move.get(term.getKey());
            if (moved == null) {
                return Fraction.ZERO;
            }
            Fraction here = moved.over(term.getValue());
            if (!rate.isZero() && !rate.equals(here)) {
                return Fraction.ZERO;
            }
            rate = here;
        }
        return move.size() == value.size() ? rate : Fraction.ZERO;
    }

    private Map<Monomial, Fraction> sum(Map<Monomial, Fraction> left, Map<Monomial, Fraction> right) {
        spend((long) left.size() + right.size());
        Map<Monomial, Fraction> sum = new HashMap<>(left);
        Monomials.add(sum, right, Fraction.ONE);
        return sum;
    }

    private Map<Monomial, Fraction> product(Map<Monomial, Fraction> left, Map<Monomial, Fraction> right) {
        spend((long) left.size() * right.size());
        return Monomials.product(left, right);
    }

    private void spend(long terms) {
        work += terms;
        workInAll += terms;
        if (work > MOST_WORK || workInAll > MOST_WORK_IN_ALL) {
            throw new IllegalArgumentException(
                    "the outputs of this network have too many terms to be checked by expansion");
        }
    }
}
