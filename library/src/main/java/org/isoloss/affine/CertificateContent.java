package org.isoloss.affine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What a certificate says, read strictly: an unknown or missing key, a wrong type or an index out of range is refused. */
final class CertificateContent {
    /**
     * Limits what a hostile file can make the verifier do. The p coefficients by which parameters move in proportion to
     * themselves are one block of unknowns; {@link AffineFields} recovers no larger network.
     */
    static final int MOST_PARAMETERS = 4_000;

    private static final int MOST_WEIGHT = 1_000_000;

    private static final Pattern NOT_TRANSCENDENTAL = Pattern.compile("identity|relu|leaky_relu|z\\^[2-9]");

    /** The network where it is written out; it has no widths then. */
    final Optional<CertifiedCircuit> circuit;

    final List<Integer> widths = new ArrayList<>();
    final List<String> activations = new ArrayList<>();
    final List<Boolean> biases = new ArrayList<>();
    final String name;
    final int dimension;
    final int center;
    final int derived;
    final String preservation;

    /** For each field its coefficients by {@code (moving parameter, parameter or p for 1)}. */
    final List<Map<Place, Fraction>> fields = new ArrayList<>();

    /** For each field what it is claimed to be the sum of; nothing where nothing is claimed. */
    final List<Optional<List<Part>>> combinations = new ArrayList<>();

    final Map<Place, Map<Integer, Fraction>> brackets = new LinkedHashMap<>();
    final Optional<UpperBound> upperBound;
    final List<String> parameterNames = new ArrayList<>();

    /** A pair of indices from 0. */
    record Place(int row, int column) {}

    /** A multiple of a known field; all from 1. */
    record Part(String kind, int layer, int to, int from, Fraction coefficient) {}

    /** What proves that there is no further field; the last three for a network that is written out. */
    record UpperBound(
            int bound,
            long seed,
            int points,
            List<Integer> fixed,
            List<Map<Integer, Long>> scalings,
            List<Set<Integer>> signs) {}

    private CertificateContent(CertificateNode root) {
        root.requireKeys(
                Set.of(
                        "format",
                        "version",
                        "network",
                        "seeds",
                        "name",
                        "dimension",
                        "center",
                        "derived",
                        "preservation",
                        "fields",
                        "brackets"),
                Set.of("upper_bound"));
        if (!root.get("format").text().equals(Certificate.FORMAT)) {
            throw root.get("format").expected("\"" + Certificate.FORMAT + "\"");
        }
        if (root.get("version").wholeNumber(Certificate.VERSION, Certificate.CIRCUIT_VERSION) == Certificate.VERSION) {
            circuit = Optional.empty();
            readNetwork(root.get("network"));
        } else {
            circuit = Optional.of(new CertifiedCircuit(root.get("network")));
            parameterNames.addAll(circuit.get().parameterNames);
        }
        root.get("seeds").items().forEach(CertificateNode::longNumber);
        name = root.get("name").text();
        dimension = root.get("dimension").wholeNumber(0, Integer.MAX_VALUE);
        center = root.get("center").wholeNumber(0, Integer.MAX_VALUE);
        derived = root.get("derived").wholeNumber(0, Integer.MAX_VALUE);
        preservation = root.get("preservation").text();
        Map<String, Integer> indices = new LinkedHashMap<>();
        parameterNames.forEach(parameter -> indices.put(parameter, indices.size()));
        root.get("fields").items().forEach(field -> readField(field, indices));
        root.get("brackets").items().forEach(this::readBracket);
        upperBound =
                root.has("upper_bound") ? Optional.of(upperBound(root.get("upper_bound"), indices)) : Optional.empty();
    }

    static CertificateContent read(String json) {
        return new CertificateContent(CertificateNode.root(json));
    }

    int parameterCount() {
        return parameterNames.size();
    }

    private void readNetwork(CertificateNode network) {
        network.requireKeys(Set.of("widths", "activations", "biases"), Set.of());
        network.get("widths").items().forEach(width -> widths.add(width.wholeNumber(1, MOST_PARAMETERS)));
        if (widths.size() < 2) {
            throw network.get("widths").expected("at least two widths");
        }
        network.get("activations").items(widths.size() - 2).forEach(activation -> activations.add(known(activation)));
        network.get("biases").items(widths.size() - 1).forEach(bias -> biases.add(bias.truth()));
        for (int layer = 1; layer < widths.size(); layer++) {
            int rows = widths.get(layer);
            int columns = widths.get(layer - 1) + (biases.get(layer - 1) ? 1 : 0);
            if (parameterNames.size() + (long) rows * columns > MOST_PARAMETERS) {
                throw network.get("widths").expected("a network of at most %d parameters".formatted(MOST_PARAMETERS));
            }
            for (int row = 1; row <= rows; row++) {
                for (int column = 1; column <= widths.get(layer - 1); column++) {
                    parameterNames.add("W%d[%d,%d]".formatted(layer, row, column));
                }
            }
            for (int row = 1; biases.get(layer - 1) && row <= rows; row++) {
                parameterNames.add("b%d[%d]".formatted(layer, row));
            }
        }
    }

