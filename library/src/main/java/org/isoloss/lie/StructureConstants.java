package org.isoloss.lie;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;

/**
 * The bracket table of a Lie algebra over the rationals: {@code [e_i, e_j]} in the basis {@code e_1 .. e_n}. Subspaces are
 * given in these coordinates. Immutable.
 */
public final class StructureConstants {
    private final int dimension;
    private final List<List<RationalVector>> brackets;

    private StructureConstants(int dimension, List<List<RationalVector>> brackets) {
        this.dimension = dimension;
        this.brackets = brackets;
    }

    /**
     * Fills the table from the brackets of basis elements with i &lt; j; the others follow by antisymmetry.
     *
     * @param dimension n, at least 0
     * @param bracket gives {@code [e_i, e_j]} for i below j, of length n
     * @return the table
     */
    static StructureConstants of(int dimension, BiFunction<Integer, Integer, RationalVector> bracket) {
        List<List<RationalVector>> table = new ArrayList<>();
        for (int i = 0; i < dimension; i++) {
            List<RationalVector> row = new ArrayList<>();
            for (int j = 0; j < dimension; j++) {
                if (i < j) {
                    row.add(bracket.apply(i, j));
                } else if (i == j) {
                    row.add(RationalVector.zero(dimension));
                } else {
                    row.add(table.get(j).get(i).scaled(Rationals.of(-1)));
                }
            }
            table.add(row);
        }
        return new StructureConstants(dimension, table);
    }

    /** {@return the number of basis elements, at least 0} */
    public int dimension() {
        return dimension;
    }

    /**
     * Returns the bracket of two basis elements.
     *
     * @param i from 0
     * @param j from 0
     * @return the coordinates of {@code [e_i, e_j]}
     */
    public RationalVector bracket(int i, int j) {
        return brackets.get(i).get(j);
    }

    /**
     * Returns the bracket of two elements.
     *
     * @param x coordinates, length n
     * @param y coordinates, length n
     * @return coordinates of {@code [x, y]}
     */
    public RationalVector bracket(RationalVector x, RationalVector y) {
        RationalVector sum = RationalVector.zero(dimension);
        for (int k = 0; k < x.count(); k++) {
            for (int l = 0; l < y.count(); l++) {
                sum = sum.plus(x.value(k).multiply(y.value(l)), bracket(x.index(k), y.index(l)));
            }
        }
        return sum;
    }

    /** {@return the elements that commute with all, a subspace of the coordinates} */
    public Subspace center() {
        Subspace.Builder conditions = new Subspace.Builder(dimension);
        for (int j = 0; j < dimension && conditions.dimension() < dimension; j++) {
            List<NavigableMap<Integer, Rational<BigInteger>>> rows = new ArrayList<>();
            for (int c = 0; c < dimension; c++) {
                rows.add(new TreeMap<>());
            }
            for (int i = 0; i < dimension; i++) {
                RationalVector bracket = bracket(i, j);
                for (int k = 0; k < bracket.count(); k++) {
                    rows.get(bracket.index(k)).put(i, bracket.value(k));
                }
            }
            rows.forEach(row -> conditions.add(RationalVector.of(dimension, row)));
        }
        return conditions.subspace().complement();
    }

    /**
     * Returns the span of the brackets of two subspaces.
     *
     * @param left in coordinates
     * @param right in coordinates
     * @return the span of all {@code [x, y]}
     */
    public Subspace bracket(Subspace left, Subspace right) {
        Subspace.Builder span = new Subspace.Builder(dimension);
        for (RationalVector x : left.basis()) {
            for (RationalVector y : right.basis()) {
                span.add(bracket(x, y));
            }
        }
        return span.subspace();
    }

    /** {@return the whole algebra as a subspace, of dimension n} */
    public Subspace whole() {
        Subspace.Builder all = new Subspace.Builder(dimension);
        for (int i = 0; i < dimension; i++) {
            all.add(RationalVector.unit(dimension, i));
        }
        return all.subspace();
    }

