package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.exact.Subspace;

/**
 * What a Lie algebra is, computed exactly over the rationals.
 *
 * @param dimension of the algebra
 * @param center dimension of the center
 * @param derived dimension of the derived algebra
 * @param derivedSeries dimensions of the derived series, the algebra itself first, until they stay
 * @param radical dimension of the largest solvable ideal
 * @param killing the inertia of the Killing form of the whole algebra
 * @param simple the simple ideals of the quotient by the radical, largest first; for a reductive algebra they are ideals
 *     of the algebra itself; empty when {@code split} is false
 * @param split whether the quotient by the radical was split: above dimension {@value #SPLIT_LIMIT} it is not
 */
public record AlgebraStructure(
        int dimension,
        int center,
        int derived,
        List<Integer> derivedSeries,
        int radical,
        Inertia killing,
        List<SimpleIdeal> simple,
        boolean split) {
    static final int SPLIT_LIMIT = 80;

    /** Keeps its own lists. */
    public AlgebraStructure {
        derivedSeries = List.copyOf(derivedSeries);
        simple = List.copyOf(simple);
    }

    static AlgebraStructure of(StructureConstants brackets) {
        List<Subspace> series = brackets.derivedSeries();
        Subspace radical = brackets.radical();
        StructureConstants semisimple = brackets.quotient(radical);
        boolean split = semisimple.dimension() <= SPLIT_LIMIT;
        return new AlgebraStructure(
                brackets.dimension(),
                brackets.center().dimension(),
                brackets.derived().dimension(),
                series.stream().map(Subspace::dimension).toList(),
                radical.dimension(),
                Inertia.of(brackets.killingForm()),
                split ? SimpleIdeal.of(semisimple) : List.of(),
                split);
    }

    /** {@return whether the derived series ends at 0: true when the radical is everything} */
    public boolean isSolvable() {
        return radical == dimension;
    }

    /** {@return whether the algebra is the direct sum of its center and simple ideals: true when the radical is the center} */
    public boolean isReductive() {
        return radical == center;
    }

    /**
     * {@return {@link #name} with gl(n) in place of sl(n) and a line of the center, as long as there are both, which is isomorphic:
     * for example {@code gl(3) + gl(3)}}
     */
    public String generalLinearName() {
        if (!isReductive() || !split || dimension == 0) {
            return name();
        }
        List<String> parts = new ArrayList<>();
        int lines = center;
        for (SimpleIdeal ideal : simple) {
            boolean special = ideal.name().startsWith("sl(") && lines > 0;
            parts.add(special ? ideal.name().replaceFirst("^s", "g") : ideal.name());
            lines -= special ? 1 : 0;
        }
        if (lines > 0) {
            parts.add(lines == 1 ? "R" : "R^" + lines);
        }
        return String.join(" + ", parts);
    }

    /**
     * {@return a name up to isomorphism, as far as dimensions and signatures settle it: for example {@code sl(2) + sl(2) +
     * R^2}, {@code R^8}, {@code sl(2) with a radical of dimension 3}, {@code 0}}
     */
    public String name() {
        if (dimension == 0) {
            return "0";
        }
        List<String> parts = new ArrayList<>();
        if (!split) {
            parts.add("semisimple of dimension " + (dimension - radical));
        }
        simple.forEach(ideal -> parts.add(ideal.name()));
        if (isReductive()) {
            if (center > 0) {
                parts.add(center == 1 ? "R" : "R^" + center);
            }
            return String.join(" + ", parts);
        }
        if (isSolvable()) {
            return "solvable of dimension " + dimension;
        }
        return parts.stream().collect(Collectors.joining(" + ")) + " with a radical of dimension " + radical;
    }
}
