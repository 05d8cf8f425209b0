package org.isoloss.basis;

import java.lang.ref.SoftReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.ComputedNumbers;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** The weights of a model as classes of channels make them up, and what elements make of the parameters behind them. */
final class WeightsOfModel {
    private final Model model;
    private final AxisClasses classes;
    private final Map<Value, String> names = new HashMap<>();

    WeightsOfModel(Model model, AxisClasses classes) {
        this.model = model;
        this.classes = classes;
        model.parameters().forEach((name, value) -> names.put(value, name));
    }

    Map<Value, List<Block>> blocks() {
        return classes.weights();
    }

    /** The parameter behind a weight: itself, or the one that makes it whatever it must be. */
    String parameter(Value weight) {
        Value own = classes.own(weight);
        return Objects.requireNonNull(names.get(own == null ? weight : own));
    }

    List<AxisClass> classes(Value value) {
        return classes.of(value);
    }

    /** The numbers of a weight as it is, row-major; not to be modified. */
    double[] numbers(Value weight) {
        return weight.operation() instanceof Leaf leaf
                ? leaf.numbers().asFloat64()
                : new ShiftedWeights(model, new LinkedHashMap<>()).computed(weight, Map.of());
    }

    /**
     * The parameters after a change of basis, made while they are read.
     *
     * @param element whose changes of basis are made
     * @param before parameters that have other numbers already
     */
    SequencedMap<String, Numbers> changed(BasisElement element, SequencedMap<String, Numbers> before) {
        var given = new ShiftedWeights(model, before);
        Map<Value, double[]> factors = new HashMap<>();
        for (AxisClass channels : classes.classes()) {
            Value made = channels.factors();
            if (made != null && !factors.containsKey(made)) {
                factors.put(made, given.computed(made, Map.of()));
            }
        }
        Map<String, Numbers> changed = new HashMap<>(before);
        Map<Value, double[]> made = new LinkedHashMap<>();
        classes.weights().forEach((weight, blocks) -> {
            var change = new ChangedWeight(weight, blocks, element, factors);
            String name = names.get(weight);
            if (name == null) {
                double[] numbers = given.computed(weight, Map.of());
                if (change.isMoved()) {
                    change.apply(numbers);
                }
                made.put(weight, numbers);
            } else if (change.isMoved()) {
                Numbers own = before.getOrDefault(name, ((Leaf) weight.operation()).numbers());
                changed.put(name, new Changed(own, weight.shape().count(), change));
            }
        });
        made.forEach((weight, numbers) -> {
            Value own = Objects.requireNonNull(classes.own(weight));
            double[] needed = needed(given, weight, own, numbers, made);
            String name = Objects.requireNonNull(names.get(own));
            double[] kept = before.getOrDefault(name, ((Leaf) own.operation()).numbers())
                    .asFloat64();
            double largest = 0;
            double size = 0;
            for (int i = 0; i < needed.length; i++) {
                largest = Math.max(largest, Math.abs(needed[i] - kept[i]));
                size = Math.max(size, Math.abs(kept[i]));
            }
            if (!(largest <= 1e-13 * size)) { // what only was rounded stays
                changed.put(name, Numbers.of(needed));
            }
        });
        SequencedMap<String, Numbers> ordered = new LinkedHashMap<>();
        model.parameters().keySet().forEach(name -> {
            Numbers numbers = changed.get(name);
            if (numbers != null) {
                ordered.put(name, numbers);
            }
        });
        return ordered;
    }

