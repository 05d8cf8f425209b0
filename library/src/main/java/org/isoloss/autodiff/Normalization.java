package org.isoloss.autodiff;

import java.util.List;

/** Each row divided by its Euclidean norm: the Frobenius normalisation of flattened matrices. */
final class Normalization extends Operation {
    private final Tensor input;

    Normalization(Tensor output, Tensor input) {
        super(output, List.of(input));
        this.input = input;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        if (input.differentiable()) {
            plan.accumulate(input);
        }
        return new Bound(arithmetic, input, output());
    }

    private record Bound(Arithmetic numbers, Tensor input, Tensor output) implements Kernel {
        @Override
        public void forward() {
            int columns = input.columns();
            for (int row = 0; row < input.rows(); row++) {
                double scale = 1 / norm(row);
                for (int i = 0; i < columns; i++) {
                    int at = row * columns + i;
                    numbers.setValue(output.offset() + at, scale * numbers.value(input.offset() + at));
                }
            }
        }

        private double norm(int row) {
            int at = input.offset() + row * input.columns();
            return Math.sqrt(numbers.innerProduct(at, at, input.columns()));
        }

        @Override
        public void backward() {
            int columns = input.columns();
            for (int row = 0; row < input.rows(); row++) {
                double scale = 1 / norm(row);
                double along = 0;
                for (int i = 0; i < columns; i++) {
                    int at = output.offset() + row * columns + i;
                    along += numbers.gradient(at) * numbers.value(at);
                }
                for (int i = 0; i < columns; i++) {
                    int at = row * columns + i;
                    double across =
                            numbers.gradient(output.offset() + at) - along * numbers.value(output.offset() + at);
                    numbers.setGradient(input.offset() + at, numbers.gradient(input.offset() + at) + scale * across);
                }
            }
        }
    }
}
