package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.JetFunction;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Npz;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.source.Bindings;
import org.isoloss.source.NamedArrays;
import org.isoloss.source.StoredModel;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far derivatives of stored networks are from those that {@code bench/peers/torch_derivatives.py} wrote: the outputs, the
 * product of the Jacobian with a direction, that of its transpose with a cotangent, and the gradient of the cotangent's product
 * with the derivative along the direction. Prints one JSON object a network, with differences relative to the largest number.
 */
final class DerivativeParity {
    private static final String INPUT = "input.";

    private DerivativeParity() {}

    /** Argument: a file with the lines that the script printed. */
    public static void main(String... arguments) throws IOException {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            JsonNode about = JsonMapper.shared().readTree(line);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("model", about.get("model").asString());
            try {
                measure(about, result);
            } catch (IllegalArgumentException | UnsupportedOperationException refusal) {
                result.put("refusal", String.valueOf(refusal.getMessage()));
            }
            System.out.println(JsonMapper.shared().writeValueAsString(result));
        }
    }

    private static void measure(JsonNode about, Map<String, Object> result) throws IOException {
        List<String> names =
                about.get("parameters").valueStream().map(JsonNode::asString).toList();
        try (Npz arrays = Npz.open(Path.of(about.get("arrays").asString()))) {
            NamedArrays inputs = NamedArrays.NONE;
            for (String name : arrays.names()) {
                if (name.startsWith(INPUT)) {
                    List<Integer> sizes = arrays.tensor(name).shape().sizes().stream()
                            .map(Math::toIntExact)
                            .toList();
                    inputs = inputs.with(name.substring(INPUT.length()), sizes, numbers(arrays, name));
                }
            }
            try (StoredModel stored =
                    StoredModel.open(Path.of(about.get("model").asString()), inputs.bind(Bindings.NONE))) {
                Model model = stored.model();
                String output = model.outputs().firstEntry().getKey();
                ModelTarget target = ModelTarget.of(Moving.of(model, names), inputs.all(), output);
                compare(target, arrays, names, result);
            }
        }
    }

    private static void compare(ModelTarget target, Npz arrays, List<String> names, Map<String, Object> result)
            throws IOException {
        int p = target.parameterCount();
        int m = target.outputCount();
        double[] rows = Arrays.copyOf(target.origin(), 2 * p);
        System.arraycopy(joined(arrays, "direction.", names), 0, rows, p, p);
        double[] cotangent = numbers(arrays, "cotangent");
        JetFunction.Evaluator evaluator = target.evaluator(Precision.FLOAT64, 1, 1);
        double[] results = new double[2 * m];
        evaluator.evaluate(rows, results);
        double[] upstream = new double[2 * m];
        System.arraycopy(cotangent, 0, upstream, m, m);
        double[] gradients = new double[2 * p];
        evaluator.gradients(upstream, gradients);
        result.put("parameters", p);
        result.put("outputs", m);
        result.put("output", difference(Arrays.copyOf(results, m), numbers(arrays, "output")));
        result.put("product", difference(Arrays.copyOfRange(results, m, 2 * m), numbers(arrays, "product")));
        result.put(
                "transposed",
                difference(Arrays.copyOfRange(gradients, p, 2 * p), joined(arrays, "transposed.", names)));
        result.put("second", difference(Arrays.copyOf(gradients, p), joined(arrays, "second.", names)));
    }

    private static double[] numbers(Npz arrays, String name) throws IOException {
        return arrays.tensor(name).toDoubles();
    }

    private static double[] joined(Npz arrays, String prefix, List<String> names) throws IOException {
        double[] all = new double[0];
        for (String name : names) {
            double[] more = numbers(arrays, prefix + name);
            int before = all.length;
            all = Arrays.copyOf(all, before + more.length);
            System.arraycopy(more, 0, all, before, more.length);
        }
        return all;
    }

    /** The largest difference over the largest number; infinite where the lengths differ or a number is none. */
    private static double difference(double[] found, double[] expected) {
        double worst = found.length == expected.length ? 0 : Double.POSITIVE_INFINITY;
        double scale = 0;
        for (int i = 0; i < Math.min(found.length, expected.length); i++) {
            double error = Math.abs(found[i] - expected[i]);
            worst = Math.max(worst, Double.isNaN(error) ? Double.POSITIVE_INFINITY : error);
            scale = Math.max(scale, Math.abs(expected[i]));
        }
        return worst == 0 ? 0 : worst / scale;
    }
}
