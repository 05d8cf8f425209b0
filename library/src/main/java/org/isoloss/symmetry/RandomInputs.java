package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.model.Model;
import org.isoloss.model.ParameterUse;

/**
 * Inputs of a model drawn at random: whole numbers where they choose from a table, normal numbers elsewhere, of a size at which the
 * outputs depend on the weights, as {@link InputSize} finds it.
 */
public final class RandomInputs {
    /** Every second batch is wider, so that units that are seldom active become so. */
    private static final double WIDE = 4;

    /** Of a model with more parameters one pass takes long. */
    private static final long MANY = 100_000_000;

    /** What transformers are given beside tokens. */
    private static final Set<String> WHOLE = Set.of("attention_mask", "position_ids");

    private RandomInputs() {}

    /**
     * Draws inputs: one batch where a pass of the model takes long.
     *
     * @param model whose inputs have static shapes
     * @param batches how many draws of all inputs otherwise
     * @param seed of the draws
     * @return one after the other, the numbers of every input
     */
    public static List<Map<String, double[]>> few(Model model, int batches, long seed) {
        return of(model, model.parameterCount() > MANY ? 1 : batches, seed);
    }

    /**
     * Draws inputs.
     *
     * @param model whose inputs have static shapes
     * @param batches how many draws of all inputs
     * @param seed of the draws
     * @return one after the other, the numbers of every input
     */
    public static List<Map<String, double[]>> of(Model model, int batches, long seed) {
        var random = new SplittableRandom(seed);
        Map<String, Integer> choices = new LinkedHashMap<>();
        model.inputs().forEach((name, input) -> choices.put(name, ParameterUse.choices(model, input)));
        Set<String> normal = new HashSet<>(choices.keySet());
        normal.removeIf(name -> WHOLE.contains(name) || choices.getOrDefault(name, 0) > 0);
        List<Map<String, double[]>> drawn = new ArrayList<>();
        double size = 1;
        for (int batch = 0; batch < batches; batch++) {
            double scale = batch % 2 == 0 ? 1 : WIDE;
            Map<String, double[]> inputs = new LinkedHashMap<>();
            model.inputs().forEach((name, input) -> {
                double[] numbers = new double[input.shape().count()];
                int rows = choices.getOrDefault(name, 0);
                int length =
                        input.shape().rank() == 0 ? 1 : input.shape().sizes().getLast();
                Arrays.setAll(
                        numbers,
                        i -> name.equals("attention_mask")
                                ? 1
                                : name.equals("position_ids")
                                        ? i % length
                                        : rows > 0 ? random.nextInt(rows) : scale * random.nextGaussian());
                inputs.put(name, numbers);
            });
            if (batch == 0) {
                size = InputSize.of(model, inputs, normal);
            }
            drawn.add(InputSize.scaled(inputs, normal, size));
        }
        return drawn;
    }
}
