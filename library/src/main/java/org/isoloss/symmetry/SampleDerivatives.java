package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Differentiation;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** What some values of a model are on some samples, one after the other, and their derivative, wherever the parameters are. */
final class SampleDerivatives {
    private final Moving moving;
    private final List<Map<String, double[]>> samples;
    private final List<String> names;
    private final List<Value> tensors;
    private final Value flat;
    private final ModelBuilder builder;
    private final Execution values;
    private final int size;
    private @Nullable Derivatives derivatives;

    private record Derivatives(Value upstream, List<Value> gradients, Execution execution) {}

    /**
     * Prepares a computation.
     *
     * @param moving the parameters
     * @param wanted values of its model, at least one
     * @param samples inputs
     */
    SampleDerivatives(Moving moving, List<Value> wanted, List<Map<String, double[]>> samples) {
        this.moving = moving;
        this.samples = samples;
        Model model = moving.model();
        this.names = List.copyOf(moving.places().keySet());
        this.tensors = names.stream().map(model::parameter).toList();
        this.builder = model.extended();
        this.flat = builder.concatenate(
                wanted.stream()
                        .map(value -> builder.reshape(
                                value, Dimensions.of(value.shape().count())))
                        .toList(),
                0);
        this.size = flat.shape().count();
        this.values = prepared(List.of(flat));
    }

    private Derivatives derivatives() {
        Derivatives known = derivatives;
        if (known != null) {
            return known;
        }
        Value upstream = builder.input("gradient of the values", size);
        List<Value> gradients = Differentiation.gradients(builder, List.of(flat), List.of(upstream), tensors);
        Derivatives made = new Derivatives(upstream, gradients, prepared(gradients));
        derivatives = made;
        return made;
    }

    /** A computation that starts from those of the parameters that it depends on. */
    private Execution prepared(List<Value> results) {
        Set<Value> given = new LinkedHashSet<>();
        moving.reaching(results)
                .places()
                .keySet()
                .forEach(name -> given.add(moving.model().parameter(name)));
        return Execution.of(Precision.FLOAT64, results, given);
    }

    private void place(Execution execution, double[] at) {
        SequencedMap<String, double[]> numbers = moving.tensors(at);
        for (int i = 0; i < names.size(); i++) {
            if (execution.reads(tensors.get(i))) {
                execution.set(tensors.get(i), Objects.requireNonNull(numbers.get(names.get(i))));
            }
        }
    }

    /** The values, one sample after the other. */
    double[] values(double[] at) {
        place(values, at);
        double[] all = new double[samples.size() * size];
        for (int sample = 0; sample < samples.size(); sample++) {
            moving.model().setInputs(values, samples.get(sample));
            values.run();
            values.copy(flat, all, sample * size);
        }
        return all;
    }

    /**
     * The derivative of {@link #values}.
     *
     * @param at the parameters
     * @param places of those in which it is derived, in increasing order
     * @return one number of the values a row, one parameter a column
     */
    Matrix jacobian(double[] at, int[] places) {
        Derivatives derivative = derivatives();
        Execution execution = derivative.execution();
        place(execution, at);
        Matrix jacobian = Matrix.zeros(samples.size() * size, places.length);
        double[] up = new double[size];
        double[] whole = new double
                [tensors.stream().mapToInt(tensor -> tensor.shape().count()).sum()];
        int[] within = within(places);
        for (int sample = 0; sample < samples.size(); sample++) {
            moving.model().setInputs(execution, samples.get(sample));
            for (int number = 0; number < size; number++) {
                Arrays.fill(up, 0);
                up[number] = 1;
                if (execution.reads(derivative.upstream())) {
                    execution.set(derivative.upstream(), up);
                }
                execution.run();
                int from = 0;
                for (Value gradient : derivative.gradients()) {
                    execution.copy(gradient, whole, from);
                    from += gradient.shape().count();
                }
                for (int i = 0; i < places.length; i++) {
                    jacobian.set(sample * size + number, i, whole[within[i]]);
                }
            }
        }
        return jacobian;
    }

    /** Places among the parameters as places among all entries of their tensors. */
    private int[] within(int[] places) {
        int[] all = new int[moving.count()];
        int next = 0;
        int from = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            for (int place : entry.getValue()) {
                all[next++] = from + place;
            }
            from += moving.model().parameter(entry.getKey()).shape().count();
        }
        return Arrays.stream(places).map(place -> all[place]).toArray();
    }
}
