package org.isoloss.autodiff;

import java.util.List;

/** The product entry by entry of two tensors of one shape. */
final class EntryProduct extends Operation {
    private final Tensor left;
    private final Tensor right;

    EntryProduct(Tensor output, Tensor left, Tensor right) {
        super(output, List.of(left, right));
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
            numbers.multiply(left.offset(), right.offset(), output().offset(), output().size());
        }

        @Override
        public void backward() {
            int upstream = output().offset();
            if (left.differentiable()) {
                numbers.multiplyBack(upstream, right.offset(), left.offset(), left.size(), true);
            }
            if (right.differentiable()) {
                numbers.multiplyBack(upstream, left.offset(), right.offset(), left.size(), true);
            }
        }
    }
}
