package org.isoloss.autodiff;

import java.util.List;

/** The scalar {@code factor * sum over entries of left * right}; a squared norm where both are one tensor. */
final class InnerProduct extends Operation {
    private final double factor;
    private final Tensor left;
    private final Tensor right;

    InnerProduct(Tensor output, double factor, Tensor left, Tensor right) {
        super(output, List.of(left, right));
        this.factor = factor;
        this.left = left;
        this.right = right;
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
            double sum = numbers.innerProduct(left.offset(), right.offset(), left.size());
            numbers.setValue(output().offset(), factor * sum);
        }

        @Override
        public void backward() {
            double scale = factor * numbers.gradient(output().offset());
            if (left.differentiable()) {
                numbers.addScaledValueToGradient(scale, right.offset(), left.offset(), left.size());
            }
            if (right.differentiable()) {
                numbers.addScaledValueToGradient(scale, left.offset(), right.offset(), left.size());
            }
        }
    }
}
