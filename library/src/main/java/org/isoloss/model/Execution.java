package org.isoloss.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.isoloss.autodiff.Precision;

/**
 * Some values of a model ready to be computed in one precision: memory is laid out once, results that are no longer needed
 * make room for others, and {@link #run} allocates nothing. One execution serves one thread.
 */
public final class Execution {
    private final Memory memory;
    private final Runnable[] kernels;
    private final Value[] computed;
    private final int first;
    private final Set<Value> readable;

    private Execution(Memory memory, List<Value> computed, List<Runnable> kernels, int first, Set<Value> readable) {
        this.memory = memory;
        this.computed = computed.toArray(Value[]::new);
        this.kernels = kernels.toArray(Runnable[]::new);
        this.first = first;
        this.readable = readable;
    }

    /**
     * Prepares a computation from the parameters' own numbers.
     *
     * @param precision of all numbers
     * @param results what is wanted
     * @return ready to run once the inputs are set
     */
    public static Execution of(Precision precision, List<Value> results) {
        return of(precision, results, Set.of());
    }

    /**
     * Prepares a computation that starts from given values.
     *
     * @param precision of all numbers
     * @param results what is wanted
     * @param given set before each run, whatever they are made of; parameters among them start with their own numbers
     * @return ready to run once {@code given} and the inputs are set
     */
    public static Execution of(Precision precision, List<Value> results, Set<Value> given) {
        return of(precision, results, List.of(), given);
    }

    /**
     * Prepares a computation in two parts, of which the second uses what the first has computed.
     *
     * @param precision of all numbers
     * @param firsts what {@link #runFirst} computes
     * @param seconds what {@link #runSecond} computes
     * @return ready to run once the inputs are set
     */
    static Execution inTwoParts(Precision precision, List<Value> firsts, List<Value> seconds) {
        return of(precision, firsts, seconds, Set.of());
    }

    private static Execution of(Precision precision, List<Value> firsts, List<Value> seconds, Set<Value> given) {
        List<Value> results = new ArrayList<>(firsts);
        results.addAll(seconds);
        List<Value> order = order(firsts, given);
        Set<Value> before = new HashSet<>(order);
        List<Value> after = order(results, given).stream()
                .filter(value -> !before.contains(value))
                .toList();
        var schedule = new Schedule(List.of(order, after), results, given, Set.of(), true);
        Memory memory = precision == Precision.FLOAT32 ? new Float32Memory() : new Float64Memory();
        memory.allocate(schedule.size());
        List<Value> computed = new ArrayList<>();
        List<Runnable> kernels = schedule.bind(memory, computed);
        int first = (int) computed.stream().filter(before::contains).count();
        return new Execution(memory, computed, kernels, first, schedule.readable());
    }

    /** Everything that has to be there, in the order of computation. */
    static List<Value> order(List<Value> results, Set<Value> given) {
        Set<Value> seen = new HashSet<>(results);
        List<Value> open = new ArrayList<>(seen);
        while (!open.isEmpty()) {
            Value value = open.removeLast();
            if (!given.contains(value)) {
                value.arguments().stream().filter(seen::add).forEach(open::add);
            }
        }
        List<Value> order = new ArrayList<>(seen);
        order.sort(Comparator.comparingInt(Value::index));
        return order;
    }

    /**
     * Sets an input or a given value.
     *
     * @param value one of those
     * @param numbers row-major; copied
     */
    public void set(Value value, double[] numbers) {
        if (numbers.length != value.shape().count()) {
            throw new IllegalArgumentException("%s was given %d numbers, expected %d for its shape %s"
                    .formatted(value, numbers.length, value.shape().count(), value.shape()));
        }
        set(value, numbers, 0);
    }

    /**
     * Sets an input or a given value from a part of an array.
     *
     * @param value one of those
     * @param numbers holds the numbers, row-major; copied
     * @param from where they begin
     */
    public void set(Value value, double[] numbers, int from) {
        require(value);
        memory.set(value, numbers, from);
    }

    /** Computes the results from the inputs as they are set. */
    public void run() {
        run(0, kernels.length);
    }

    /** Computes the first part. */
    void runFirst() {
        run(0, first);
    }

    /** Computes the second part, from what the first one left. */
    void runSecond() {
        run(first, kernels.length);
    }

    private void run(int from, int to) {
        for (int step = from; step < to; step++) {
            try {
                kernels[step].run();
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("%s: %s".formatted(computed[step], e.getMessage()), e);
            }
        }
    }

    /**
     * Returns a result.
     *
     * @param value one of the results
     * @return row-major, a copy
     */
    public double[] get(Value value) {
        double[] numbers = new double[value.shape().count()];
        copy(value, numbers, 0);
        return numbers;
    }

    /**
     * Copies a result.
     *
     * @param value one of the results
     * @param numbers receives it, row-major; modified
     * @param to where it begins
     */
    public void copy(Value value, double[] numbers, int to) {
        require(value);
        memory.copyTo(value, numbers, to);
    }

    /**
     * Returns whether the results depend on an input, or a given value was given.
     *
     * @param value any
     * @return whether it can be set
     */
    public boolean reads(Value value) {
        return readable.contains(value);
    }

    private void require(Value value) {
        if (!readable.contains(value)) {
            throw new IllegalArgumentException("Execution: %s is neither a result nor given".formatted(value));
        }
    }
}
