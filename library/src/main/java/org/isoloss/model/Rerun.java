package org.isoloss.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.isoloss.autodiff.Precision;

/**
 * Values of a model on fixed inputs as one edit after another of the same parameters leaves them: what does not depend on these
 * is computed once.
 */
public final class Rerun {
    private final Execution execution;
    private final List<Value> results;
    private final Map<String, Value> edited = new LinkedHashMap<>();
    private final Map<String, Numbers> original = new LinkedHashMap<>();

    private Rerun(Execution execution, List<Value> results) {
        this.execution = execution;
        this.results = results;
    }

    /**
     * Computes what no edit changes.
     *
     * @param model its numbers are read while this is used
     * @param precision of all numbers
     * @param inputs the numbers of every input, row-major; not modified
     * @param results what is wanted
     * @param edited names of the parameters that edits change
     * @return ready for the edits
     */
    public static Rerun of(
            Model model,
            Precision precision,
            Map<String, double[]> inputs,
            List<Value> results,
            Collection<String> edited) {
        Set<Value> sources = new LinkedHashSet<>();
        edited.forEach(name -> sources.add(model.parameter(name)));
        Set<Value> given = new LinkedHashSet<>(sources);
        Set<Value> depending = new HashSet<>(sources);
        for (Value value : Execution.order(results, sources)) {
            if (value.arguments().stream().anyMatch(depending::contains)) {
                depending.add(value);
                value.arguments().stream()
                        .filter(argument -> !depending.contains(argument) && !hasNumbers(argument))
                        .forEach(given::add);
            }
        }
        results.stream().filter(value -> !depending.contains(value)).forEach(given::add);
        List<Value> known =
                given.stream().filter(value -> !sources.contains(value)).toList();
        Execution before = Execution.of(precision, known);
        model.setInputs(before, inputs);
        before.run();
        Rerun rerun = new Rerun(Execution.of(precision, results, given), List.copyOf(results));
        known.forEach(value -> rerun.execution.set(value, before.get(value)));
        for (String name : edited) {
            rerun.edited.put(name, model.parameter(name));
            rerun.original.put(name, ((Leaf) model.parameter(name).operation()).numbers());
        }
        return rerun;
    }

    private static boolean hasNumbers(Value value) {
        return value.operation() instanceof Leaf leaf && leaf.hasNumbers();
    }

    /**
     * Computes the results with some parameters replaced.
     *
     * @param tensors new numbers of edited parameters by name, row-major; the others are as the model has them; not modified
     * @return one for each result, row-major
     */
    public List<double[]> results(Map<String, double[]> tensors) {
        if (!edited.keySet().containsAll(tensors.keySet())) {
            throw new IllegalArgumentException(
                    "tensors %s are replaced, but only %s may be".formatted(tensors.keySet(), edited.keySet()));
        }
        edited.forEach((name, value) -> {
            double[] numbers = tensors.get(name);
            if (execution.reads(value)) {
                execution.set(
                        value,
                        numbers == null
                                ? Objects.requireNonNull(original.get(name)).asFloat64()
                                : numbers);
            }
        });
        execution.run();
        return results.stream().map(execution::get).toList();
    }
}
