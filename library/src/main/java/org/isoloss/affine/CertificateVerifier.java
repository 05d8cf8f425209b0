package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.isoloss.affine.CertificateContent.Place;
import org.isoloss.affine.CertificateContent.UpperBound;

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
     * @throws IllegalArgumentException when the text is no certificate, or one of a network too large to be checked; the
     *     message is one line
     */
    public static CertificateReport verify(String json) {
        CertificateContent content = CertificateContent.read(json);
        List<CertificateReport.Check> checks = new ArrayList<>();
        int rank = rank(content);
        checks.add(new CertificateReport.Check(
                "independence",
                content.fields.size() == content.dimension && rank == content.dimension,
                "%d fields of rank %d, claimed %d".formatted(content.fields.size(), rank, content.dimension)));
        String wrongBracket = wrongBracket(content);
        long pairs = content.fields.size() * (content.fields.size() - 1L) / 2;
        checks.add(new CertificateReport.Check(
                "closure",
                wrongBracket.isEmpty(),
                wrongBracket.isEmpty()
                        ? "all %d brackets are the combinations claimed".formatted(pairs)
                        : wrongBracket));
        checks.add(structure(content));
        String unpreserved = unpreserved(content);
        checks.add(new CertificateReport.Check(
                "preservation",
                unpreserved.isEmpty(),
                unpreserved.isEmpty() ? words(content.preservation) : unpreserved));
        Optional<String> name = Optional.empty();
        if (checks.stream().allMatch(CertificateReport.Check::holds)) {
            String wrongCombination = content.circuit.isPresent() ? "" : CertifiedFamilies.wrongCombination(content);
            name = wrongCombination.isEmpty() ? CertifiedName.of(content) : Optional.empty();
            name(content, wrongCombination, name).ifPresent(checks::add);
        }
        content.upperBound.ifPresent(upper -> checks.add(completeness(content, upper, checks)));
        return new CertificateReport(name, content.fields.size(), checks);
    }

    /** The name is compared where it can be derived; elsewhere nothing is said about it. */
    private static Optional<CertificateReport.Check> name(
            CertificateContent content, String wrongCombination, Optional<String> derived) {
        if (!wrongCombination.isEmpty()) {
            return Optional.of(new CertificateReport.Check("name", false, wrongCombination));
        }
        return derived.map(name -> new CertificateReport.Check(
                "name",
                name.equals(content.name),
                "%s: %s%s"
                        .formatted(
                                content.circuit.isPresent()
                                        ? "all brackets are zero"
                                        : "the fields span the known families of this network",
                                name,
                                name.equals(content.name) ? "" : ", claimed " + CertificateNode.shown(content.name))));
    }

    /** The bound is a long computation, so it is made only for a certificate that is right in all else. */
    private static CertificateReport.Check completeness(
            CertificateContent content, UpperBound upper, List<CertificateReport.Check> before) {
        Optional<String> obstacle = content.circuit.isPresent()
                ? CertifiedCircuitBound.obstacle(content.circuit.get())
                : CertifiedBound.obstacle(content);
        if (obstacle.isPresent()) {
            return new CertificateReport.Check(
                    "completeness", false, "no bound can be proved for this network: " + obstacle.get());
        }
        for (CertificateReport.Check check : before) {
            if (!check.holds()) {
                return new CertificateReport.Check(
                        "completeness", false, "not computed, as %s fails".formatted(check.claim()));
            }
        }
        if (upper.bound() != content.fields.size()) {
            return new CertificateReport.Check(
                    "completeness",
                    false,
                    "a bound of %d is claimed for %d fields".formatted(upper.bound(), content.fields.size()));
        }
        long bound = content.circuit.isPresent()
                ? CertifiedCircuitBound.of(content, content.circuit.get(), upper)
                : CertifiedBound.of(content, upper);
        return new CertificateReport.Check(
                "completeness",
                bound == upper.bound(),
                "no more than %d independent affine fields preserve the outputs, claimed %d"
                        .formatted(bound, upper.bound()));
    }

    private static String words(String preservation) {
        return preservation.equals("known-families")
                ? "every field is the combination of known families claimed"
                : "every output component is constant along every field, as a polynomial";
    }

    private static String unpreserved(CertificateContent content) {
        if (content.circuit.isPresent() && content.preservation.equals("polynomial-identity")) {
            return CertifiedIdentities.wrongField(content, content.circuit.get());
        }
        if (content.circuit.isPresent()) {
            return "the kind of proof %s is unknown for such a network"
                    .formatted(CertificateNode.shown(content.preservation));
        }
        return switch (content.preservation) {
            case "known-families" -> CertifiedFamilies.wrongField(content);
            case "polynomial-identity" -> CertifiedPolynomials.wrongField(content);
            default -> "the kind of proof %s is unknown".formatted(CertificateNode.shown(content.preservation));
        };
    }

    private static int rank(CertificateContent content) {
        int stride = content.parameterCount() + 1;
        List<Map<Integer, Fraction>> rows = new ArrayList<>();
        for (Map<Place, Fraction> field : content.fields) {
            Map<Integer, Fraction> row = new HashMap<>();
            field.forEach((place, value) -> row.put(place.row() * stride + place.column(), value));
            rows.add(row);
        }
        return rank(rows);
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

    static int rank(List<Map<Integer, Fraction>> rows) {
        return reduced(rows).size();
    }

    /** Independent rows that span the same, each with a first entry where no other has its first. */
    static Collection<NavigableMap<Integer, Fraction>> reduced(List<? extends Map<Integer, Fraction>> rows) {
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
        return pivots.values();
    }
}