    /** Everything that follows takes a name that it does not know for another function. */
    private static String known(CertificateNode activation) {
        String label = activation.text();
        if (!TaylorSeries.isTranscendental(label)
                && !NOT_TRANSCENDENTAL.matcher(label).matches()) {
            throw activation.expected(
                    "identity, relu, leaky_relu, z^2 to z^9, tanh, sigmoid, silu, softplus, gelu or gelu_tanh");
        }
        return label;
    }

    private void readField(CertificateNode field, Map<String, Integer> indices) {
        field.requireKeys(Set.of("entries"), Set.of("combination"));
        Map<Place, Fraction> entries = new LinkedHashMap<>();
        for (CertificateNode entry : field.get("entries").items()) {
            List<CertificateNode> parts = entry.items(3);
            Integer row = indices.get(parts.get(0).text());
            String by = parts.get(1).text();
            Integer column = by.equals("1") ? Integer.valueOf(indices.size()) : indices.get(by);
            if (row == null || column == null) {
                throw entry.expected("the names of parameters of the network");
            }
            if (entries.put(new Place(row, column), parts.get(2).fraction()) != null) {
                throw entry.expected("each pair of parameters once in a field");
            }
        }
        fields.add(entries);
        combinations.add(field.has("combination") ? Optional.of(parts(field.get("combination"))) : Optional.empty());
    }

    private static List<Part> parts(CertificateNode combination) {
        List<Part> parts = new ArrayList<>();
        for (CertificateNode part : combination.items()) {
            part.requireKeys(Set.of("kind", "layer", "to", "from", "coefficient"), Set.of());
            parts.add(new Part(
                    part.get("kind").text(),
                    part.get("layer").wholeNumber(1, MOST_PARAMETERS),
                    part.get("to").wholeNumber(1, MOST_PARAMETERS),
                    part.get("from").wholeNumber(1, MOST_PARAMETERS),
                    part.get("coefficient").fraction()));
        }
        return parts;
    }

    private void readBracket(CertificateNode bracket) {
        bracket.requireKeys(Set.of("left", "right", "value"), Set.of());
        int left = bracket.get("left").wholeNumber(1, fields.size());
        int right = bracket.get("right").wholeNumber(1, fields.size());
        if (right <= left) {
            throw bracket.expected("a left field before the right one");
        }
        Map<Integer, Fraction> value = new LinkedHashMap<>();
        for (CertificateNode term : bracket.get("value").items()) {
            List<CertificateNode> parts = term.items(2);
            int index = parts.get(0).wholeNumber(1, fields.size());
            if (value.put(index - 1, parts.get(1).fraction()) != null) {
                throw term.expected("each field once in a bracket");
            }
        }
        if (brackets.put(new Place(left - 1, right - 1), value) != null) {
            throw bracket.expected("each bracket once");
        }
    }

    private UpperBound upperBound(CertificateNode upper, Map<String, Integer> indices) {
        List<Integer> fixed = new ArrayList<>();
        List<Map<Integer, Long>> scalings = new ArrayList<>();
        List<Set<Integer>> signs = new ArrayList<>();
        upper.requireKeys(
                circuit.isPresent()
                        ? Set.of("bound", "seed", "points", "fixed", "scalings", "signs")
                        : Set.of("bound", "seed", "points"),
                Set.of());
        if (circuit.isPresent()) {
            int most = parameterNames.size() + circuit.get().inputs - 1;
            for (CertificateNode name : upper.get("fixed").items()) {
                Integer index = indices.get(name.text());
                if (index == null || fixed.contains(index)) {
                    throw name.expected("the name of a parameter, each once");
                }
                fixed.add(index);
            }
            for (CertificateNode scaling : upper.get("scalings").items()) {
                Map<Integer, Long> weights = new LinkedHashMap<>();
                for (CertificateNode weight : scaling.items()) {
                    List<CertificateNode> parts = weight.items(2);
                    weights.put(parts.get(0).wholeNumber(0, most), (long)
                            parts.get(1).wholeNumber(-MOST_WEIGHT, MOST_WEIGHT));
                }
                scalings.add(weights);
            }
            for (CertificateNode sign : upper.get("signs").items()) {
                Set<Integer> variables = new LinkedHashSet<>();
                sign.items().forEach(variable -> variables.add(variable.wholeNumber(0, most)));
                signs.add(variables);
            }
        }
        return new UpperBound(
                upper.get("bound").wholeNumber(0, Integer.MAX_VALUE),
                upper.get("seed").longNumber(),
                upper.get("points").wholeNumber(0, Integer.MAX_VALUE),
                fixed,
                scalings,
                signs);
    }
}
