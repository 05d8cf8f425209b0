package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.isoloss.autodiff.Arithmetic.Operand;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.Matrix;

/**
 * A graph bound to memory of one precision. {@link #forward} and {@link #backward} allocate nothing. A program serves one
 * thread; two programs serve two.
 */
public final class Program {
    private final Arithmetic arithmetic;
    private final Operation.Kernel[] kernels;
    /** For each kernel, the gradient stretches to clear before its backward pass; one more at the end. */
    private final GradientPlan.Stretch[][] clears;

    private final boolean[] differentiable;
    private final Runnable[] weightGradients;
    private final int parameterCount;
    /** Where the last recorded result lies: the only one from which a backward pass can start; -1 if it is no scalar. */
    private final int lastResult;
    /** Whether a backward pass may start: it uses up what the forward pass kept. */
    private boolean filled;

    Program(Arithmetic arithmetic, List<Operation> operations, List<Tensor> parameters) {
        this.arithmetic = arithmetic;
        int count = operations.size();
        kernels = new Operation.Kernel[count];
        clears = new GradientPlan.Stretch[count + 1][];
        differentiable = new boolean[count];
        parameterCount = parameters.stream().mapToInt(Tensor::size).sum();
        lastResult = count > 0 && operations.getLast().output().size() == 1
                ? operations.getLast().output().offset()
                : -1;
        GradientPlan plan = new GradientPlan(true);
        if (lastResult >= 0) {
            plan.contribute(operations.getLast().output());
        }
        for (int i = count - 1; i >= 0; i--) {
            Operation operation = operations.get(i);
            differentiable[i] = operation.output().differentiable() && plan.touched(operation.output());
            if (differentiable[i]) {
                plan.read(operation.output());
            }
            kernels[i] = operation.bind(arithmetic, differentiable[i] ? plan : new GradientPlan(false));
            clears[i] = plan.takeClears().toArray(GradientPlan.Stretch[]::new);
        }
        weightGradients = mergedWeightGradients(plan);
        parameters.forEach(plan::read);
        clears[count] = plan.takeClears().toArray(GradientPlan.Stretch[]::new);
    }

    /** Makes one product of the weight gradients whose inputs and outputs lie side by side. */
    private Runnable[] mergedWeightGradients(GradientPlan plan) {
        List<GradientPlan.WeightGradient> waiting = new ArrayList<>(plan.takeDeferred());
        waiting.sort(Comparator.<GradientPlan.WeightGradient>comparingInt(
                        gradient -> gradient.weight().offset())
                .thenComparingInt(gradient -> gradient.input().offset()));
        List<Runnable> merged = new ArrayList<>();
        for (int i = 0; i < waiting.size(); ) {
            GradientPlan.WeightGradient first = waiting.get(i);
            int rows = first.input().rows();
            int j = i + 1;
            while (j < waiting.size() && follows(waiting.get(j - 1), waiting.get(j))) {
                rows += waiting.get(j).input().rows();
                j++;
            }
            Tensor weight = first.weight();
            boolean accumulate = plan.contribute(weight);
            Arithmetic.Product product = arithmetic.product(
                    Operand.value(first.input()).transpose(),
                    Operand.gradient(first.output()),
                    Operand.gradient(weight),
                    weight.rows(),
                    weight.columns(),
                    rows);
            merged.add(() -> product.run(accumulate));
            i = j;
        }
        return merged.toArray(Runnable[]::new);
    }

    private static boolean follows(GradientPlan.WeightGradient before, GradientPlan.WeightGradient after) {
        return before.weight().offset() == after.weight().offset()
                && before.weight().rows() == after.weight().rows()
                && before.weight().columns() == after.weight().columns()
                && before.input().end() == after.input().offset()
                && before.output().end() == after.output().offset();
    }

    /** Fills every result from the inputs, constants and parameters. */
    public void forward() {
        for (Operation.Kernel kernel : kernels) {
            kernel.forward();
        }
        filled = true;
    }

