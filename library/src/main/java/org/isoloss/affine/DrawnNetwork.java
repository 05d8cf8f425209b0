package org.isoloss.affine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.isoloss.network.ParameterLayout;

/** An architecture at parameters and inputs that are drawn anew each time, in float64; the inputs are parameters too. */
final class DrawnNetwork {
    private static final String INPUTS = "inputs";

    private final List<Value> drawn;
    private final List<Value> sums;
    private final Execution execution;
    private final ModelTarget target;
    private final int parameterCount;

    /** Prepares a number of inputs at once. */
    DrawnNetwork(Architecture architecture, int inputs) {
        ParameterLayout layout = architecture.layout();
        this.parameterCount = layout.size();
        ModelBuilder builder = Model.builder();
        double[] zeros = new double[inputs * architecture.inputs()];
        Value input = builder.parameter(INPUTS, Dimensions.of(inputs, architecture.inputs()), () -> zeros);
        this.sums = architecture.sums(builder, input, new double[parameterCount]);
        builder.output("y", sums.getLast());
        Model model = builder.build();
        List<String> names = new ArrayList<>();
        layout.entries().forEach(entry -> names.add(entry.name()));
        names.add(INPUTS);
        this.drawn = names.stream().map(model::parameter).toList();
        this.execution = Execution.of(Precision.FLOAT64, sums, new HashSet<>(drawn));
        this.target = ModelTarget.of(Moving.of(model, names), Map.of());
    }

    /**
     * Computes.
     *
     * @param theta parameters, length p; not modified
     * @param inputs one after the other; not modified
     * @return for each layer what it sums up to, one input after the other; the last are the outputs
     */
    List<double[]> sums(double[] theta, double[] inputs) {
        int next = 0;
        for (Value value : drawn.subList(0, drawn.size() - 1)) {
            execution.set(value, theta, next);
            next += value.shape().count();
        }
        execution.set(drawn.getLast(), inputs);
        execution.run();
        return sums.stream().map(execution::get).toList();
    }

    /** Returns the derivatives of output c for input i in row {@code i m + c}, of p columns. */
    Matrix jacobian(double[] theta, double[] inputs) {
        double[] point = new double[theta.length + inputs.length];
        System.arraycopy(theta, 0, point, 0, theta.length);
        System.arraycopy(inputs, 0, point, theta.length, inputs.length);
        Matrix all = target.jacobian(point);
        Matrix jacobian = Matrix.zeros(all.rows(), parameterCount);
        for (int row = 0; row < all.rows(); row++) {
            System.arraycopy(
                    all.entries(), row * all.columns(), jacobian.entries(), row * parameterCount, parameterCount);
        }
        return jacobian;
    }
}
