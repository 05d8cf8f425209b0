package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Biases that are used several times and each time meet in a sum, entry by entry: those of the input and of the state of a recurrent
 * layer. What is added to one may be taken away from the other.
 *
 * <p>The entries of all biases are followed through linear steps: what is read by any other step, or put out, is a sum of entries with
 * factors. Two entries that are in the same sums, with factors in one proportion, cannot be told apart.
 */
final class MeetingBiases {
    private final List<Value> biases;
    private final Set<String> often;
    private final Set<Set<Entry>> known = new HashSet<>();
    private final List<Entry> entries = new ArrayList<>();
    /** For each value that biases are added to, what stands at each of its places. */
    private final Map<Value, List<List<Part>>> carried = new HashMap<>();
    /** For each entry the sums with it that other steps read. */
    private final Map<Integer, Set<List<Part>>> read = new HashMap<>();

    /** One number of a parameter. */
    private record Entry(String tensor, int at) {}

    /** An entry in a sum. */
    private record Part(int entry, double factor) {}

    private MeetingBiases(List<Value> biases, Set<String> often, List<FreeShift.Opposed> known) {
        this.biases = biases;
        this.often = often;
        for (FreeShift.Opposed opposed : known) {
            for (int i = 0; i < opposed.dimension(); i++) {
                Entry one = new Entry(opposed.tensor(), opposed.places().get(i));
                this.known.add(
                        Set.of(one, new Entry(opposed.other(), opposed.others().get(i))));
            }
        }
    }

    /**
     * Finds them.
     *
     * @param counts how often each parameter is used
     * @param known those that are found already: sums of parameters alone
     */
    static List<FreeShift.Opposed> of(Model model, Map<String, Integer> counts, List<FreeShift.Opposed> known) {
        Map<String, Value> biases = new LinkedHashMap<>();
        model.parameters().forEach((name, parameter) -> {
            if (parameter.shape().sizes().stream().filter(size -> size > 1).count() == 1) {
                biases.put(name, parameter);
            }
        });
        Set<String> often = new HashSet<>(biases.keySet());
        often.removeIf(name -> counts.getOrDefault(name, 0) < 2); // two that are used once are BalancedShift's
        return often.isEmpty() ? List.of() : new MeetingBiases(List.copyOf(biases.values()), often, known).found(model);
    }

    private List<FreeShift.Opposed> found(Model model) {
        List<Value> outputs = List.copyOf(model.outputs().values());
        for (Value value : Execution.order(outputs, Set.of())) {
            if (biases.contains(value)) {
                carried.put(value, own(value));
            } else if (value.arguments().stream().anyMatch(carried::containsKey)) {
                @Nullable List<List<Part>> parts = followed(value);
                if (parts == null) {
                    value.arguments().forEach(this::see);
                } else {
                    carried.put(value, parts);
                }
            }
        }
        outputs.forEach(this::see);
        return opposed();
    }

    private List<List<Part>> own(Value bias) {
        List<List<Part>> own = new ArrayList<>();
        for (int at = 0; at < bias.shape().count(); at++) {
            own.add(List.of(new Part(entries.size(), 1)));
            entries.add(new Entry(((Leaf) bias.operation()).label(), at));
        }
        return own;
    }

    private List<List<Part>> at(Value value) {
        List<List<Part>> known = carried.get(value);
        return known == null ? Collections.nCopies(value.shape().count(), List.of()) : known;
    }

    /** What stands in the result of a linear step; null where the step is another one. */
    private @Nullable List<List<Part>> followed(Value value) {
        return switch (value.operation()) {
            case Reshape _ -> at(value.argument(0));
            case Rearrangement arranged -> {
                List<List<Part>> from = at(value.argument(0));
                List<List<Part>> moved = new ArrayList<>();
                for (int place : arranged.map().table()) {
                    moved.add(place < 0 ? List.of() : from.get(place));
                }
                yield moved;
            }
            case Concatenation joined ->
                joined.joined(value, value.arguments().stream().map(this::at).toList());
            case Sum sum -> added(value, sum);
            default -> null;
        };
    }

    private List<List<Part>> added(Value value, Sum sum) {
        List<Map<Integer, Double>> factors = new ArrayList<>();
        for (int at = 0; at < value.shape().count(); at++) {
            factors.add(new TreeMap<>());
        }
        for (int i = 0; i < value.arguments().size(); i++) {
            Value argument = value.argument(i);
            if (carried.containsKey(argument)) {
                int[] table =
                        IndexMap.broadcast(argument.shape(), value.shape()).table();
                for (int at = 0; at < table.length; at++) {
                    for (Part part : at(argument).get(table[at])) {
                        factors.get(at).merge(part.entry, sum.factors().get(i) * part.factor, Double::sum);
                    }
                }
            }
        }
        Map<Map<Integer, Double>, List<Part>> same = new HashMap<>(); // one list for all places with the same parts
        List<List<Part>> added = new ArrayList<>();
        for (Map<Integer, Double> own : factors) {
            added.add(same.computeIfAbsent(
                    own,
                    _ -> own.entrySet().stream()
                            .map(part -> new Part(part.getKey(), part.getValue()))
                            .toList()));
        }
        return added;
    }

    private void see(Value value) {
        for (List<Part> parts : new LinkedHashSet<>(at(value))) {
            for (Part part : parts) {
                read.computeIfAbsent(part.entry, _ -> new LinkedHashSet<>()).add(parts);
            }
        }
    }

    private List<FreeShift.Opposed> opposed() {
        Map<List<Object>, Map<Integer, Integer>> pairs = new LinkedHashMap<>();
        for (int entry = 0; entry < entries.size(); entry++) {
            for (int other : together(entry)) {
                Entry one = entries.get(entry);
                Entry two = entries.get(other);
                boolean isOften = often.contains(one.tensor) || often.contains(two.tensor);
                double ratio = other > entry && isOften ? ratio(entry, other) : Double.NaN;
                if (!Double.isNaN(ratio) && !known.contains(Set.of(one, two))) {
                    pairs.computeIfAbsent(List.of(one.tensor, two.tensor, ratio), _ -> new TreeMap<>())
                            .put(one.at, two.at);
                    break; // of three that meet, the second and the third make the other pair
                }
            }
        }
        List<FreeShift.Opposed> found = new ArrayList<>();
        pairs.forEach((names, places) -> found.add(new FreeShift.Opposed(
                (String) names.get(0),
                List.copyOf(places.keySet()),
                (String) names.get(1),
                List.copyOf(places.values()),
                (Double) names.get(2))));
        return found;
    }

    /** The entries of the first sum with an entry. */
    private List<Integer> together(int entry) {
        return read.getOrDefault(entry, Set.of()).stream()
                .limit(1)
                .flatMap(parts -> parts.stream().map(Part::entry))
                .sorted()
                .toList();
    }

    /** The factor of one over that of the other where they are in the same sums, in one proportion; otherwise NaN. */
    private double ratio(int one, int other) {
        Set<List<Part>> sums = read.getOrDefault(one, Set.of());
        if (!sums.equals(read.getOrDefault(other, Set.of()))) {
            return Double.NaN;
        }
        double[] ratios = sums.stream()
                .mapToDouble(parts -> factor(parts, one) / factor(parts, other))
                .distinct()
                .toArray();
        return ratios.length == 1 && ratios[0] != 0 && Double.isFinite(ratios[0]) ? ratios[0] : Double.NaN;
    }

    private static double factor(List<Part> parts, int entry) {
        return parts.stream()
                .filter(part -> part.entry == entry)
                .mapToDouble(Part::factor)
                .sum();
    }
}
