package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AlgebraReading;
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
    private final Map<Value, List<EntrySource>> simple = new LinkedHashMap<>();
    private final TreeMap<Integer, String> tensorsFrom = new TreeMap<>();
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
        List<Value> made = weights.stream()
                .filter(weight -> !(weight.operation() instanceof Leaf))
                .filter(weight -> !moving.reaching(List.of(weight)).places().isEmpty())
                .toList();
        Map<Value, List<EntrySource>> numbered = numbered(made);
        for (Value weight : made) {
            List<EntrySource> sources = sources(weight, numbered);
            if (!sources.isEmpty()) {
                simple.put(weight, sources);
            }
        }
        this.derived = sharing(
                made.stream().filter(weight -> !simple.containsKey(weight)).toList(), made);
        simple.keySet().removeAll(derived);
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

    /** The entries of all parameters that weights are made of, each with its place among them. */
    private Map<Value, List<EntrySource>> numbered(List<Value> made) {
        Map<Value, List<EntrySource>> numbered = new LinkedHashMap<>();
        int from = 0;
        for (String name : Moving.all(moving.model()).reaching(made).places().keySet()) {
            Value parameter = moving.model().parameter(name);
            int first = from;
            int count = parameter.shape().count();
            numbered.put(
                    parameter,
                    IntStream.range(first, first + count)
                            .mapToObj(EntrySource::number)
                            .toList());
            tensorsFrom.put(first, name);
            from += count;
        }
        return numbered;
    }

    /** Some weights, and all that are made of the same parameters as one of them. */
    private List<Value> sharing(List<Value> some, List<Value> made) {
        Set<String> shared = moving.reaching(some).places().keySet();
        List<Value> all = made.stream()
                .filter(weight -> some.contains(weight)
                        || !Collections.disjoint(
                                moving.reaching(List.of(weight)).places().keySet(), shared))
                .toList();
        return all.size() == some.size() ? all : sharing(all, made);
    }

    /** What each entry is made of; empty where some entry is made of several numbers. */
    private static List<EntrySource> sources(Value weight, Map<Value, List<EntrySource>> numbered) {
        try {
            List<EntrySource> sources = AlgebraReading.read(new EntrySource.Reading(), List.of(weight), numbered)
                    .getFirst();
            return sources.stream().anyMatch(EntrySource::isOther) ? List.of() : sources;
        } catch (UnsupportedOperationException _) {
            return List.of();
        }
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
        double[] parameters = moving.origin();
        replace(moving, parameters, tensors(wanted));
        if (target != null && derived.stream().anyMatch(wanted::containsKey)) {
            Moving some = target.moving();
            double[] begun = some.origin();
            replace(some, begun, moving.tensors(parameters));
            replace(moving, parameters, some.tensors(solved(target, begun, wanted)));
        }
        return parameters;
    }

    /** Means of what the entries of weights ask for; numbers that none is made of stay. */
    private Map<String, double[]> tensors(Map<Value, double[]> wanted) {
        Map<String, double[]> sums = new LinkedHashMap<>();
        Map<String, int[]> counts = new HashMap<>();
        wanted.forEach((weight, entries) -> {
            List<EntrySource> sources = simple.get(weight);
            for (int i = 0; i < entries.length; i++) {
                if (weight.operation() instanceof Leaf leaf) {
                    add(sums, counts, leaf.label(), i, entries[i]);
                } else if (sources != null && sources.get(i).factor() != 0) {
                    EntrySource source = sources.get(i);
                    Map.Entry<Integer, String> tensor = tensorsFrom.floorEntry(source.place());
                    double number = (entries[i] - source.shift()) / source.factor();
                    add(sums, counts, tensor.getValue(), source.place() - tensor.getKey(), number);
                }
            }
        });
        sums.forEach((name, own) -> {
            double[] numbers = moving.model().numbers(name);
            int[] times = Objects.requireNonNull(counts.get(name));
            Arrays.setAll(own, i -> times[i] == 0 ? numbers[i] : own[i] / times[i]);
        });
        return sums;
    }

    private void add(Map<String, double[]> sums, Map<String, int[]> counts, String tensor, int place, double number) {
        int size = moving.model().parameter(tensor).shape().count();
        sums.computeIfAbsent(tensor, _ -> new double[size])[place] += number;
        counts.computeIfAbsent(tensor, _ -> new int[size])[place]++;
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