    /**
     * What becomes of derivatives in the parameters, or of their mean squares, under a change of basis.
     *
     * @param element whose changes of basis are made
     * @param moments of some parameters, by name, in the order of their numbers
     * @param role which of the two they are
     * @return those that change, made while they are read
     * @throws IllegalArgumentException when one mixes with those of other parameters
     */
    SequencedMap<String, Numbers> moments(
            BasisElement element, SequencedMap<String, Numbers> moments, ChangedWeight.Role role) {
        var given = new ShiftedWeights(model, new LinkedHashMap<>());
        Map<String, Numbers> changed = new HashMap<>();
        classes.weights().forEach((weight, blocks) -> {
            String name = parameter(weight);
            Numbers own = moments.get(name);
            var change = new ChangedWeight(weight, blocks, element, Map.of(), role);
            if (own == null || !change.isMoved()) {
                return;
            }
            change.requireApart(name);
            int count = weight.shape().count();
            Value made = classes.own(weight);
            if (made == null) {
                changed.put(name, new Changed(own, count, change));
                return;
            }
            double[] slopes = slopes(given, weight, made);
            double power = role == ChangedWeight.Role.SQUARES ? 2 : 1;
            double[] numbers = own.asFloat64().clone();
            Arrays.setAll(numbers, i -> numbers[i] / Math.pow(slopes[i], power));
            change.apply(numbers);
            Arrays.setAll(numbers, i -> numbers[i] * Math.pow(slopes[i], power));
            changed.put(name, Numbers.of(numbers));
        });
        SequencedMap<String, Numbers> ordered = new LinkedHashMap<>();
        moments.forEach((name, before) -> ordered.put(name, changed.getOrDefault(name, before)));
        return ordered;
    }

    /** The derivatives of a sum or product in the parameter that makes it whatever it must be. */
    private double[] slopes(ShiftedWeights given, Value weight, Value own) {
        long parameters = ShiftedWeights.read(weight, Set.of()).stream()
                .filter(names::containsKey)
                .count();
        if (parameters > 1) {
            throw new IllegalArgumentException(
                    "the moments of '%s' mix with those of other parameters, as in a batch norm; choose families that leave it as it is"
                            .formatted(names.get(own)));
        }
        double[] zeros = new double[own.shape().count()];
        double[] ones = new double[zeros.length];
        Arrays.fill(ones, 1);
        double[] without = computedWith(given, weight, Map.of(), own, zeros);
        double[] with = computedWith(given, weight, Map.of(), own, ones);
        Arrays.setAll(with, i -> with[i] - without[i]);
        return with;
    }

    /** What the parameter of a sum or product must be for it to become some numbers. */
    private static double[] needed(
            ShiftedWeights before, Value weight, Value own, double[] numbers, Map<Value, double[]> made) {
        Map<Value, double[]> given = new HashMap<>(made);
        given.remove(weight);
        double[] ones = new double[own.shape().count()];
        double[] zeros = new double[own.shape().count()];
        Arrays.fill(ones, 1);
        double[] without = computedWith(before, weight, given, own, zeros);
        double[] with = computedWith(before, weight, given, own, ones);
        double[] needed = new double[numbers.length];
        for (int i = 0; i < needed.length; i++) { // it is affine in the parameter, entry by entry
            needed[i] = (numbers[i] - without[i]) / (with[i] - without[i]);
        }
        return needed;
    }

    private static double[] computedWith(
            ShiftedWeights before, Value weight, Map<Value, double[]> given, Value own, double[] numbers) {
        Map<Value, double[]> all = new HashMap<>(given);
        all.put(own, numbers);
        return before.computed(weight, all);
    }

    /** The numbers of a parameter after a change, made at once when they are first read, as long as there is memory. */
    private static final class Changed implements ComputedNumbers {
        private final Numbers source;
        private final int count;
        private final ChangedWeight change;
        private @Nullable SoftReference<double[]> made;

        Changed(Numbers source, int count, ChangedWeight change) {
            this.source = source;
            this.count = count;
            this.change = change;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public synchronized double[] asFloat64() {
            double[] known = made == null ? null : made.get();
            if (known == null) {
                known = new double[count];
                source.read(0, known, 0, count);
                change.apply(known);
                made = new SoftReference<>(known);
            }
            return known;
        }

        @Override
        public void read(int from, double[] target, int at, int some) {
            System.arraycopy(asFloat64(), from, target, at, some);
        }
    }
}
