package org.isoloss.autodiff;

import java.util.List;

/** Each row holds a small square matrix: {@code output[row] = left[row] right[row]}. */
final class RowMatrixProduct extends Operation {
    private final Tensor left;
    private final Tensor right;
    private final int size;

    RowMatrixProduct(Tensor output, Tensor left, Tensor right, int size) {
        super(output, List.of(left, right));
        this.left = left;
        this.right = right;
        this.size = size;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        plan.accumulateFactors(left, right);
        return new Bound(arithmetic);
    }

    private final class Bound implements Kernel {
        private final Arithmetic numbers;

        Bound(Arithmetic numbers) {
            this.numbers = numbers;
        }

        @Override
        public void forward() {
            for (int row = 0; row < output().rows(); row++) {
                int base = row * size * size;
                for (int i = 0; i < size; i++) {
                    for (int j = 0; j < size; j++) {
                        double sum = 0;
                        for (int k = 0; k < size; k++) {
                            sum += numbers.value(left.offset() + base + i * size + k)
                                    * numbers.value(right.offset() + base + k * size + j);
                        }
                        numbers.setValue(output().offset() + base + i * size + j, sum);
                    }
                }
            }
        }

        @Override
        public void backward() {
            for (int row = 0; row < output().rows(); row++) {
                int base = row * size * size;
                for (int i = 0; i < size; i++) {
                    for (int j = 0; j < size; j++) {
                        spread(base, i, j, numbers.gradient(output().offset() + base + i * size + j));
                    }
                }
            }
        }

        private void spread(int base, int i, int j, double upstream) {
            for (int k = 0; k < size; k++) {
                int a = left.offset() + base + i * size + k;
                int b = right.offset() + base + k * size + j;
                if (left.differentiable()) {
                    numbers.setGradient(a, numbers.gradient(a) + upstream * numbers.value(b));
                }
                if (right.differentiable()) {
                    numbers.setGradient(b, numbers.gradient(b) + upstream * numbers.value(a));
                }
            }
        }
    }
}
