package org.isoloss.lie;

import cc.redberry.rings.Rational;
import cc.redberry.rings.Rings;
import cc.redberry.rings.bigint.BigInteger;
import cc.redberry.rings.poly.PolynomialMethods;
import cc.redberry.rings.poly.univar.UnivariatePolynomial;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;

/**
 * A simple ideal of a semisimple Lie algebra over the rationals.
 *
 * @param dimension at least 3
 * @param killing the inertia of its Killing form
 * @param centroid the dimension of its centroid: 1 when it stays simple over the complex numbers
 */
public record SimpleIdeal(int dimension, Inertia killing, int centroid) {
    /**
     * Splits a semisimple algebra. Its centroid, the linear maps that commute with every bracket, is a product of fields,
     * one for each simple ideal; a generic element of it tells them apart by the factors of its minimal polynomial (de
     * Graaf, Lie Algebras: Theory and Algorithms, section 4.12).
     */
    static List<SimpleIdeal> of(StructureConstants semisimple) {
        if (semisimple.dimension() == 0) {
            return List.of();
        }
        List<RationalMatrix> whole = centroid(semisimple);
        if (whole.size() == 1) {
            return List.of(new SimpleIdeal(semisimple.dimension(), Inertia.of(semisimple.killingForm()), 1));
        }
        List<SimpleIdeal> ideals = new ArrayList<>();
        for (Subspace ideal : split(semisimple.dimension(), whole)) {
            StructureConstants restricted = semisimple.restricted(ideal);
            ideals.add(new SimpleIdeal(
                    ideal.dimension(),
                    Inertia.of(restricted.killingForm()),
                    centroid(restricted).size()));
        }
        ideals.sort(Comparator.comparingInt(SimpleIdeal::dimension).reversed());
        return ideals;
    }

    /**
     * {@return a name, as far as dimension and signature settle it: {@code sl(n)}, {@code so(3)}, or the dimension and the
     * signature}
     */
    public String name() {
        int n = (int) Math.round(Math.sqrt(dimension + 1.0));
        if (centroid == 1 && n * n - 1 == dimension && killing.negative() == n * (n - 1) / 2 && killing.zero() == 0) {
            return "sl(" + n + ")";
        }
        if (dimension == 3 && killing.isNegativeDefinite()) {
            return "so(3)";
        }
        return "simple(%d; %d, %d)".formatted(dimension, killing.positive(), killing.negative());
    }

    private static List<Subspace> split(int n, List<RationalMatrix> centroid) {
        for (int attempt = 1; ; attempt++) {
            RationalMatrix generic = RationalMatrix.of(n, n, RationalVector.zero(n * n));
            for (int k = 0; k < centroid.size(); k++) {
                generic = generic.plus(Rationals.of((long) (k + 1) * (k + attempt)), centroid.get(k));
            }
            UnivariatePolynomial<Rational<BigInteger>> minimal = minimalPolynomial(generic);
            if (minimal.degree() == centroid.size()) {
                List<Subspace> ideals = new ArrayList<>();
                for (UnivariatePolynomial<Rational<BigInteger>> factor : PolynomialMethods.Factor(minimal)) {
                    ideals.add(kernel(factor, generic));
                }
                return ideals;
            }
        }
    }

    /** A basis of the maps phi with phi([e, x]) = [e, phi(x)] for all e, x. */
    private static List<RationalMatrix> centroid(StructureConstants algebra) {
        int n = algebra.dimension();
        Subspace.Builder conditions = new Subspace.Builder(n * n);
        for (int e = 0; e < n; e++) {
            for (int x = 0; x < n; x++) {
                for (RationalVector condition : conditions(algebra, e, x)) {
                    conditions.add(condition);
                    if (conditions.dimension() == n * n - 1) {
                        return List.of(RationalMatrix.identity(n)); // the identity always belongs to it
                    }
                }
            }
        }
        return conditions.subspace().complement().basis().stream()
                .map(flat -> RationalMatrix.of(n, n, flat))
                .toList();
    }

    private static List<RationalVector> conditions(StructureConstants algebra, int e, int x) {
        int n = algebra.dimension();
        List<NavigableMap<Integer, Rational<BigInteger>>> rows = new ArrayList<>();
        for (int c = 0; c < n; c++) {
            rows.add(new TreeMap<>());
        }
        RationalVector bracket = algebra.bracket(e, x);
        for (int k = 0; k < bracket.count(); k++) { // phi([e, x])_c, phi_(c, k) at c n + k
            for (int c = 0; c < n; c++) {
                rows.get(c).merge(c * n + bracket.index(k), bracket.value(k), Rational::add);
            }
        }
        for (int a = 0; a < n; a++) { // [e, phi(x)]_c = sum over a of phi_(a, x) [e, a]_c
            RationalVector image = algebra.bracket(e, a);
            for (int k = 0; k < image.count(); k++) {
                rows.get(image.index(k)).merge(a * n + x, image.value(k).negate(), Rational::add);
            }
        }
        return rows.stream().map(row -> RationalVector.of(n * n, row)).toList();
    }

    private static UnivariatePolynomial<Rational<BigInteger>> minimalPolynomial(RationalMatrix matrix) {
        int n = matrix.rows();
        List<RationalVector> powers = new ArrayList<>();
        RationalMatrix power = RationalMatrix.identity(n);
        while (true) {
            RationalVector flat = power.flatten();
            Subspace before = Subspace.span(n * n, powers);
            if (before.contains(flat)) {
                RationalVector combination = Subspace.solve(
                                RationalMatrix.of(n * n, powers).transpose(), flat)
                        .orElseThrow();
                List<Rational<BigInteger>> coefficients = new ArrayList<>();
                for (int k = 0; k < powers.size(); k++) {
                    coefficients.add(combination.get(k).negate());
                }
                coefficients.add(Rationals.ONE);
                return UnivariatePolynomial.create(
                        Rings.Q, coefficients.toArray(Rings.Q.createArray(coefficients.size())));
            }
            powers.add(flat);
            power = power.times(matrix);
        }
    }

    private static Subspace kernel(UnivariatePolynomial<Rational<BigInteger>> polynomial, RationalMatrix matrix) {
        int n = matrix.rows();
        RationalMatrix value = RationalMatrix.of(n, n, RationalVector.zero(n * n));
        for (int k = polynomial.degree(); k >= 0; k--) { // Horner
            value = value.times(matrix).plus(polynomial.get(k), RationalMatrix.identity(n));
        }
        List<RationalVector> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            rows.add(value.row(i));
        }
        return Subspace.nullSpace(n, rows);
    }
}
