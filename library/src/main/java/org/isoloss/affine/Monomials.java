package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Polynomials of the verifier: sums of products of variables, by their coefficients; none of these is 0. */
final class Monomials {
    private Monomials() {}

    /** A product of variables, each as often as it is a factor, ascending. */
    record Monomial(List<Integer> factors) {
        static final Monomial ONE = new Monomial(List.of());

        Monomial times(Monomial other) {
            int[] merged = new int[factors.size() + other.factors.size()];
            for (int i = 0; i < factors.size(); i++) {
                merged[i] = factors.get(i);
            }
            for (int i = 0; i < other.factors.size(); i++) {
                merged[factors.size() + i] = other.factors.get(i);
            }
            Arrays.sort(merged);
            return new Monomial(Arrays.stream(merged).boxed().toList());
        }

        Monomial without(int position) {
            List<Integer> rest = new ArrayList<>(factors.subList(0, position));
            rest.addAll(factors.subList(position + 1, factors.size()));
            return new Monomial(rest);
        }
    }

    static Map<Monomial, Fraction> variable(int index) {
        return Map.of(new Monomial(List.of(index)), Fraction.ONE);
    }

    static Map<Monomial, Fraction> constant(Fraction value) {
        return value.isZero() ? Map.of() : Map.of(Monomial.ONE, value);
    }

    static Map<Monomial, Fraction> product(Map<Monomial, Fraction> left, Map<Monomial, Fraction> right) {
        Map<Monomial, Fraction> product = new HashMap<>();
        left.forEach((monomial, value) -> right.forEach(
                (other, factor) -> product.merge(monomial.times(other), value.times(factor), Fraction::plus)));
        product.values().removeIf(Fraction::isZero);
        return product;
    }

    /** Adds to a sum, which is modified. */
    static void add(Map<Monomial, Fraction> sum, Map<Monomial, Fraction> terms, Fraction factor) {
        terms.forEach((monomial, value) -> sum.merge(monomial, value.times(factor), Fraction::plus));
        sum.values().removeIf(Fraction::isZero);
    }
}
