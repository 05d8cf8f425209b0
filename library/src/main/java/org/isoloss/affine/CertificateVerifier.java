package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.isoloss.affine.CertificateContent.Place;

/**
 * Checks a certificate from nothing but its text, by a second code path: other arithmetic, other polynomials, derivatives
 * forward instead of backward, another prime.
 */
public final class CertificateVerifier {
    private CertificateVerifier() {}

    /**
     * Checks every claim.
     *
     * @param json the text of a certificate
     * @return what was checked, and whether it holds
     * @throws IllegalArgumentException when the text is no certificate at all
     */
    public static CertificateReport verify(String json) {
        CertificateContent content = CertificateContent.read(json);
        List<CertificateReport.Check> checks = new ArrayList<>();
        checks.add(new CertificateReport.Check(
                "independence",
                content.fields.size() == content.dimension && rank(content) == content.dimension,
                "%d fields of rank %d, claimed %d".formatted(content.fields.size(), rank(content), content.dimension)));
        String wrongBracket = wrongBracket(content);
        checks.add(new CertificateReport.Check(
                "closure",
                wrongBracket.isEmpty(),
                wrongBracket.isEmpty()
                        ? "all %d brackets are the combinations claimed"
                                .formatted(content.dimension * (content.dimension - 1) / 2)
                        : wrongBracket));
        checks.add(structure(content));
        String unpreserved = unpreserved(content);
        checks.add(new CertificateReport.Check(
                "preservation",
                unpreserved.isEmpty(),
                unpreserved.isEmpty() ? words(content.preservation) : unpreserved));
        if (content.bound >= 0) {
            long bound = CertifiedBound.of(content);
            checks.add(new CertificateReport.Check(
                    "completeness",
                    bound == content.dimension && content.bound == bound,
                    "no more than %d independent affine fields preserve the outputs, claimed %d"
                            .formatted(bound, content.bound)));
        }
        return new CertificateReport(content.name, content.dimension, checks);
    }

    private static String words(String preservation) {
        return preservation.equals("known-families")
                ? "every field is the combination of known families claimed"
                : "every output component is constant along every field, as a polynomial";
    }

    private static String unpreserved(CertificateContent content) {
        return switch (content.preservation) {
            case "known-families" -> CertifiedFamilies.wrongField(content);
            case "polynomial-identity" -> CertifiedPolynomials.wrongField(content);
            default -> "the kind of proof \"%s\" is unknown".formatted(content.preservation);
        };
    }

    /** The rank over the rationals is at least that modulo a prime, so this proves independence. */
    private static int rank(CertificateContent content) {
        Map<Place, Integer> columns = new LinkedHashMap<>();
        content.fields.forEach(field -> field.keySet().forEach(place -> columns.putIfAbsent(place, columns.size())));
        PrimeElimination elimination = new PrimeElimination(columns.size());
        for (Map<Place, Fraction> field : content.fields) {
            long[] row = new long[columns.size()];
            columns.forEach((place, column) ->
                    row[column] = field.getOrDefault(place, Fraction.ZERO).residue(PrimeElimination.PRIME));
            elimination.add(row);
        }
        return elimination.rank();
    }

    private static String wrongBracket(CertificateContent content) {
        List<Map<Integer, Map<Integer, Fraction>>> rows =
                content.fields.stream().map(CertificateVerifier::byRow).toList();
        for (int i = 0; i < content.fields.size(); i++) {
            for (int j = i + 1; j < content.fields.size(); j++) {
                Map<Place, Fraction> difference = new HashMap<>();
                addProduct(difference, content.fields.get(i), rows.get(j), Fraction.ONE);
                addProduct(difference, content.fields.get(j), rows.get(i), Fraction.of(-1));
                content.brackets
                        .getOrDefault(new Place(i, j), Map.of())
                        .forEach((k, coefficient) -> content.fields
                                .get(k)
                                .forEach((place, value) -> difference.merge(
                                        place, value.times(coefficient).negated(), Fraction::plus)));
                if (difference.values().stream().anyMatch(value -> !value.isZero())) {
                    return "the bracket of fields %d and %d is not the combination claimed".formatted(i + 1, j + 1);
                }
            }
        }
        return "";
    }

    private static Map<Integer, Map<Integer, Fraction>> byRow(Map<Place, Fraction> field) {
        Map<Integer, Map<Integer, Fraction>> rows = new HashMap<>();
        field.forEach((place, value) ->
                rows.computeIfAbsent(place.row(), _ -> new HashMap<>()).put(place.column(), value));
        return rows;
    }

    /** Adds the product of two matrices {@code [A b; 0 0]}; the last row of the right one is zero. */
    private static void addProduct(
            Map<Place, Fraction> sum,
            Map<Place, Fraction> left,
            Map<Integer, Map<Integer, Fraction>> right,
            Fraction sign) {
        left.forEach((place, value) -> right.getOrDefault(place.column(), Map.of())
                .forEach((column, factor) -> sum.merge(
                        new Place(place.row(), column), value.times(factor).times(sign), Fraction::plus)));
    }

    /** Dimensions of center and derived algebra from the bracket table, by elimination with fractions. */
    private static CertificateReport.Check structure(CertificateContent content) {
        int n = content.fields.size();
        List<Map<Integer, Fraction>> derived = new ArrayList<>(content.brackets.values());
        Map<Place, Map<Integer, Fraction>> conditions = new HashMap<>(); // (j, component): sum of x_i [e_i, e_j]
        content.brackets.forEach((pair, value) -> value.forEach((k, coefficient) -> {
            conditions
                    .computeIfAbsent(new Place(pair.column(), k), _ -> new HashMap<>())
                    .merge(pair.row(), coefficient, Fraction::plus);
            conditions
                    .computeIfAbsent(new Place(pair.row(), k), _ -> new HashMap<>())
                    .merge(pair.column(), coefficient.negated(), Fraction::plus);
        }));
        int derivedDimension = rank(derived);
        int centerDimension = n - rank(new ArrayList<>(conditions.values()));
        return new CertificateReport.Check(
                "structure",
                derivedDimension == content.derived && centerDimension == content.center,
                "center of dimension %d, claimed %d; derived algebra of dimension %d, claimed %d"
                        .formatted(centerDimension, content.center, derivedDimension, content.derived));
    }

    private static int rank(List<Map<Integer, Fraction>> rows) {
        Map<Integer, NavigableMap<Integer, Fraction>> pivots = new HashMap<>();
        for (Map<Integer, Fraction> row : rows) {
            NavigableMap<Integer, Fraction> rest = new TreeMap<>(row);
            rest.values().removeIf(Fraction::isZero);
            while (!rest.isEmpty()) {
                Map.Entry<Integer, Fraction> lead = rest.firstEntry();
                NavigableMap<Integer, Fraction> pivot = pivots.get(lead.getKey());
                if (pivot == null) {
                    pivots.put(lead.getKey(), rest);
                    break;
                }
                Fraction factor =
                        lead.getValue().over(pivot.firstEntry().getValue()).negated();
                pivot.forEach((index, value) -> rest.merge(index, value.times(factor), Fraction::plus));
                rest.values().removeIf(Fraction::isZero);
            }
        }
        return pivots.size();
    }
}
