package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Leaf;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * The weights that a model uses as functions of its parameters: most are the parameters themselves, others are transposed,
 * scaled, or have a constant added. Finds the parameters that give wanted weights.
 */
final class WeightsOfParameters {
    private static final int ROUNDS = 3;
    private static final double EXACT = 1e-15;

    private final Moving moving;
    private final Map<Value, double[]> numbers = new HashMap<>();
    private final List<Value> derived;
    private final @Nullable ModelTarget target;

    /**
     * Reads weights.
     *
     * @param moving the parameters that may change
     * @param weights values that depend on parameters alone
     * @param inputs any of the model, which weights do not depend on
     */
    WeightsOfParameters(Moving moving, List<Value> weights, Map<String, double[]> inputs) {
        this.moving = moving;
        this.derived = weights.stream()
                .filter(weight -> !(weight.operation() instanceof Leaf))
                .filter(weight -> !moving.reaching(List.of(weight)).places().isEmpty())
                .toList();
        SequencedMap<String, Value> observed = new LinkedHashMap<>();
        for (int i = 0; i < weights.size(); i++) {
            observed.put(Integer.toString(i), weights.get(i));
        }
        Moving all = Moving.all(moving.model()).reaching(weights);
        List<double[]> computed =
                ModelTarget.of(all.observing(observed), inputs).atOrigin(weights);
        for (int i = 0; i < weights.size(); i++) {
            numbers.put(weights.get(i), computed.get(i));
        }
        SequencedMap<String, Value> solved = new LinkedHashMap<>();
        derived.forEach(weight -> solved.put(Integer.toString(solved.size()), weight));
        this.target = derived.isEmpty()
                ? null
                : ModelTarget.of(moving.reaching(derived).observing(solved), inputs);
    }

    /** The numbers of a weight. */
    double[] numbers(Value weight) {
        return Objects.requireNonNull(numbers.get(weight));
    }

    /**
     * Finds parameters.
     *
     * @param wanted numbers of some weights
     * @return the moving parameters that give them, as nearly as least squares can; others stay
     */
    double[] parametersOf(Map<Value, double[]> wanted) {
        SequencedMap<String, double[]> tensors = new LinkedHashMap<>();
        wanted.forEach((weight, entries) -> {
            if (weight.operation() instanceof Leaf leaf) {
                tensors.put(leaf.label(), entries);
            }
        });
        double[] parameters = moving.origin();
        replace(moving, parameters, tensors);
        if (target != null && derived.stream().anyMatch(wanted::containsKey)) {
            Moving some = target.moving();
            double[] begun = some.origin();
            replace(some, begun, moving.tensors(parameters));
            replace(moving, parameters, some.tensors(solved(target, begun, wanted)));
        }
        return parameters;
    }

    private static void replace(Moving moving, double[] parameters, Map<String, double[]> tensors) {
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            double[] own = tensors.get(entry.getKey());
            for (int place : entry.getValue()) {
                if (own != null) {
                    parameters[at] = own[place];
                }
                at++;
            }
        }
    }

    /** Newton's method: most weights are linear in the parameters, so that one step does. */
    private double[] solved(ModelTarget of, double[] begun, Map<Value, double[]> wanted) {
        double[] goal = derived.stream()
                .flatMapToDouble(weight -> Arrays.stream(wanted.getOrDefault(weight, numbers(weight))))
                .toArray();
        double[] parameters = begun;
        for (int round = 0; round < ROUNDS; round++) {
            double[] missing = of.outputs(Matrix.over(1, parameters.length, parameters.clone()))
                    .entries();
            double largest = 0;
            for (int i = 0; i < goal.length; i++) {
                missing[i] = goal[i] - missing[i];
                largest = Math.max(largest, Math.abs(missing[i]));
            }
            if (largest <= EXACT) {
                break;
            }
            Matrix step = LeastSquares.of(of.jacobian(parameters), Matrix.over(missing.length, 1, missing), 1e-12)
                    .solution();
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] += step.get(i, 0);
            }
        }
        return parameters;
    }
}
