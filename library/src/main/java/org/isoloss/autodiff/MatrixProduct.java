package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.autodiff.Arithmetic.Product;
import org.jspecify.annotations.Nullable;

/**
 * {@code output = left right}, plus a bias row on the first rows: a dense layer over the stacked rows of values and
 * tangents, of which only the values have the bias.
 */
final class MatrixProduct extends Operation {
    private final Tensor left;
    private final Tensor right;
    private final @Nullable Bias bias;

    /** A row added to the first {@code rows} rows; {@code ones} holds at least that many ones. */
    record Bias(Tensor row, int rows, Tensor ones) {}

    MatrixProduct(Tensor output, Tensor left, Tensor right, @Nullable Bias bias) {
        super(output, bias == null ? List.of(left, right) : List.of(left, right, bias.row));
        this.left = left;
        this.right = right;
        this.bias = bias;
    }

    Tensor left() {
        return left;
    }

    Tensor right() {
        return right;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        Tensor output = output();
        int m = left.rows();
        int n = right.columns();
        int k = left.columns();
        Product forward = arithmetic.product(Operand.value(left), Operand.value(right), Operand.value(output), m, n, k);
        List<Runnable> backward = new ArrayList<>();
        if (left.differentiable()) {
            boolean accumulate = plan.contribute(left);
            Product toLeft = arithmetic.product(
                    Operand.gradient(output), Operand.value(right).transpose(), Operand.gradient(left), m, k, n);
            backward.add(() -> toLeft.run(accumulate));
        }
        if (right.differentiable()) {
            if (right.storage().role == Storage.Role.PARAMETER) {
                plan.defer(new GradientPlan.WeightGradient(right, left, output));
            } else {
                boolean accumulate = plan.contribute(right);
                Product toRight = arithmetic.product(
                        Operand.value(left).transpose(), Operand.gradient(output), Operand.gradient(right), k, n, m);
                backward.add(() -> toRight.run(accumulate));
            }
        }
        if (bias != null && bias.row.differentiable()) {
            boolean accumulate = plan.contribute(bias.row);
            Product toBias = arithmetic.product(
                    Operand.value(bias.ones.shaped(1, bias.ones.size()).rows(0, 1)),
                    Operand.gradient(output),
                    Operand.gradient(bias.row),
                    1,
                    n,
                    bias.rows);
            backward.add(() -> toBias.run(accumulate));
        }
        return new Bound(arithmetic, forward, backward.toArray(Runnable[]::new));
    }

    private final class Bound implements Kernel {
        private final Arithmetic arithmetic;
        private final Product product;
        private final Runnable[] backward;

        Bound(Arithmetic arithmetic, Product product, Runnable[] backward) {
            this.arithmetic = arithmetic;
            this.product = product;
            this.backward = backward;
        }

        @Override
        public void forward() {
            if (bias == null) {
                product.run(false);
                return;
            }
            int columns = output().columns();
            for (int row = 0; row < bias.rows; row++) {
                arithmetic.copyValue(bias.row.offset(), output().offset() + row * columns, columns);
            }
            int covered = bias.rows * columns;
            arithmetic.clearValue(output().offset() + covered, output().size() - covered);
            product.run(true);
        }

        @Override
        public void backward() {
            for (Runnable step : backward) {
                step.run();
            }
        }
    }
}
