package org.isoloss.affine;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.isoloss.lie.StructureConstants;

/** The brackets of named generators, written in these generators. */
public final class BracketTable {
    /** Above this dimension the table is too long to be read. */
    static final int LARGEST = 64;

    private BracketTable() {}

    /**
     * One bracket that is not zero.
     *
     * @param left name of the left generator
     * @param right name of the right generator
     * @param value the combination in words, for example {@code E1,2 on hidden layer 1 - 1/2 E2,2 on hidden layer 1}
     */
    public record Row(String left, String right, String value) {}

    /** Changes coordinates of a bracket table in the reduced basis of a span of flattened fields. */
    static List<Row> of(List<NamedField> generators, Subspace span, StructureConstants brackets) {
        int n = generators.size();
        List<RationalVector> coordinates = generators.stream()
                .map(generator -> span.coordinates(generator.field().flatten()).orElseThrow())
                .toList();
        List<RationalVector> inverse = inverse(coordinates);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                RationalVector bracket = brackets.bracket(coordinates.get(i), coordinates.get(j));
                RationalVector named = RationalVector.zero(n);
                for (int k = 0; k < bracket.count(); k++) {
                    named = named.plus(bracket.value(k), inverse.get(bracket.index(k)));
                }
                if (!named.isZero()) {
                    rows.add(new Row(generators.get(i).name(), generators.get(j).name(), words(named, generators)));
                }
            }
        }
        return rows;
    }

    /** Row k holds the k-th unit vector as a combination of the given rows. */
    private static List<RationalVector> inverse(List<RationalVector> rows) {
        int n = rows.size();
        Subspace.Builder augmented = new Subspace.Builder(2 * n);
        for (int i = 0; i < n; i++) {
            NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
            for (int k = 0; k < rows.get(i).count(); k++) {
                entries.put(rows.get(i).index(k), rows.get(i).value(k));
            }
            entries.put(n + i, Rationals.ONE);
            augmented.add(RationalVector.of(2 * n, entries));
        }
        return augmented.subspace().basis().stream()
                .map(row -> {
                    NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
                    for (int k = 1; k < row.count(); k++) {
                        entries.put(row.index(k) - n, row.value(k));
                    }
                    return RationalVector.of(n, entries);
                })
                .toList();
    }

    private static String words(RationalVector combination, List<NamedField> generators) {
        StringBuilder words = new StringBuilder();
        for (int k = 0; k < combination.count(); k++) {
            String value = Rationals.text(combination.value(k));
            boolean negative = value.startsWith("-");
            String size = negative ? value.substring(1) : value;
            words.append(k == 0 ? negative ? "-" : "" : negative ? " - " : " + ")
                    .append(size.equals("1") ? "" : size + " ")
                    .append(generators.get(combination.index(k)).name());
        }
        return words.toString();
    }
}