    /** {@return the span of all brackets, the derived algebra} */
    public Subspace derived() {
        Subspace.Builder span = new Subspace.Builder(dimension);
        for (int i = 0; i < dimension; i++) {
            for (int j = i + 1; j < dimension; j++) {
                span.add(bracket(i, j));
            }
        }
        return span.subspace();
    }

    /**
     * {@return the algebra, its derived algebra, the derived algebra of that, and so on until the dimension stays: at least
     * one; the last is 0 exactly when the algebra is solvable}
     */
    public List<Subspace> derivedSeries() {
        List<Subspace> series = new ArrayList<>(List.of(whole()));
        for (Subspace next = derived(); next.dimension() < series.getLast().dimension(); ) {
            series.add(next);
            next = bracket(next, next);
        }
        return series;
    }

    /** {@return the Killing form {@code K(x, y) = trace(ad x ad y)}: symmetric, n x n} */
    public RationalMatrix killingForm() {
        List<RationalMatrix> adjoints = new ArrayList<>();
        List<RationalVector> transposed = new ArrayList<>();
        for (int i = 0; i < dimension; i++) {
            RationalMatrix rows = RationalMatrix.of(dimension, brackets.get(i)); // row j holds [e_i, e_j]
            adjoints.add(rows);
            transposed.add(rows.transpose().flatten());
        }
        List<RationalVector> form = new ArrayList<>();
        for (RationalMatrix left : adjoints) {
            RationalVector flat = left.flatten();
            form.add(RationalVector.of(transposed.stream().map(flat::dot).toList()));
        }
        return RationalMatrix.of(dimension, form);
    }

    /**
     * {@return the largest solvable ideal: the elements that are orthogonal to the derived algebra in the Killing form
     * (Bourbaki, Lie Groups and Lie Algebras, chapter I, section 5, proposition 5); a subspace of the coordinates}
     */
    public Subspace radical() {
        RationalMatrix derived = RationalMatrix.of(dimension, derived().basis());
        RationalMatrix conditions = derived.times(killingForm());
        List<RationalVector> rows = new ArrayList<>();
        for (int i = 0; i < conditions.rows(); i++) {
            rows.add(conditions.row(i));
        }
        return Subspace.nullSpace(dimension, rows);
    }

    /**
     * Returns the quotient by an ideal, in the classes of the basis elements at which no basis vector of the ideal begins.
     *
     * @param ideal an ideal, in coordinates
     * @return of dimension n minus that of the ideal
     */
    public StructureConstants quotient(Subspace ideal) {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0, k = 0; i < dimension; i++) {
            if (k < ideal.dimension() && ideal.pivot(k) == i) {
                k++;
            } else {
                kept.add(i);
            }
        }
        return of(kept.size(), (i, j) -> {
            RationalVector bracket = bracket(kept.get(i), kept.get(j));
            RationalVector rest = bracket;
            for (int k = 0; k < ideal.dimension(); k++) {
                rest = rest.plus(
                        bracket.get(ideal.pivot(k)).negate(), ideal.basis().get(k));
            }
            RationalVector reduced = rest;
            return RationalVector.of(kept.stream().map(reduced::get).toList());
        });
    }

    /**
     * Returns a subalgebra in its reduced basis.
     *
     * @param subalgebra closed under brackets, in coordinates
     * @return of the dimension of the subspace
     */
    public StructureConstants restricted(Subspace subalgebra) {
        return of(
                subalgebra.dimension(),
                (i, j) -> subalgebra
                        .coordinates(bracket(
                                subalgebra.basis().get(i), subalgebra.basis().get(j)))
                        .orElseThrow(() -> new IllegalArgumentException(
                                "StructureConstants.restricted: the bracket of elements %d and %d leaves the subspace"
                                        .formatted(i + 1, j + 1))));
    }
}
