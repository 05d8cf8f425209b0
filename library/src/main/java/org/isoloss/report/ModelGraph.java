package org.isoloss.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.isoloss.model.Boundary;
import org.isoloss.model.SeenPath;
import org.isoloss.model.Subnetwork;
import org.isoloss.model.Subnetwork.AffectedValue;
import org.isoloss.model.Value;

/**
 * What in a model depends on the parameters that move, from them to the outputs, with what is kept.
 *
 * @param subnetwork whose parameters move
 */
public record ModelGraph(Subnetwork subnetwork) implements Chart {
    private static final int MOST_STEPS = 28;

    /** What a way between two steps is. */
    enum Kind {
        MOVES,
        LEAKS,
        BEHIND
    }

    /**
     * Values of one place in the file, or several places left out.
     *
     * @param name what a reader knows them by
     * @param entries how many entries of the last of them depend on what moves
     * @param size of the last of them
     * @param kept how many entries the boundary before any weight that stays has among them
     * @param smallest how many entries the smallest boundary has among them
     */
    record Step(String name, int entries, int size, int kept, int smallest) {}

    /** A way between two steps, of which the first is drawn above. */
    record Way(int from, int to, Kind kind) {}

    /** The steps with the ways between them. */
    record Layout(List<Step> steps, Set<Integer> moving, Map<List<Integer>, Kind> kinds) {
        List<Way> ways() {
            return kinds.entrySet().stream()
                    .map(entry -> new Way(entry.getKey().get(0), entry.getKey().get(1), entry.getValue()))
                    .toList();
        }
    }

    private static int kept(Boundary boundary, Value value) {
        return boundary.parts().stream()
                .filter(part -> part.value() == value)
                .mapToInt(part -> part.entries().size())
                .sum();
    }

    Layout layout() {
        List<AffectedValue> affected = subnetwork.affected();
        List<List<AffectedValue>> groups = grouped(affected);
        Map<Value, Integer> rows = new HashMap<>();
        List<Step> steps = new ArrayList<>();
        Set<Integer> moving = new TreeSet<>();
        boolean all = groups.size() <= MOST_STEPS;
        int left = 0;
        for (int i = 0; i < groups.size(); i++) {
            List<AffectedValue> members = groups.get(i);
            int near = members.stream()
                    .mapToInt(each -> kept(subnetwork.near(), each.value()))
                    .sum();
            int far = members.stream()
                    .mapToInt(each -> kept(subnetwork.smallest(), each.value()))
                    .sum();
            boolean parameter = members.getFirst().from().isEmpty();
            boolean shown = all || parameter || near + far > 0 || i < MOST_STEPS / 2 || i == groups.size() - 1;
            if (!shown && left > 0) {
                steps.removeLast();
            }
            left = shown ? 0 : left + 1;
            AffectedValue last = members.getLast();
            steps.add(
                    shown
                            ? new Step(
                                    last.value().where(),
                                    last.entries(),
                                    last.value().shape().count(),
                                    near,
                                    far)
                            : new Step("%d more steps".formatted(left), 0, 0, 0, 0));
            if (parameter) {
                moving.add(steps.size() - 1);
            }
            members.forEach(each -> rows.put(each.value(), steps.size() - 1));
        }
        return new Layout(steps, moving, kinds(affected, rows));
    }

    /** Values that come from one place of the file; moving parameters first. */
    private static List<List<AffectedValue>> grouped(List<AffectedValue> affected) {
        SequencedMap<String, List<AffectedValue>> groups = new LinkedHashMap<>();
        for (AffectedValue each : affected) {
            Value value = each.value();
            boolean own = each.from().isEmpty() || value.origin().isEmpty();
            String key = own ? "value " + groups.size() : "place " + value.origin();
            groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(each);
        }
        return groups.values().stream()
                .sorted(Comparator.comparing(
                        members -> !members.getFirst().from().isEmpty()))
                .toList();
    }

    private Map<List<Integer>, Kind> kinds(List<AffectedValue> affected, Map<Value, Integer> rows) {
        Set<Value> open = new HashSet<>();
        Map<List<Integer>, Kind> kinds = new LinkedHashMap<>();
        for (AffectedValue each : affected) {
            Value value = each.value();
            if (each.from().isEmpty()
                    || (each.from().stream().anyMatch(open::contains)
                            && kept(subnetwork.near(), value) < each.entries())) {
                open.add(value);
            }
            for (Value from : each.from()) {
                List<Integer> way = way(from, value, rows);
                if (way.getFirst() < way.getLast()) {
                    kinds.merge(
                            way,
                            open.contains(from) ? Kind.MOVES : Kind.BEHIND,
                            (one, other) -> one.compareTo(other) < 0 ? one : other);
                }
            }
        }
        subnetwork.leak().ifPresent(path -> mark(path, rows, kinds));
        return kinds;
    }

    /** The lines of two values, the upper one first. */
    private static List<Integer> way(Value from, Value to, Map<Value, Integer> rows) {
        int one = rows.getOrDefault(from, 0);
        int other = rows.getOrDefault(to, 0);
        return List.of(Math.min(one, other), Math.max(one, other));
    }

    private static void mark(SeenPath path, Map<Value, Integer> rows, Map<List<Integer>, Kind> kinds) {
        for (int i = path.seam(); i + 1 < path.steps().size(); i++) {
            List<Integer> way =
                    way(path.steps().get(i).value(), path.steps().get(i + 1).value(), rows);
            kinds.computeIfPresent(way, (_, _) -> Kind.LEAKS);
        }
    }

    @Override
    public Table data(String caption) {
        return Table.<AffectedValue>of(caption, subnetwork.affected())
                .add(Column.text("value", "Value"), each -> each.value().where())
                .add(
                        Column.text("operation", "Operation"),
                        each -> each.value().operation().name())
                .add(Column.text("shape", "Shape"), each -> each.value().shape().toString())
                .add(Column.count("entries", "Entries that depend"), AffectedValue::entries)
                .add(Column.count("kept", "Kept before a fixed weight"), each -> kept(subnetwork.near(), each.value()))
                .add(
                        Column.count("smallest", "Kept at the smallest"),
                        each -> kept(subnetwork.smallest(), each.value()))
                .add(
                        Column.text("from", "From"),
                        each -> each.from().stream().map(Value::where).collect(Collectors.joining(", ")))
                .table();
    }
}
