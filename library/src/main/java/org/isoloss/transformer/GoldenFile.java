package org.isoloss.transformer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.linalg.Matrix;
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
        int[][] ids = whole(required(one, "input_ids"));
        int[][] ones = new int[ids.length][];
        int[][] zeros = new int[ids.length][];
        for (int i = 0; i < ids.length; i++) {
            ones[i] = new int[ids[i].length];
            Arrays.fill(ones[i], 1);
            zeros[i] = new int[ids[i].length];
        }
        int[][] mask = one.has("attention_mask") ? whole(one.get("attention_mask")) : ones;
        int[][] types = one.has("token_type_ids") ? whole(one.get("token_type_ids")) : zeros;
        return new GoldenCase(
                name(one),
                TokenBatch.of(ids, mask, types),
                outputs(one),
                blocks(one, "ffn_input", layers),
                blocks(one, "ffn_output", layers));
    }

    private List<Matrix> outputs(JsonNode one) {
        for (String key : OUTPUTS) {
            if (one.has(key)) {
                return matrices(one.get(key));
            }
        }
        throw wrong("case '%s' has no output; expected one of %s".formatted(name(one), String.join(", ", OUTPUTS)));
    }

    private SortedMap<Integer, List<Matrix>> blocks(JsonNode one, String key, @Nullable JsonNode layers) {
        var blocks = new TreeMap<Integer, List<Matrix>>();
        if (one.has(key)) {
            JsonNode given = one.get(key);
            if (layers == null || layers.size() != given.size()) {
                throw wrong("case '%s' has %d layers of %s, expected as many as 'ffn_layers' names"
                        .formatted(name(one), given.size(), key));
            }
            for (int i = 0; i < given.size(); i++) {
                blocks.put(integer(layers.get(i)), matrices(given.get(i)));
            }
        }
        return blocks;
    }

    private GoldenCase sequence(JsonNode one) {
        var inputs = new TreeMap<Integer, List<Matrix>>();
        var outputs = new TreeMap<Integer, List<Matrix>>();
        if (one.has("layers")) {
            one.get("layers").forEachEntry((layer, block) -> {
                inputs.put(number(layer), List.of(matrix(required(block, "ffn_input"))));
                outputs.put(number(layer), List.of(matrix(required(block, "ffn_output"))));
            });
        }
        JsonNode output = one.has("float64")
                ? required(required(one, "float64"), "first64")
                : required(one, one.has("logits") ? "logits" : "logits_float64");
        return new GoldenCase(
                name(one),
                TokenBatch.of(integers(required(one, "input_ids"))),
                List.of(matrix(output)),
                inputs,
                outputs);
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

    private int number(String layer) {
        try {
            return Integer.parseInt(layer);
        } catch (NumberFormatException e) {
            throw new CheckpointFormatException(file, "'layers' has '%s', expected a layer number".formatted(layer));
        }
    }

    private int[][] whole(JsonNode rows) {
        int[][] numbers = new int[rows.size()][];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = integers(rows.get(i));
        }
        return numbers;
    }

    private int[] integers(JsonNode row) {
        int[] numbers = new int[row.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = integer(row.get(i));
        }
        return numbers;
    }

    private int integer(JsonNode node) {
        if (!node.canConvertToInt() || !node.isIntegralNumber()) {
            throw wrong("holds '%s' where a whole number is needed".formatted(node));
        }
        return node.intValue();
    }

    private List<Matrix> matrices(JsonNode batch) {
        var matrices = new ArrayList<Matrix>();
        for (JsonNode one : batch) {
            matrices.add(matrix(one));
        }
        return matrices;
    }

    private Matrix matrix(JsonNode rows) {
        int columns = rows.isEmpty() ? 0 : rows.get(0).size();
        Matrix matrix = Matrix.zeros(rows.size(), columns);
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).size() != columns) {
                throw wrong("has a matrix whose row %d has %d numbers, expected %d as in row 0"
                        .formatted(i, rows.get(i).size(), columns));
            }
            for (int j = 0; j < columns; j++) {
                JsonNode number = rows.get(i).get(j);
                if (!number.isNumber()) {
                    throw wrong("holds '%s' where a number is needed".formatted(number));
                }
                matrix.set(i, j, number.doubleValue());
            }
        }
        return matrix;
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }
}
