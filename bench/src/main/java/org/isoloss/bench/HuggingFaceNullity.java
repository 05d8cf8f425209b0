package org.isoloss.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.isoloss.source.HuggingFaceFolder;
import tools.jackson.databind.json.JsonMapper;

/**
 * Counts the directions in which all parameters of a small Hugging Face folder move without effect: the nullity of the Jacobian
 * of its outputs at random texts, in float64. Prints one JSON object a folder.
 */
public final class HuggingFaceNullity {
    private static final double TOLERANCE = 1e-9;
    private static final double ROWS_PER_PARAMETER = 2.2;
    private static final int ENTRIES_PER_TOKEN = 8;

    private HuggingFaceNullity() {}

    /**
     * Counts.
     *
     * @param arguments the length of the texts, then folders; not modified
     * @throws IOException when a file cannot be read
     */
    public static void main(String[] arguments) throws IOException {
        int length = Integer.parseInt(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("model", String.valueOf(Path.of(arguments[i]).getFileName()));
            try (HuggingFaceFolder folder = HuggingFaceFolder.open(Path.of(arguments[i]))) {
                measure(folder.model(1, length), result);
            }
            System.out.println(JsonMapper.shared().writeValueAsString(result));
        }
    }

    private static void measure(Model model, Map<String, Object> result) {
        Value output = model.outputs().firstEntry().getValue();
        ModelBuilder builder = model.extended();
        Value upstream = builder.input("upstream", output.shape().toArray());
        List<Value> moving = List.copyOf(model.parameters().values());
        List<Value> gradients = Differentiation.gradients(builder, List.of(output), List.of(upstream), moving);
        Execution execution = Execution.of(Precision.FLOAT64, gradients);
        Value tokens = model.inputs().firstEntry().getValue();
        int vocabulary = model.parameters().firstEntry().getValue().shape().size(0);
        int parameters = Math.toIntExact(model.parameterCount());
        Random random = new Random(7);
        List<double[]> rows = new ArrayList<>();
        while (rows.size() < ROWS_PER_PARAMETER * parameters) {
            execution.set(
                    tokens,
                    random.ints(tokens.shape().count(), 0, vocabulary)
                            .asDoubleStream()
                            .toArray());
            int entries = output.shape().count();
            for (int entry : random.ints(0, entries)
                    .distinct()
                    .limit(Math.min(entries, ENTRIES_PER_TOKEN * tokens.shape().count()))
                    .toArray()) {
                double[] one = new double[entries];
                one[entry] = 1;
                execution.set(upstream, one);
                execution.run();
                double[] row = new double[parameters];
                int at = 0;
                for (Value gradient : gradients) {
                    execution.copy(gradient, row, at);
                    at += gradient.shape().count();
                }
                addScaled(rows, row);
            }
        }
        double[] values = Svd.valuesOf(Matrix.over(
                rows.size(),
                parameters,
                rows.stream().flatMapToDouble(Arrays::stream).toArray()));
        int rank = 0;
        while (rank < parameters && values[rank] >= TOLERANCE * values[0]) {
            rank++;
        }
        result.put("parameters", parameters);
        result.put("nullity", parameters - rank);
        result.put("smallestKept", values[rank - 1] / values[0]);
        result.put("gap", rank == parameters ? 0 : values[rank - 1] / values[rank]);
    }

    private static void addScaled(List<double[]> rows, double[] row) {
        double square = 0;
        for (double entry : row) {
            square += entry * entry;
        }
        double norm = Math.sqrt(square);
        if (norm > 1e-12) {
            for (int i = 0; i < row.length; i++) {
                row[i] /= norm;
            }
            rows.add(row);
        }
    }
}