    /**
     * Fills the gradients of the last recorded result, a scalar, with respect to everything differentiable before it.
     * {@link #forward} comes first, each time.
     *
     * @param loss the last recorded result, shape (1, 1)
     */
    public void backward(Tensor loss) {
        if (loss.size() != 1) {
            throw new IllegalArgumentException(
                    "Program.backward: the loss has shape %s, expected (1, 1)".formatted(loss));
        }
        if (loss.offset() != lastResult) {
            throw new IllegalArgumentException(
                    "Program.backward: the loss is not the last recorded result; record it last");
        }
        if (!filled) {
            throw new IllegalStateException(
                    "Program.backward: no forward pass since the last backward pass; run forward first");
        }
        filled = false;
        arithmetic.setGradient(loss.offset(), 1);
        for (int i = kernels.length - 1; i >= 0; i--) {
            clear(clears[i]);
            if (differentiable[i]) {
                kernels[i].backward();
            }
        }
        clear(clears[kernels.length]);
        for (Runnable gradient : weightGradients) {
            gradient.run();
        }
    }

    private void clear(GradientPlan.Stretch[] stretches) {
        for (GradientPlan.Stretch stretch : stretches) {
            arithmetic.clearGradient(stretch.from(), stretch.to() - stretch.from());
        }
    }

    /**
     * Sets the numbers of an input, a constant or a parameter.
     *
     * @param tensor of the graph of this program
     * @param numbers row by row, as many as the tensor has; copied
     */
    public void set(Tensor tensor, double[] numbers) {
        if (numbers.length != tensor.size()) {
            throw new IllegalArgumentException(
                    "Program.set: %d numbers for a tensor of shape %s".formatted(numbers.length, tensor));
        }
        arithmetic.setValues(tensor.offset(), numbers, 0, numbers.length);
    }

    /**
     * Sets the numbers of several tensors.
     *
     * @param tensors of the graph of this program
     * @param numbers one array for each tensor, in the same order; copied
     */
    public void set(List<Tensor> tensors, List<double[]> numbers) {
        if (numbers.size() != tensors.size()) {
            throw new IllegalArgumentException(
                    "Program.set: numbers of %d tensors, expected %d".formatted(numbers.size(), tensors.size()));
        }
        for (int i = 0; i < tensors.size(); i++) {
            set(tensors.get(i), numbers.get(i));
        }
    }

    /**
     * Sets one number.
     *
     * @param tensor of the graph of this program
     * @param index row by row, from 0
     * @param number the value
     */
    public void set(Tensor tensor, int index, double number) {
        arithmetic.setValue(tensor.offset() + index, number);
    }

    /**
     * Sets consecutive numbers.
     *
     * @param tensor of the graph of this program
     * @param index of the first, row by row, from 0
     * @param numbers holds the values; not modified
     * @param from where in {@code numbers} they begin
     * @param count how many, all within both
     */
    public void set(Tensor tensor, int index, double[] numbers, int from, int count) {
        requireWithin(tensor, index, count);
        arithmetic.setValues(tensor.offset() + index, numbers, from, count);
    }

    /**
     * Copies consecutive numbers.
     *
     * @param tensor of the graph of this program
     * @param index of the first, row by row, from 0
     * @param numbers receives the values; modified
     * @param to where in {@code numbers} they go
     * @param count how many, all within both
     */
    public void copy(Tensor tensor, int index, double[] numbers, int to, int count) {
        requireWithin(tensor, index, count);
        arithmetic.copyValues(tensor.offset() + index, numbers, to, count);
    }

    private static void requireWithin(Tensor tensor, int index, int count) {
        if (index < 0 || count < 0 || index > tensor.size() - count) {
            throw new IllegalArgumentException(
                    "Program: %d numbers from number %d on do not lie in a tensor of shape %s"
                            .formatted(count, index, tensor));
        }
    }

