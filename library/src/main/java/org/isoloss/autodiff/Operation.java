package org.isoloss.autodiff;

import java.util.List;

/** One recorded step of a graph: what it reads and what it fills, without numbers. */
abstract class Operation {
    /** An operation bound to the arrays of one program. Neither method allocates. */
    interface Kernel {
        void forward();

        /** Adds the gradient of the output, times the derivative, to the gradients of the inputs. */
        void backward();
    }

    private final Tensor output;
    private final List<Tensor> inputs;

    Operation(Tensor output, List<Tensor> inputs) {
        this.output = output;
        this.inputs = List.copyOf(inputs);
    }

    final Tensor output() {
        return output;
    }

    final List<Tensor> inputs() {
        return inputs;
    }

    /**
     * Binds the operation.
     *
     * @param arithmetic the arrays and kernels
     * @param plan told of each gradient that {@link Kernel#backward} will add to; answers whether to accumulate
     */
    abstract Kernel bind(Arithmetic arithmetic, GradientPlan plan);
}
