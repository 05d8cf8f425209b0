package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;

/** How far the outputs of two networks are apart on the same inputs. */
public final class OutputComparison {
    /**
     * What became of one output.
     *
     * @param output from 0
     * @param max largest difference over the inputs
     * @param p95 95th percentile of the differences
     * @param relative {@code max} over {@code scale}; 0 where both are 0
     * @param scale largest magnitude of this output in either network, or of all outputs where they are of one kind
     * @param flips inputs at which the first network's largest output is this one, and the second's is another
     * @param worstInput the input of {@code max}, from 0
     */
    public record OutputDifference(
            int output, double max, double p95, double relative, double scale, long flips, int worstInput) {}

    private final int inputs;
    private final List<OutputDifference> outputs;
    private final double p95;

    private OutputComparison(int inputs, List<OutputDifference> outputs, double p95) {
        this.inputs = inputs;
        this.outputs = List.copyOf(outputs);
        this.p95 = p95;
    }

    /**
     * Compares outputs.
     *
     * @param first one input a row, shape (k, m), finite; not modified
     * @param second the same inputs, shape (k, m), finite; not modified
     * @param ofOneKind whether all outputs have one scale, the largest magnitude of all
     * @return the differences, output by output
     */
    public static OutputComparison of(Matrix first, Matrix second, boolean ofOneKind) {
        first.requireFinite("OutputComparison: first");
        second.requireFinite("OutputComparison: second");
        Matrix difference = second.minus(first);
        double largest = Math.max(first.largestMagnitude(), second.largestMagnitude());
        long[] flips = flips(first, second);
        List<OutputDifference> outputs = new ArrayList<>();
        for (int output = 0; output < first.columns(); output++) {
            double[] distances = magnitudes(difference.column(output));
            Quantiles quantiles = Quantiles.of(distances);
            double scale = ofOneKind
                    ? largest
                    : Math.max(
                            Quantiles.of(magnitudes(first.column(output))).max(),
                            Quantiles.of(magnitudes(second.column(output))).max());
            outputs.add(new OutputDifference(
                    output,
                    quantiles.max(),
                    quantiles.p95(),
                    quantiles.max() == 0 ? 0 : quantiles.max() / scale,
                    scale,
                    flips[output],
                    largest(distances)));
        }
        return new OutputComparison(
                first.rows(),
                outputs,
                Quantiles.of(magnitudes(difference.entries())).p95());
    }

    private static double[] magnitudes(double[] numbers) {
        double[] magnitudes = new double[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            magnitudes[i] = Math.abs(numbers[i]);
        }
        return magnitudes;
    }

    private static long[] flips(Matrix first, Matrix second) {
        long[] flips = new long[first.columns()];
        for (int input = 0; input < first.rows(); input++) {
            int choice = largest(first.row(input));
            flips[choice] += choice == largest(second.row(input)) ? 0 : 1;
        }
        return flips;
    }

    private static int largest(double[] numbers) {
        int largest = 0;
        for (int i = 1; i < numbers.length; i++) {
            largest = numbers[i] > numbers[largest] ? i : largest;
        }
        return largest;
    }

    /** {@return the number of inputs, k} */
    public int inputs() {
        return inputs;
    }

    /** {@return the differences output by output, m entries} */
    public List<OutputDifference> outputs() {
        return outputs;
    }

    /** {@return the output that differs most, by its relative difference: one of {@link #outputs}} */
    public OutputDifference worst() {
        OutputDifference worst = outputs.getFirst();
        for (OutputDifference output : outputs) {
            worst = output.relative() > worst.relative() ? output : worst;
        }
        return worst;
    }

    /** {@return the largest difference of any output at any input, at least 0} */
    public double max() {
        return outputs.stream().mapToDouble(OutputDifference::max).max().orElseThrow();
    }

    /** {@return the 95th percentile of the differences of all outputs at all inputs, at least 0} */
    public double p95() {
        return p95;
    }

    /** {@return the number of inputs at which the largest output is another one, from 0 to {@link #inputs}} */
    public long flips() {
        return outputs.stream().mapToLong(OutputDifference::flips).sum();
    }
}
