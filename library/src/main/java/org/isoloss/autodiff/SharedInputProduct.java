package org.isoloss.autodiff;

import java.util.List;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.autodiff.Arithmetic.Product;

/**
 * A layer whose weights differ from sample to sample and whose input is the same constant for all: row f of the output
 * holds, sample after sample, {@code weights_sample[f] input}. Linear in the weights, so tangents need nothing of their
 * own.
 */
final class SharedInputProduct extends Operation {
    private final Tensor parameters;
    private final WeightSlice slice;
    private final Tensor input;
    private final boolean addsToOutput;

    /** Accumulates onto what {@code previous} left in the output where that is given by {@code addsToOutput}. */
    SharedInputProduct(Tensor output, Tensor parameters, WeightSlice slice, Tensor input, boolean addsToOutput) {
        super(output, List.of(parameters, input));
        this.parameters = parameters;
        this.slice = slice;
        this.input = input;
        this.addsToOutput = addsToOutput;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        int samples = parameters.rows();
        int width = input.columns();
        Product[] forward = new Product[slice.outputs()];
        Product[] backward = new Product[parameters.differentiable() ? slice.outputs() : 0];
        for (int f = 0; f < slice.outputs(); f++) {
            int weights = parameters.offset() + slice.offset() + f * slice.inputs();
            int row = output().offset() + f * samples * width;
            forward[f] = arithmetic.product(
                    new Operand(false, weights, parameters.columns(), false),
                    Operand.value(input),
                    new Operand(false, row, width, false),
                    samples,
                    width,
                    slice.inputs());
            if (backward.length > 0) {
                backward[f] = arithmetic.product(
                        new Operand(true, row, width, false),
                        Operand.value(input).transpose(),
                        new Operand(true, weights, parameters.columns(), false),
                        samples,
                        slice.inputs(),
                        width);
            }
        }
        if (parameters.differentiable()) {
            plan.accumulate(parameters);
        }
        return new Bound(forward, backward);
    }

    private final class Bound implements Kernel {
        private final Product[] products;
        private final Product[] gradients;

        Bound(Product[] products, Product[] gradients) {
            this.products = products;
            this.gradients = gradients;
        }

        @Override
        public void forward() {
            for (Product product : products) {
                product.run(addsToOutput);
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