    /**
     * Returns one number.
     *
     * @param tensor of the graph of this program
     * @param index row by row, from 0
     * @return the value
     */
    public double get(Tensor tensor, int index) {
        return arithmetic.value(tensor.offset() + index);
    }

    /**
     * Returns the numbers of a tensor.
     *
     * @param tensor of the graph of this program
     * @return a copy
     */
    public Matrix get(Tensor tensor) {
        Matrix copy = Matrix.zeros(tensor.rows(), tensor.columns());
        arithmetic.copyValues(tensor.offset(), copy.entries(), 0, tensor.size());
        return copy;
    }

    /**
     * Returns the gradient of a tensor.
     *
     * @param tensor differentiable, of the graph of this program
     * @return a copy; meaningful after {@link #backward}
     */
    public Matrix gradient(Tensor tensor) {
        Matrix copy = Matrix.zeros(tensor.rows(), tensor.columns());
        for (int i = 0; i < tensor.size(); i++) {
            copy.entries()[i] = arithmetic.gradient(tensor.offset() + i);
        }
        return copy;
    }

    /** {@return the number of trained numbers, at least 0} */
    public int parameterCount() {
        return parameterCount;
    }

    /**
     * Returns the first or second moments of the {@link Optimizer}, zero before its first step.
     *
     * @param second which of the two
     * @return length {@link #parameterCount}
     */
    public double[] moments(boolean second) {
        return arithmetic.moments(parameterCount, second);
    }

    /**
     * Sets both moments of the {@link Optimizer}, to go on where another program stopped.
     *
     * @param first length {@link #parameterCount}
     * @param second length {@link #parameterCount}
     */
    public void setMoments(double[] first, double[] second) {
        if (first.length != parameterCount || second.length != parameterCount) {
            throw new IllegalArgumentException("Program.setMoments: %d and %d moments for %d parameters"
                    .formatted(first.length, second.length, parameterCount));
        }
        arithmetic.setMoments(first, false);
        arithmetic.setMoments(second, true);
    }

    /**
     * Returns the matrix products of one forward and backward pass, each bound to its place: running them alone measures
     * the rate that matrix products of these shapes reach. Runs both passes once; the products themselves overwrite
     * results, so the program is good for nothing but measuring afterwards.
     *
     * @param loss as for {@link #backward}
     * @return in the order in which they ran
     */
    public List<BoundGemm> products(Tensor loss) {
        arithmetic.recordProducts(true);
        forward();
        backward(loss);
        arithmetic.recordProducts(false);
        return List.copyOf(arithmetic.recordedProducts());
    }

    double squaredGradientNorm() {
        return arithmetic.squaredGradientNorm(0, parameterCount);
    }

    /** Steps of Adam of the parameters from {@code from} on. */
    void adam(int from, int count, double gradientScale, double rate, double secondCorrection) {
        arithmetic.prepareMoments(parameterCount);
        arithmetic.adam(from, count, gradientScale, rate, secondCorrection);
    }

    /** Puts steps of Adam, to be added, in the place of the gradients from {@code from} on. */
    void adamSteps(int from, int count, double rate, double secondDecay, double secondCorrection) {
        arithmetic.prepareMoments(parameterCount);
        arithmetic.adamSteps(from, count, rate, secondDecay, secondCorrection);
    }

    void scaleGradients(double factor) {
        arithmetic.scaleGradients(0, parameterCount, factor);
    }

    void scaleValues(Tensor tensor, double factor) {
        arithmetic.scaleValues(tensor.offset(), tensor.size(), factor);
    }

    Arithmetic.Product product(Operand a, Operand b, Operand c, int m, int n, int k) {
        return arithmetic.product(a, b, c, m, n, k);
    }

    void setFirstMoments(double[] moments) {
        arithmetic.prepareMoments(parameterCount);
        arithmetic.setMoments(moments, false);
    }
}
