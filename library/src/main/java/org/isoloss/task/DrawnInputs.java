package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Inputs that look like given ones and are others, to see what happens where nothing is protected. */
final class DrawnInputs {
    private DrawnInputs() {}

    /**
     * Draws inputs: whole numbers, such as tokens, in another order; others normal with the mean and the deviation of all numbers
     * of the input.
     *
     * @param batches as a model takes them; not modified
     * @param random the stream to draw from; modified
     * @return of the same shapes
     */
    static List<Map<String, double[]>> like(List<Map<String, double[]>> batches, SplittableRandom random) {
        List<Map<String, double[]>> drawn = new ArrayList<>();
        for (Map<String, double[]> batch : batches) {
            Map<String, double[]> other = new LinkedHashMap<>();
            batch.forEach((name, numbers) -> other.put(name, drawn(numbers, random)));
            drawn.add(other);
        }
        return drawn;
    }

    private static double[] drawn(double[] numbers, SplittableRandom random) {
        double[] other = numbers.clone();
        if (Arrays.stream(numbers).allMatch(number -> number == Math.rint(number))) {
            for (int i = other.length - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                double kept = other[i];
                other[i] = other[j];
                other[j] = kept;
            }
            return other;
        }
        double mean = Arrays.stream(numbers).average().orElse(0);
        double variance = Arrays.stream(numbers)
                .map(number -> (number - mean) * (number - mean))
                .average()
                .orElse(0);
        Arrays.setAll(other, i -> mean + Math.sqrt(variance) * random.nextGaussian());
        return other;
    }
}
