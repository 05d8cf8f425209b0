package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;

/**
 * Where in a model its families act: the parts without parameters, in the order of computation, with what acts on each, and the
 * parameters on the ways between them.
 *
 * @param inputs the names of the model's inputs
 * @param parts between parameters
 * @param ways from part to part, in the order of computation; one for each pair
 * @param unseen families that move no value as far as an output sees
 */
public record SymmetryMap(List<String> inputs, List<Part> parts, List<Way> ways, List<SymmetryFamily> unseen) {
    /** Copies the lists. */
    public SymmetryMap {
        inputs = List.copyOf(inputs);
        parts = List.copyOf(parts);
        ways = List.copyOf(ways);
        unseen = List.copyOf(unseen);
    }

    /**
     * A part: the values that meet in it.
     *
     * @param channels how many its values have, different numbers alone, in the order of computation
     * @param families that act on it
     * @param inside parameters that scale or shift on the way through it, or are read and written by it alone
     * @param outputs of the model that are computed from it without parameters
     */
    public record Part(List<Integer> channels, List<Acting> families, List<String> inside, List<String> outputs) {
        /** Copies the lists. */
        public Part {
            channels = List.copyOf(channels);
            families = List.copyOf(families);
            inside = List.copyOf(inside);
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * A family at a part.
     *
     * @param family exact
     * @param jointly whether it acts on other parts too
     */
    public record Acting(SymmetryFamily family, boolean jointly) {}

    /**
     * What leads from one part to another.
     *
     * @param from the number of a part; {@link #INPUT} for the inputs
     * @param to the number of another part
     * @param parameters on the way
     */
    public record Way(int from, int to, List<String> parameters) {
        /** Copies the list. */
        public Way {
            parameters = List.copyOf(parameters);
        }
    }

    /** What a way from the inputs comes from. */
    public static final int INPUT = -1;

    /**
     * Draws the map of some families.
     *
     * @param moving the parameters that may change
     * @param cut the values between them
     * @param families each with the values that it moves
     */
    static SymmetryMap of(Moving moving, ValueCut cut, List<Map.Entry<SymmetryFamily, Set<Value>>> families) {
        return new Drawing(moving, cut).of(families);
    }

    private static final class Drawing {
        private final Moving moving;
        private final ValueCut cut;
        private final Map<Value, Integer> parts = new LinkedHashMap<>();
        private final List<SequencedSet<String>> inside = new ArrayList<>();
        private final SequencedMap<List<Integer>, SequencedSet<String>> ways = new LinkedHashMap<>();

        Drawing(Moving moving, ValueCut cut) {
            this.moving = moving;
            this.cut = cut;
            for (Set<Value> link : cut.links()) {
                link.forEach(value -> parts.put(value, inside.size()));
                inside.add(new LinkedHashSet<>());
            }
        }

        SymmetryMap of(List<Map.Entry<SymmetryFamily, Set<Value>>> families) {
            Set<Integer> written = new TreeSet<>();
            cut.results().forEach(result -> written.add(parts.getOrDefault(result, INPUT)));
            for (int part = 0; part < inside.size(); part++) {
                if (!written.contains(part)) { // computed from inputs without parameters
                    ways.put(List.of(INPUT, part), new LinkedHashSet<>());
                }
            }
            cut.uses().stream()
                    .filter(use -> !cut.inner().contains(use.result()))
                    .forEach(this::add);
            List<SymmetryFamily> unseen = new ArrayList<>();
            List<List<Acting>> acting = new ArrayList<>();
            inside.forEach(_ -> acting.add(new ArrayList<>()));
            families.forEach(entry -> {
                Set<Integer> own = partsOf(entry.getValue());
                own.forEach(part -> acting.get(part).add(new Acting(entry.getKey(), own.size() > 1)));
                if (own.isEmpty()) {
                    unseen.add(entry.getKey());
                }
            });
            List<Part> all = new ArrayList<>();
            for (int part = 0; part < inside.size(); part++) {
                SequencedSet<Integer> channels = new LinkedHashSet<>();
                cut.links().get(part).forEach(value -> channels.add(cut.width(value)));
                all.add(new Part(
                        List.copyOf(channels), acting.get(part), List.copyOf(inside.get(part)), outputs(part)));
            }
            List<Way> list = new ArrayList<>();
            ways.forEach((ends, names) -> list.add(new Way(ends.get(0), ends.get(1), List.copyOf(names))));
            return new SymmetryMap(List.copyOf(moving.model().inputs().keySet()), all, list, unseen);
        }

        private void add(ParameterUse use) {
            int to = parts.getOrDefault(use.result(), INPUT);
            if (to == INPUT) {
                return;
            }
            for (Value data : use.data()) {
                SequencedSet<String> names = new LinkedHashSet<>();
                Value at = data;
                while (cut.inner().contains(at)) { // a weight and the bias that is added at once
                    Value result = at;
                    ParameterUse before = cut.uses().stream()
                            .filter(other -> other.result().equals(result))
                            .findFirst()
                            .orElseThrow();
                    names.addAll(names(before.weight()));
                    at = before.data().getFirst();
                }
                names.addAll(names(use.weight()));
                int from = from(at);
                (from == to ? inside.get(to) : ways.computeIfAbsent(List.of(from, to), _ -> new LinkedHashSet<>()))
                        .addAll(names);
            }
        }

        private Set<String> names(Value weight) {
            return moving.reaching(Set.of(weight)).places().keySet();
        }

        private int from(Value data) {
            if (parts.containsKey(data)) {
                return parts.getOrDefault(data, INPUT);
            }
            return cut.meets(data).stream()
                    .map(value -> parts.getOrDefault(value, INPUT))
                    .findFirst()
                    .orElse(INPUT);
        }

        private Set<Integer> partsOf(Set<Value> values) {
            Set<Integer> own = new TreeSet<>();
            values.forEach(value -> own.add(parts.getOrDefault(value, INPUT)));
            own.remove(INPUT);
            return own;
        }

        private List<String> outputs(int part) {
            List<String> names = new ArrayList<>();
            moving.model().outputs().forEach((name, output) -> {
                if (partsOf(cut.meets(output)).contains(part)) {
                    names.add(name);
                }
            });
            return names;
        }
    }
}
