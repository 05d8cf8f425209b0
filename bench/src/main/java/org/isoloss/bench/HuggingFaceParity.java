package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Model;
import org.isoloss.source.HuggingFaceFolder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far the models of many small Hugging Face folders are from the golden numbers beside them. Prints one JSON object a
 * folder: the largest differences in both precisions, relative to the largest golden number, or why it was refused.
 */
public final class HuggingFaceParity {
    private static final List<String> INPUTS = List.of("attention_mask", "token_type_ids", "position_ids");

    private HuggingFaceParity() {}

    /**
     * Runs every folder.
     *
     * @param arguments a folder of folders, each with config.json, weights and golden.json; not modified
     * @throws IOException when a file cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        List<Path> folders;
        try (Stream<Path> found = Files.list(Path.of(arguments[0]))) {
            folders = found.filter(folder -> Files.exists(folder.resolve("golden.json")))
                    .sorted()
                    .toList();
        }
        for (Path folder : folders) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("case", String.valueOf(folder.getFileName()));
            try (HuggingFaceFolder model = HuggingFaceFolder.open(folder)) {
                measure(model, JsonMapper.shared().readTree(folder.resolve("golden.json")), result);
            } catch (IllegalArgumentException refusal) {
                result.put("refusal", String.valueOf(refusal.getMessage()));
            }
            System.out.println(JsonMapper.shared().writeValueAsString(result));
        }
    }

    private static void measure(HuggingFaceFolder folder, JsonNode golden, Map<String, Object> result) {
        double wide = 0;
        double narrow = 0;
        double theirs = 0;
        for (JsonNode one : golden.get("cases")) {
            JsonNode ids = one.get("input_ids");
            String[] more = INPUTS.stream().filter(one::has).toArray(String[]::new);
            Model model = folder.model(ids.size(), ids.get(0).size(), more);
            Map<String, double[]> given = new LinkedHashMap<>();
            model.inputs().keySet().forEach(name -> given.put(name, numbers(one.get(name))));
            String output = model.outputs().firstEntry().getKey();
            if (!one.has(output)) {
                throw new IllegalArgumentException("the output is %s, which is not expected".formatted(output));
            }
            double[] counted = one.has("counted") ? numbers(one.get("attention_mask")) : new double[0];
            double[] expected = numbers(one.get(output));
            double[] single = model.run(Precision.FLOAT32, given).get(output);
            double[] exact = model.run(Precision.FLOAT64, given).get(output);
            wide = Math.max(wide, difference(exact, expected, counted));
            narrow = Math.max(narrow, difference(single, expected, counted));
            if (one.has("float32")) {
                theirs = Math.max(theirs, difference(single, numbers(one.get("float32")), counted));
            }
        }
        result.put("float64", wide);
        result.put("float32", narrow);
        result.put("float32AgainstFloat32", theirs);
    }

    private static double[] numbers(JsonNode tensor) {
        return leaves(tensor).mapToDouble(JsonNode::doubleValue).toArray();
    }

    private static Stream<JsonNode> leaves(JsonNode tensor) {
        return tensor.isArray() ? tensor.valueStream().flatMap(HuggingFaceParity::leaves) : Stream.of(tensor);
    }

    /** The largest difference, but at tokens that do not count. */
    private static double difference(double[] found, double[] expected, double[] counted) {
        if (found.length != expected.length) {
            return Double.POSITIVE_INFINITY;
        }
        double worst = 0;
        double scale = 0;
        for (int i = 0; i < found.length; i++) {
            if (counted.length > 0 && counted[i / (found.length / counted.length)] == 0) {
                continue;
            }
            double error = Math.abs(found[i] - expected[i]);
            worst = Math.max(worst, Double.isNaN(error) ? Double.POSITIVE_INFINITY : error);
            scale = Math.max(scale, Math.abs(expected[i]));
        }
        return worst == 0 ? 0 : worst / scale;
    }
}
