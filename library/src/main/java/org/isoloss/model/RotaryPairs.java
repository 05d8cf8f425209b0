package org.isoloss.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.autodiff.Precision;

/** Which channels rotary positions turn together, read off what they do to unit vectors at the last position. */
final class RotaryPairs {
    private RotaryPairs() {}

    /**
     * Finds the pairs.
     *
     * @param model whose values they are
     * @param source shape (..., positions, heads, channels)
     * @param turned what rotary positions make of it, linearly
     * @return the channels that mix, in rising order; one alone where it stays
     */
    static List<int[]> of(Model model, Value source, Value turned) {
        Execution execution = Execution.of(Precision.FLOAT64, List.of(turned), Set.of(source));
        Map<String, double[]> inputs = new LinkedHashMap<>();
        model.inputs().forEach((name, input) -> {
            double[] numbers = new double[input.shape().count()];
            int length = input.shape().rank() == 0 ? 1 : input.shape().sizes().getLast();
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = i % length; // positions
            }
            inputs.put(name, numbers);
        });
        model.setInputs(execution, inputs);
        int channels = source.shape().sizes().getLast();
        int heads = source.shape().size(source.shape().rank() - 2);
        int last = source.shape().count() - heads * channels;
        List<int[]> pairs = new ArrayList<>();
        for (int first = 0; first < channels; first += heads) { // a unit vector a head
            int some = Math.min(heads, channels - first);
            double[] units = new double[source.shape().count()];
            for (int head = 0; head < some; head++) {
                units[last + head * channels + first + head] = 1;
            }
            execution.set(source, units);
            execution.run();
            double[] after = execution.get(turned);
            for (int head = 0; head < some; head++) {
                int[] mixed = nonzero(after, last + head * channels, channels);
                if (mixed.length > 0 && mixed[0] == first + head) {
                    pairs.add(mixed);
                }
            }
        }
        return pairs;
    }

    private static int[] nonzero(double[] numbers, int begin, int count) {
        return java.util.stream.IntStream.range(0, count)
                .filter(channel -> numbers[begin + channel] != 0)
                .toArray();
    }
}
