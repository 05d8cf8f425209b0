package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/** Gradients of the outputs of a model, combined at random. */
final class OutputGradients {
    private OutputGradients() {}

    /**
     * Computes gradients.
     *
     * @param model whose outputs are differentiated
     * @param sources with respect to what
     * @param inputs taken in turn
     * @param rows how many combinations of all outputs
     * @param seed of the combinations
     * @return one combination a row, the entries of all sources one after the other
     */
    static Matrix of(Model model, List<Value> sources, List<Map<String, double[]>> inputs, int rows, long seed) {
        ModelBuilder builder = model.extended();
        List<Value> flat = new ArrayList<>();
        for (Value output : model.outputs().values()) {
            flat.add(builder.reshape(output, Dimensions.of(output.shape().count())));
        }
        Value outputs = builder.concatenate(flat, 0);
        Value upstream =
                builder.input("gradient of the outputs", outputs.shape().count());
        List<Value> gradients = Differentiation.gradients(builder, List.of(outputs), List.of(upstream), sources);
        Execution execution = Execution.of(Precision.FLOAT64, gradients);
        int size = sources.stream().mapToInt(value -> value.shape().count()).sum();
        Matrix combined = Matrix.zeros(rows, size);
        var random = new SplittableRandom(seed);
        double[] up = new double[outputs.shape().count()];
        for (int row = 0; row < rows; row++) {
            model.setInputs(execution, inputs.get(row % inputs.size()));
            Arrays.setAll(up, _ -> random.nextGaussian());
            if (execution.reads(upstream)) {
                execution.set(upstream, up);
            }
            execution.run();
            int from = row * size;
            for (int i = 0; i < sources.size(); i++) {
                execution.copy(gradients.get(i), combined.entries(), from);
                from += sources.get(i).shape().count();
            }
        }
        return combined;
    }
}
