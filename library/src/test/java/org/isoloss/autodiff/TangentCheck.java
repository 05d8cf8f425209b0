package org.isoloss.autodiff;

import java.util.List;

/** Compares the tangents that a float64 program computes with central differences of its values. */
final class TangentCheck {
    private TangentCheck() {}

    /** Returns the largest error of a tangent, relative to the largest tangent. */
    static double worstError(Program program, List<JetEntries> inputs, JetEntries output) {
        double worst = 0;
        double scale = 0;
        for (int row = 0; row < output.kinds().length; row++) {
            int value = output.kinds()[row];
            if (value < 0) {
                continue;
            }
            int[] tangents = output.of(row);
            int[] values = output.of(value);
            for (int i = 0; i < tangents.length; i++) {
                program.forward();
                double tangent = program.get(output.tensor(), tangents[i]);
                double difference = difference(program, inputs, row, value, output.tensor(), values[i]);
                worst = Math.max(worst, Math.abs(tangent - difference));
                scale = Math.max(scale, Math.abs(difference));
            }
        }
        return worst / scale;
    }

    private static double difference(
            Program program, List<JetEntries> inputs, int row, int value, Tensor output, int entry) {
        List<double[]> start = inputs.stream()
                .map(input -> program.get(input.tensor()).entries())
                .toList();
        double slope = GradientCheck.derivative(
                step -> {
                    move(program, inputs, start, row, value, step);
                    program.forward();
                    return program.get(output, entry);
                },
                0);
        move(program, inputs, start, row, value, 0);
        return slope;
    }

    private static void move(
            Program program, List<JetEntries> inputs, List<double[]> start, int row, int value, double step) {
        for (int k = 0; k < inputs.size(); k++) {
            int[] values = inputs.get(k).of(value);
            int[] tangents = inputs.get(k).of(row);
            for (int i = 0; i < values.length; i++) {
                double moved = start.get(k)[values[i]] + step * start.get(k)[tangents[i]];
                program.set(inputs.get(k).tensor(), values[i], moved);
            }
        }
    }
}
