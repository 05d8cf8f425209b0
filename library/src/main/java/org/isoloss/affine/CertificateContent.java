package org.isoloss.affine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a certificate says, read strictly: an unknown or missing key, a wrong type or an index out of range is refused. */
final class CertificateContent {
    /** Limits what a hostile file can make the verifier do. */
    private static final int MOST_PARAMETERS = 20_000;

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

    final List<List<Part>> combinations = new ArrayList<>();
    final Map<Place, Map<Integer, Fraction>> brackets = new LinkedHashMap<>();

    /** The claimed bound, or -1. */
    final long bound;

    final long boundSeed;
    final int boundPoints;

    final List<String> parameterNames = new ArrayList<>();

    /** A pair of indices from 0. */
    record Place(int row, int column) {}

    /** A multiple of a known field; all from 1. */
    record Part(String kind, int layer, int to, int from, Fraction coefficient) {}

    private CertificateContent(JsonNode root) {
        requireKeys(
                root,
                "the certificate",
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
        if (!text(root, "format").equals("isoloss-certificate") || integer(root, "version") != 1) {
            throw new IllegalArgumentException("not a certificate of version 1, but \"%s\" of version %d"
                    .formatted(text(root, "format"), integer(root, "version")));
        }
        readNetwork(root.get("network"));
        name = text(root, "name");
        dimension = integer(root, "dimension");
        center = integer(root, "center");
        derived = integer(root, "derived");
        preservation = text(root, "preservation");
        Map<String, Integer> indices = new LinkedHashMap<>();
        parameterNames.forEach(parameter -> indices.put(parameter, indices.size()));
        for (JsonNode field : array(root, "fields")) {
            readField(field, indices);
        }
        for (JsonNode bracket : array(root, "brackets")) {
            readBracket(bracket);
        }
        JsonNode upper = root.get("upper_bound");
        if (upper != null) {
            requireKeys(upper, "upper_bound", Set.of("bound", "seed", "points"), Set.of());
        }
        bound = upper == null ? -1 : integer(upper, "bound");
        boundSeed = upper == null ? 0 : integer(upper, "seed");
        boundPoints = upper == null ? 0 : integer(upper, "points");
    }

    static CertificateContent read(String json) {
        try {
            return new CertificateContent(JsonMapper.builder().build().readTree(json));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    int parameterCount() {
        return parameterNames.size();
    }

    private void readNetwork(JsonNode network) {
        requireKeys(network, "network", Set.of("widths", "activations", "biases"), Set.of());
        array(network, "widths").forEach(width -> widths.add(width.asInt()));
        array(network, "activations").forEach(activation -> activations.add(activation.asString()));
        array(network, "biases").forEach(bias -> biases.add(bias.asBoolean()));
        if (widths.size() < 2
                || activations.size() != widths.size() - 2
                || biases.size() != widths.size() - 1
                || widths.stream().anyMatch(width -> width < 1 || width > MOST_PARAMETERS)) {
            throw new IllegalArgumentException("network: widths %s, activations %s and biases %s do not fit together"
                    .formatted(widths, activations, biases));
        }
        for (int layer = 1; layer < widths.size(); layer++) {
            if (parameterNames.size() + (long) widths.get(layer) * widths.get(layer - 1) > MOST_PARAMETERS) {
                throw new IllegalArgumentException("network: more than %d parameters".formatted(MOST_PARAMETERS));
            }
            for (int row = 1; row <= widths.get(layer); row++) {
                for (int column = 1; column <= widths.get(layer - 1); column++) {
                    parameterNames.add("W%d[%d,%d]".formatted(layer, row, column));
                }
            }
            for (int row = 1; biases.get(layer - 1) && row <= widths.get(layer); row++) {
                parameterNames.add("b%d[%d]".formatted(layer, row));
            }
        }
    }

    private void readField(JsonNode field, Map<String, Integer> indices) {
        requireKeys(field, "a field", Set.of("entries"), Set.of("combination"));
        Map<Place, Fraction> entries = new LinkedHashMap<>();
        for (JsonNode entry : array(field, "entries")) {
            if (entry.size() != 3) {
                throw new IllegalArgumentException("entry %s has %d parts, expected 3".formatted(entry, entry.size()));
            }
            Integer row = indices.get(entry.get(0).asString());
            String by = entry.get(1).asString();
            Integer column = by.equals("1") ? Integer.valueOf(indices.size()) : indices.get(by);
            if (row == null || column == null) {
                throw new IllegalArgumentException("entry %s names no parameter of the network".formatted(entry));
            }
            Fraction old = entries.put(
                    new Place(row, column), Fraction.parse(entry.get(2).asString()));
            if (old != null) {
                throw new IllegalArgumentException("entry %s occurs twice in a field".formatted(entry));
            }
        }
        fields.add(entries);
        List<Part> parts = new ArrayList<>();
        if (field.has("combination")) {
            for (JsonNode part : array(field, "combination")) {
                requireKeys(part, "a combination", Set.of("kind", "layer", "to", "from", "coefficient"), Set.of());
                parts.add(new Part(
                        text(part, "kind"),
                        integer(part, "layer"),
                        integer(part, "to"),
                        integer(part, "from"),
                        Fraction.parse(text(part, "coefficient"))));
            }
        }
        combinations.add(parts);
    }

    private void readBracket(JsonNode bracket) {
        requireKeys(bracket, "a bracket", Set.of("left", "right", "value"), Set.of());
        Map<Integer, Fraction> value = new LinkedHashMap<>();
        for (JsonNode term : array(bracket, "value")) {
            int index = term.path(0).asInt() - 1;
            if (index < 0 || index >= fields.size()) {
                throw new IllegalArgumentException("bracket %s names no field".formatted(bracket));
            }
            value.put(index, Fraction.parse(term.path(1).asString()));
        }
        int left = integer(bracket, "left") - 1;
        int right = integer(bracket, "right") - 1;
        if (left < 0 || right <= left || right >= fields.size()) {
            throw new IllegalArgumentException("bracket %s does not join two fields in order".formatted(bracket));
        }
        brackets.put(new Place(left, right), value);
    }

    private static void requireKeys(JsonNode node, String where, Set<String> needed, Set<String> allowed) {
        for (String key : needed) {
            if (!node.has(key)) {
                throw new IllegalArgumentException("%s has no \"%s\"".formatted(where, key));
            }
        }
        for (String key : node.propertyNames()) {
            if (!needed.contains(key) && !allowed.contains(key)) {
                throw new IllegalArgumentException("%s has an unknown key \"%s\"".formatted(where, key));
            }
        }
    }

    private static String text(JsonNode node, String key) {
        if (!node.path(key).isString()) {
            throw new IllegalArgumentException("\"%s\" is %s, expected text".formatted(key, node.path(key)));
        }
        return node.path(key).asString();
    }

    private static int integer(JsonNode node, String key) {
        if (!node.path(key).canConvertToInt() || !node.path(key).isIntegralNumber()) {
            throw new IllegalArgumentException("\"%s\" is %s, expected a whole number".formatted(key, node.path(key)));
        }
        return node.path(key).asInt();
    }

    private static JsonNode array(JsonNode node, String key) {
        if (!node.path(key).isArray()) {
            throw new IllegalArgumentException("\"%s\" is %s, expected an array".formatted(key, node.path(key)));
        }
        return node.path(key);
    }
}
