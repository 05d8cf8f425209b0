package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/**
 * The size of random inputs at which the outputs of a model depend on its weights. Where inputs are so large that gates and
 * probabilities are saturated, a part of the network computes constants, and any change of its weights would pass as one that leaves the
 * outputs as they are.
 */
final class InputSize {
    private static final double STEP = 0.25;
    private static final double SMALLEST = 1e-6;

    /** A tensor is seen if an output changes by more than this part of it for each part by which the tensor changes. */
    private static final double SEEN = 1e-3;

    private final Model model;
    private final List<Value> upstream = new ArrayList<>();
    private final List<Value> outputs;
    private final List<Value> gradients;
    private final Execution execution;

    private InputSize(Model model) {
        this.model = model;
        this.outputs = List.copyOf(model.outputs().values());
        ModelBuilder builder = model.extended();
        model.outputs()
                .forEach((name, output) -> upstream.add(builder.input(
                        "gradient of " + name,
                        output.shape().sizes().stream()
                                .mapToInt(Integer::intValue)
                                .toArray())));
        this.gradients = Differentiation.gradients(
                builder, outputs, upstream, List.copyOf(model.parameters().values()));
        List<Value> results = new ArrayList<>(outputs);
        results.addAll(gradients);
        this.execution = Execution.of(Precision.FLOAT64, results, Set.of());
    }

    /**
     * Finds the size.
     *
     * @param model any
     * @param inputs drawn with size 1
     * @param normal the inputs that have a size
     * @return the largest of 1, 1/4, 1/16, ... at which as many tensors as at any are seen by the outputs; 1 where the model has no
     *     derivatives
     */
    static double of(Model model, Map<String, double[]> inputs, Set<String> normal) {
        if (normal.isEmpty() || model.parameters().isEmpty()) {
            return 1;
        }
        InputSize sizes;
        try {
            sizes = new InputSize(model);
        } catch (UnsupportedOperationException jump) {
            return 1;
        }
        double best = 1;
        int most = -1;
        for (double size = 1; size > SMALLEST && most < model.parameters().size(); size *= STEP) {
            int seen = sizes.seen(scaled(inputs, normal, size));
            if (seen > most) {
                best = size;
                most = seen;
            }
        }
        return best;
    }

    /** How many tensors the outputs depend on. */
    private int seen(Map<String, double[]> inputs) {
        model.setInputs(execution, inputs);
        upstream.forEach(up -> set(up, new double[up.shape().count()]));
        execution.run();
        for (int i = 0; i < outputs.size(); i++) {
            set(upstream.get(i), weights(numbers(outputs.get(i))));
        }
        execution.run();
        int seen = 0;
        int next = 0;
        for (String name : model.parameters().keySet()) {
            double[] tensor = model.numbers(name);
            double[] gradient = numbers(gradients.get(next++));
            double sum = 0;
            for (int at = 0; at < gradient.length; at++) {
                sum += Math.pow(gradient[at] * tensor[at], 2);
            }
            seen += Math.sqrt(sum) > SEEN ? 1 : 0;
        }
        return seen;
    }

    /** Random signs over the largest number of an output, so that no output is lost beside another. */
    private static double[] weights(double[] output) {
        double largest = Arrays.stream(output).map(Math::abs).max().orElse(0);
        SplittableRandom random = new SplittableRandom(1);
        double[] weights = new double[output.length];
        Arrays.setAll(weights, _ -> (random.nextBoolean() ? 1 : -1) / (largest > 0 ? largest : 1));
        return weights;
    }

    private void set(Value value, double[] numbers) {
        if (execution.reads(value)) {
            execution.set(value, numbers);
        }
    }

    private double[] numbers(Value value) {
        double[] numbers = new double[value.shape().count()];
        execution.copy(value, numbers, 0);
        return numbers;
    }

    /** Inputs with another size. */
    static Map<String, double[]> scaled(Map<String, double[]> inputs, Set<String> normal, double size) {
        if (size == 1) {
            return inputs;
        }
        Map<String, double[]> scaled = new LinkedHashMap<>();
        inputs.forEach((name, numbers) -> scaled.put(
                name,
                normal.contains(name)
                        ? Arrays.stream(numbers).map(number -> size * number).toArray()
                        : numbers));
        return scaled;
    }
}
