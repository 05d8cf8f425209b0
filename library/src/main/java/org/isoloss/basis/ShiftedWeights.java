package org.isoloss.basis;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.ComputedNumbers;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Execution;
import org.isoloss.model.FreeShift;
import org.isoloss.model.FreeShift.Balanced;
import org.isoloss.model.FreeShift.Entries;
import org.isoloss.model.FreeShift.Opposed;
import org.isoloss.model.FreeShift.Read;
import org.isoloss.model.FreeShift.Written;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** The parameters of a model while free shifts are added to them, one after the other. */
final class ShiftedWeights {
    private final Model model;
    private final SequencedMap<String, Numbers> changed;

    /**
     * Begins.
     *
     * @param model any
     * @param changed parameters that have other numbers already; copied
     */
    ShiftedWeights(Model model, SequencedMap<String, Numbers> changed) {
        this.model = model;
        this.changed = new LinkedHashMap<>(changed);
    }

    SequencedMap<String, Numbers> changed() {
        return changed;
    }

    /**
     * Adds a shift.
     *
     * @param shift of the model
     * @param chosen as many numbers as it has dimensions
     * @param sign 1, or -1 to take it away again
     */
    void add(FreeShift shift, double[] chosen, int sign) {
        double[] own = Arrays.stream(chosen).map(number -> sign * number).toArray();
        switch (shift) {
            case Written written -> {
                Dimensions shape = model.parameter(written.tensor()).shape();
                int inner = shape.strides()[written.axis()];
                int outer = inner * shape.size(written.axis());
                add(written.tensor(), i -> own[i / outer * inner + i % inner]);
            }
            case Entries entries -> add(entries.tensor(), at(entries.places(), own));
            case Balanced balanced -> balance(balanced, own);
            case Opposed opposed -> {
                add(opposed.tensor(), at(opposed.places(), own));
                add(opposed.other(), at(opposed.others(), scaled(own, -opposed.ratio())));
            }
            case Read read -> read(read, own);
        }
    }

    private static double[] scaled(double[] numbers, double factor) {
        return Arrays.stream(numbers).map(number -> factor * number).toArray();
    }

    /** Numbers at some places, 0 elsewhere. */
    private static IntToDoubleFunction at(List<Integer> places, double[] numbers) {
        Map<Integer, Double> all = new HashMap<>();
        for (int i = 0; i < numbers.length; i++) {
            all.put(places.get(i), numbers[i]);
        }
        return i -> all.getOrDefault(i, 0.0);
    }

    private void balance(Balanced balanced, double[] own) {
        Map<Value, double[]> given = Map.of(balanced.start(), own);
        balanced.absorbed().forEach((tensor, value) -> {
            double[] taken = computed(value, given);
            add(tensor, i -> taken[i % taken.length]);
        });
        Map<String, double[]> rows = new HashMap<>();
        balanced.turned().forEach((tensor, turn) -> rows.put(tensor, computed(turn.taken(), given)));
        add(balanced.tensor(), balanced.places().isEmpty() ? i -> own[i % own.length] : at(balanced.places(), own));
        balanced.turned().forEach((tensor, turn) -> { // of what is always the same now
            double[] sums = sums(turn.factors(), model.parameter(tensor).shape().size(turn.axis()));
            double always = sum(sums, computed(turn.added(), Map.of()));
            double[] taken = Objects.requireNonNull(rows.get(tensor));
            add(tensor, outer(tensor, turn.axis(), scaled(taken, -1 / always), sums));
        });
    }

    /** The product of numbers for each row of a tensor and for each entry along an axis of it. */
    private IntToDoubleFunction outer(String tensor, int axis, double[] rows, double[] along) {
        int inner = model.parameter(tensor).shape().strides()[axis];
        int outer = inner * along.length;
        return i -> rows[i / outer * inner + i % inner] * along[i / inner % along.length];
    }

    /** What of a value that is centred and then multiplied by factors is always the same: its sum over these. */
    private double[] sums(@Nullable Value factors, int size) {
        double[] sums = new double[size];
        Arrays.fill(sums, 1);
        if (factors != null) {
            double[] by = computed(factors, Map.of());
            Arrays.setAll(sums, i -> 1 / by[i]);
        }
        return sums;
    }

    private static double sum(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    /** The combination of channels that a weight reads unseen. */
    double[] sums(Read read) {
        return sums(read.factors(), model.parameter(read.tensor()).shape().size(read.axis()));
    }

    private void read(Read read, double[] rows) {
        double[] sums = sums(read);
        Value added = read.added();
        String bias = read.bias();
        if (added != null && bias != null) {
            double always = sum(sums, computed(added, Map.of()));
            add(bias, i -> -always * rows[i]);
        }
        add(read.tensor(), outer(read.tensor(), read.axis(), rows, sums));
    }

    /** What a parameter is now. */
    Numbers numbers(String tensor) {
        Numbers before = changed.get(tensor);
        return before == null ? ((Leaf) model.parameter(tensor).operation()).numbers() : before;
    }

    private void add(String tensor, IntToDoubleFunction added) {
        changed.put(
                tensor,
                new Added(numbers(tensor), model.parameter(tensor).shape().count(), added));
    }

    /** Computes what depends on parameters alone, from the numbers that they have now. */
    double[] computed(Value value, Map<Value, double[]> given) {
        Set<Value> read = read(value, given.keySet());
        Map<Value, double[]> known = new HashMap<>();
        changed.forEach((tensor, numbers) -> {
            Value parameter = model.parameter(tensor);
            if (read.contains(parameter)) {
                known.put(parameter, numbers.asFloat64());
            }
        });
        given.forEach((own, numbers) -> {
            if (read.contains(own)) {
                known.put(own, numbers);
            }
        });
        Execution execution = Execution.of(Precision.FLOAT64, List.of(value), known.keySet());
        known.forEach(execution::set);
        execution.run();
        return execution.get(value);
    }

    /** What a value is made of, up to what is given. */
    static Set<Value> read(Value value, Set<Value> given) {
        Set<Value> read = new HashSet<>(Set.of(value));
        Deque<Value> waiting = new ArrayDeque<>(read);
        while (!waiting.isEmpty()) {
            Value next = waiting.pop();
            if (!given.contains(next)) {
                next.arguments().stream().filter(read::add).forEach(waiting::push);
            }
        }
        return read;
    }

    /**
     * Numbers to which others are added while they are read.
     *
     * @param source what they are added to
     * @param count how many
     * @param added for each place, row-major
     */
    private record Added(Numbers source, int count, IntToDoubleFunction added) implements ComputedNumbers {
        @Override
        public void read(int from, double[] target, int at, int some) {
            source.read(from, target, at, some);
            for (int i = 0; i < some; i++) {
                target[at + i] += added.applyAsDouble(from + i);
            }
        }
    }
}
