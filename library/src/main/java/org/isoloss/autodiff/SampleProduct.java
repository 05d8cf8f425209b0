package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.autodiff.Arithmetic.Product;

/**
 * A layer whose weights and inputs both differ from sample to sample. Features are rows; each sample has {@code width}
 * neighbouring columns. The blocks of tangents follow the product rule.
 */
final class SampleProduct extends Operation {
    private final Jet parameters;
    private final WeightSlice slice;
    private final Tensor input;
    private final int width;

    SampleProduct(Tensor output, Jet parameters, WeightSlice slice, Tensor input, int width) {
        super(output, List.of(parameters.stacked(), input));
        this.parameters = parameters;
        this.slice = slice;
        this.input = input;
        this.width = width;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        boolean toParameters = parameters.stacked().differentiable();
        boolean toInput = input.differentiable();
        if (toParameters) {
            plan.accumulate(parameters.stacked());
        }
        if (toInput) {
            plan.accumulate(input);
        }
        List<Product> forward = new ArrayList<>();
        List<Boolean> accumulating = new ArrayList<>();
        List<Product> backward = new ArrayList<>();
        for (int block = 0; block < parameters.stacked().rows(); block++) {
            int value = parameters.valueRow(block);
            int[][] pairs = value < 0 ? new int[][] {{block, block}} : new int[][] {{block, value}, {value, block}};
            boolean accumulate = false;
            for (int[] pair : pairs) {
                forward.add(arithmetic.product(
                        weights(pair[0], false),
                        columns(input, pair[1], false),
                        columns(output(), block, false),
                        slice.outputs(),
                        width,
                        slice.inputs()));
                accumulating.add(accumulate);
                accumulate = true;
                if (toParameters) {
                    backward.add(arithmetic.product(
                            columns(output(), block, true),
                            columns(input, pair[1], false).transpose(),
                            weights(pair[0], true),
                            slice.outputs(),
                            slice.inputs(),
                            width));
                }
                if (toInput) {
                    backward.add(arithmetic.product(
                            weights(pair[0], false).transpose(),
                            columns(output(), block, true),
                            columns(input, pair[1], true),
                            slice.inputs(),
                            width,
                            slice.outputs()));
                }
            }
        }
        boolean[] flags = new boolean[accumulating.size()];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = accumulating.get(i);
        }
        return new Bound(forward.toArray(Product[]::new), flags, backward.toArray(Product[]::new));
    }

    private Operand weights(int row, boolean gradient) {
        int at = parameters.stacked().offset() + row * parameters.stacked().columns() + slice.offset();
        return new Operand(gradient, at, slice.inputs(), false);
    }

    private Operand columns(Tensor tensor, int block, boolean gradient) {
        return new Operand(gradient, tensor.offset() + block * width, tensor.columns(), false);
    }

    private static final class Bound implements Kernel {
        private final Product[] products;
        private final boolean[] accumulating;
        private final Product[] gradients;

        Bound(Product[] products, boolean[] accumulating, Product[] gradients) {
            this.products = products;
            this.accumulating = accumulating;
            this.gradients = gradients;
        }

        @Override
        public void forward() {
            for (int i = 0; i < products.length; i++) {
                products[i].run(accumulating[i]);
            }
        }

        @Override
        public void backward() {
            for (Product gradient : gradients) {
                gradient.run(true);
            }
        }
    }
}
