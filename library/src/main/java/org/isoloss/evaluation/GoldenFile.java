package org.isoloss.evaluation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.evaluation.Parity.Kind;
import org.isoloss.source.NamedArrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the numbers of another program from JSON: {@code cases} with {@code input_ids} [batch][time], where used
 * {@code attention_mask} and {@code token_type_ids}, {@code logits} or {@code last_hidden_state} [batch][time][n], and
 * {@code ffn_input} and {@code ffn_output} [layer][batch][time][width] for the {@code ffn_layers} of the file.
 *
 * <p>A file of one sequence without batches is also read: {@code input_ids} [time], {@code logits_float64} [time][n], and
 * {@code layers}, an object of {@code ffn_input} and {@code ffn_output} by layer number; or a list of such as
 * {@code sequences}, with the first 64 logits in {@code float64.first64}.
 */
public final class GoldenFile {
    private static final String TOKENS = "input_ids";
    private static final List<String> OUTPUTS = List.of("logits", "last_hidden_state", "logits_float64");

    private final Path file;

    private GoldenFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param file the file
     * @return its cases, at least one
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is not of these forms
     */
    public static List<GoldenCase> read(Path file) throws IOException {
        return new GoldenFile(file).cases();
    }

    private List<GoldenCase> cases() throws IOException {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(Files.readAllBytes(file));
        } catch (JacksonException e) {
            throw new CheckpointFormatException(file, "not valid JSON: " + e.getOriginalMessage());
        }
        var cases = new ArrayList<GoldenCase>();
        if (root.has("cases")) {
            for (JsonNode one : root.get("cases")) {
                cases.add(batch(one, root.get("ffn_layers")));
            }
        } else if (root.has("sequences")) {
            for (JsonNode one : root.get("sequences")) {
                cases.add(sequence(one));
            }
        } else if (root.has("input_ids")) {
            cases.add(sequence(root));
        }
        if (cases.isEmpty()) {
            throw wrong("holds no cases; expected 'cases', 'sequences' or 'input_ids'");
        }
        return cases;
    }

    private GoldenCase batch(JsonNode one, @Nullable JsonNode layers) {
        NamedArrays inputs = with(NamedArrays.NONE, TOKENS, required(one, TOKENS), true);
        for (String beside : List.of("attention_mask", "token_type_ids")) {
            inputs = one.has(beside) ? with(inputs, beside, one.get(beside), true) : inputs;
        }
        String output = OUTPUTS.stream()
                .filter(one::has)
                .findFirst()
                .orElseThrow(() -> wrong("case '%s' has no output; expected one of %s"
                        .formatted(name(one), String.join(", ", OUTPUTS))));
        NamedArrays expected = with(NamedArrays.NONE, Kind.OUTPUT.label(), one.get(output), false);
        var numbers = new TreeSet<Integer>();
        for (Kind kind : List.of(Kind.FEED_FORWARD_INPUT, Kind.FEED_FORWARD_OUTPUT)) {
            JsonNode given = one.get(kind.label());
            if (given == null) {
                continue;
            }
            if (layers == null || layers.size() != given.size()) {
                throw wrong("case '%s' has %d layers of %s, expected as many as 'ffn_layers' names"
                        .formatted(name(one), given.size(), kind.label()));
            }
            for (int i = 0; i < given.size(); i++) {
                int layer = (int) number(layers.get(i), true);
                numbers.add(layer);
                expected = with(expected, GoldenCase.key(kind, layer), given.get(i), false);
            }
        }
        return new GoldenCase(name(one), inputs, List.copyOf(numbers), expected);
    }

    private GoldenCase sequence(JsonNode one) {
        NamedArrays tokens = with(NamedArrays.NONE, TOKENS, required(one, TOKENS), true);
        NamedArrays inputs =
                NamedArrays.NONE.with(TOKENS, List.of(1, tokens.sizes(TOKENS).getFirst()), tokens.numbers(TOKENS));
        JsonNode output = one.has("float64")
                ? required(required(one, "float64"), "first64")
                : required(one, one.has("logits") ? "logits" : "logits_float64");
        NamedArrays expected = with(NamedArrays.NONE, Kind.OUTPUT.label(), output, false);
        var numbers = new TreeSet<Integer>();
        JsonNode layers = one.path("layers");
        for (String text : layers.propertyNames()) {
            int layer = layer(text);
            numbers.add(layer);
            for (Kind kind : List.of(Kind.FEED_FORWARD_INPUT, Kind.FEED_FORWARD_OUTPUT)) {
                JsonNode given = required(layers.get(text), kind.label());
                expected = with(expected, GoldenCase.key(kind, layer), given, false);
            }
        }
        return new GoldenCase(name(one), inputs, List.copyOf(numbers), expected);
    }

    private static String name(JsonNode one) {
        return one.has("name") ? one.get("name").asString() : "only";
    }

    private JsonNode required(JsonNode object, String key) {
        if (object.has(key)) {
            return object.get(key);
        }
        throw wrong("has no '%s' where it is needed".formatted(key));
    }

    private int layer(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new CheckpointFormatException(file, "'layers' has '%s', expected a layer number".formatted(text));
        }
    }

    /** Adds a list of lists of numbers, of any depth. */
    private NamedArrays with(NamedArrays arrays, String name, JsonNode rows, boolean whole) {
        List<Integer> sizes = new ArrayList<>();
        int count = 1;
        for (JsonNode first = rows; first != null && first.isArray(); first = first.get(0)) {
            sizes.add(first.size());
            count = Math.multiplyExact(count, first.size());
        }
        double[] numbers = new double[count];
        fill(rows, sizes, numbers, 0, whole);
        return arrays.with(name, sizes, numbers);
    }

    private void fill(JsonNode rows, List<Integer> sizes, double[] numbers, int at, boolean whole) {
        List<Integer> inner = sizes.subList(1, sizes.size());
        int count = numbers.length == 0 ? 0 : inner.stream().reduce(1, Math::multiplyExact);
        for (int i = 0; i < rows.size(); i++) {
            JsonNode row = rows.get(i);
            if (inner.isEmpty()) {
                numbers[at + i] = number(row, whole);
            } else if (row.size() != inner.getFirst()) {
                throw wrong("has a matrix whose row %d has %d numbers, expected %d as in row 0"
                        .formatted(i, row.size(), inner.getFirst()));
            } else {
                fill(row, inner, numbers, at + i * count, whole);
            }
        }
    }

    private double number(JsonNode node, boolean whole) {
        if (whole && !(node.canConvertToInt() && node.isIntegralNumber())) {
            throw wrong("holds '%s' where a whole number is needed".formatted(node));
        }
        if (!node.isNumber()) {
            throw wrong("holds '%s' where a number is needed".formatted(node));
        }
        return node.doubleValue();
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }
}
