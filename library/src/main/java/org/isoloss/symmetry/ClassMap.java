package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.basis.BasisGroup;
import org.isoloss.model.AxisClass;
import org.isoloss.model.Model;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.Value;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;
import org.jgrapht.alg.util.UnionFind;

/** Draws the map of a model whose parts are its classes of channels. */
final class ClassMap {
    private ClassMap() {}

    static SymmetryMap of(
            BasisGroup group, SequencedMap<AxisClass, List<SymmetryFamily>> acting, List<SymmetryFamily> unseen) {
        Model model = group.model();
        List<List<AxisClass>> classes = joined(List.copyOf(acting.sequencedKeySet()));
        List<SequencedSet<String>> inside = new ArrayList<>();
        List<SequencedSet<String>> outputs = new ArrayList<>();
        classes.forEach(_ -> {
            inside.add(new LinkedHashSet<>());
            outputs.add(new LinkedHashSet<>());
        });
        SequencedMap<List<Integer>, SequencedSet<String>> ways = new LinkedHashMap<>();
        for (ParameterUse use : ParameterUse.of(model)) {
            List<Integer> to = places(group, classes, use.result());
            for (Value data : use.data()) {
                List<Integer> from = places(group, classes, data);
                List<Integer> sources = from.isEmpty() ? List.of(SymmetryMap.INPUT) : from;
                Set<String> names = use.tensors();
                for (int target : to) {
                    for (int source : sources) {
                        (source == target
                                        ? inside.get(target)
                                        : ways.computeIfAbsent(List.of(source, target), _ -> new LinkedHashSet<>()))
                                .addAll(names);
                    }
                }
                for (int source : from) {
                    model.outputs().forEach((name, output) -> {
                        if (to.isEmpty() && reaches(output, use.result())) {
                            outputs.get(source).add(name);
                        }
                    });
                }
            }
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < classes.size(); i++) {
            List<Acting> families = classes.get(i).stream()
                    .flatMap(channels -> acting.getOrDefault(channels, List.of()).stream())
                    .map(family -> new Acting(family, false))
                    .toList();
            List<Integer> sizes =
                    classes.get(i).stream().map(AxisClass::size).distinct().toList();
            parts.add(new Part(sizes, families, List.copyOf(inside.get(i)), List.copyOf(outputs.get(i))));
        }
        List<Way> list = new ArrayList<>();
        ways.forEach((ends, names) -> list.add(new Way(ends.get(0), ends.get(1), List.copyOf(names))));
        return new SymmetryMap(List.copyOf(model.inputs().keySet()), parts, list, unseen);
    }

    /** Classes with those that they number, such as heads with what is inside of them. */
    private static List<List<AxisClass>> joined(List<AxisClass> classes) {
        UnionFind<AxisClass> together = new UnionFind<>(Set.copyOf(classes));
        for (AxisClass channels : classes) {
            channels.index().stream().filter(classes::contains).forEach(index -> together.union(index, channels));
        }
        SequencedMap<AxisClass, List<AxisClass>> joined = new LinkedHashMap<>();
        classes.forEach(channels -> joined.computeIfAbsent(together.find(channels), _ -> new ArrayList<>())
                .add(channels));
        return List.copyOf(joined.values());
    }

    private static List<Integer> places(BasisGroup group, List<List<AxisClass>> classes, Value value) {
        List<AxisClass> own = group.classes(value);
        return IntStream.range(0, classes.size())
                .filter(part -> classes.get(part).stream().anyMatch(own::contains))
                .boxed()
                .toList();
    }

    /** Whether an output is a value, or follows from it by a sum alone. */
    private static boolean reaches(Value output, Value value) {
        return output == value || output.arguments().contains(value);
    }
}
