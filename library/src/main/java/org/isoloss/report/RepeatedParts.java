package org.isoloss.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryMap;
import org.isoloss.symmetry.SymmetryMap.Acting;
import org.isoloss.symmetry.SymmetryMap.Part;
import org.isoloss.symmetry.SymmetryMap.Way;
import org.jspecify.annotations.Nullable;

/**
 * A map in which equal layers are one: parts that follow one another, have the same groups and channels, and are joined in the
 * same way, by parameters whose names differ in numbers alone.
 *
 * @param map with the first of equal layers, whose numbers in names are ranges such as {@code 0..5}
 * @param runs the layers that stand for several
 */
record RepeatedParts(SymmetryMap map, List<Run> runs) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Pattern NUMBERED = Pattern.compile("[A-Za-z][._]?\\d");
    /** Less is not worth a frame. */
    private static final int LEAST_SAVED = 2;

    /**
     * A layer that stands for several.
     *
     * @param first the number of its first part in the map
     * @param count how many parts it has
     * @param times how many layers there are
     */
    record Run(int first, int count, int times) {
        /** How many parts the last layer comes after the first. */
        int shift() {
            return count * (times - 1);
        }
    }

    static RepeatedParts of(SymmetryMap whole) {
        List<Run> found = new Search(whole).runs();
        return new Merging(whole, found).merged();
    }

    /** Puts the first of equal layers in the place of all. */
    private static final class Merging {
        private final SymmetryMap whole;
        private final List<Run> runs;
        private final Map<List<Integer>, List<String>> names = new LinkedHashMap<>();

        Merging(SymmetryMap whole, List<Run> runs) {
            this.whole = whole;
            this.runs = runs;
            whole.ways().forEach(way -> names.put(List.of(way.from(), way.to()), way.parameters()));
        }

        RepeatedParts merged() {
            int[] number = new int[whole.parts().size()];
            List<Part> parts = new ArrayList<>();
            for (int part = 0; part < number.length; part++) {
                Run run = run(part);
                if (run == null || layer(run, part) == 0) {
                    number[part] = parts.size();
                    parts.add(run == null ? whole.parts().get(part) : ranged(part, part + run.shift()));
                } else {
                    number[part] = number[part - layer(run, part) * run.count()];
                }
            }
            List<Way> ways = new ArrayList<>();
            for (Way way : whole.ways()) {
                List<String> parameters = shown(way);
                if (parameters != null) {
                    ways.add(new Way(
                            way.from() == SymmetryMap.INPUT ? way.from() : number[way.from()],
                            number[way.to()],
                            parameters));
                }
            }
            return new RepeatedParts(
                    new SymmetryMap(whole.inputs(), parts, ways, whole.unseen()),
                    runs.stream()
                            .map(run -> new Run(number[run.first()], run.count(), run.times()))
                            .toList());
        }

        private @Nullable Run run(int part) {
            return runs.stream()
                    .filter(run -> part >= run.first() && part < run.first() + run.count() * run.times())
                    .findFirst()
                    .orElse(null);
        }

        private static int layer(Run run, int part) {
            return (part - run.first()) / run.count();
        }

        /** The parameters of a way as they are shown; null where a way of another layer stands for it. */
        private @Nullable List<String> shown(Way way) {
            Run from = run(way.from());
            Run to = run(way.to());
            if (to != null && layer(to, way.to()) > 0) {
                return null;
            }
            if (from == null) {
                return to == null ? way.parameters() : ranged(way, 0, to.shift());
            }
            int layer = layer(from, way.from());
            if (from.equals(to)) {
                return layer == 0 ? ranged(way, from.shift(), from.shift()) : null;
            }
            if (names.containsKey(List.of(way.from() + (from.times() - 1 - layer) * from.count(), way.to()))
                    && names.containsKey(List.of(way.from() - layer * from.count(), way.to()))) {
                return layer == 0 ? ranged(way, from.shift(), 0) : null; // each layer leads there
            }
            return layer == from.times() - 1 ? way.parameters() : null;
        }

        /** Names as ranges to those of a way whose ends come so many parts later; as they are where there is none. */
        private List<String> ranged(Way way, int from, int to) {
            return ranges(
                    way.parameters(), names.getOrDefault(List.of(way.from() + from, way.to() + to), way.parameters()));
        }

        private Part ranged(int part, int other) {
            Part own = whole.parts().get(part);
            Part last = whole.parts().get(other);
            List<Acting> families = new ArrayList<>();
            for (int i = 0; i < own.families().size(); i++) {
                SymmetryFamily first = own.families().get(i).family();
                families.add(new Acting(
                        new SymmetryFamily(
                                first.name(),
                                range(
                                        first.layer(),
                                        last.families().get(i).family().layer()),
                                first.group(),
                                first.rank(),
                                first.adds(),
                                first.permutations(),
                                ranges(
                                        first.tensors(),
                                        last.families().get(i).family().tensors()),
                                first.verified(),
                                first.conserved()),
                        own.families().get(i).jointly()));
            }
            return new Part(own.channels(), families, ranges(own.inside(), last.inside()), own.outputs());
        }
    }

    private static List<String> ranges(List<String> first, List<String> last) {
        if (first.size() != last.size()) {
            return first;
        }
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            ranges.add(range(first.get(i), last.get(i)));
        }
        return ranges;
    }

    /** Numbers that differ become a range. */
    static String range(String first, String last) {
        if (!plain(first).equals(plain(last))) {
            return first;
        }
        Matcher other = NUMBER.matcher(last);
        return NUMBER.matcher(first)
                .replaceAll(number -> other.find() && !other.group().equals(number.group())
                        ? number.group() + ".." + other.group()
                        : number.group());
    }

    /** Names that differ in a number after a letter alone, as one with its range. */
    static List<String> joined(Collection<String> names) {
        Map<String, List<String>> alike = new LinkedHashMap<>();
        for (String name : names) {
            boolean numbered = NUMBERED.matcher(name).find();
            alike.computeIfAbsent(numbered ? plain(name) : name, _ -> new ArrayList<>())
                    .add(name);
        }
        return alike.values().stream()
                .map(some -> some.size() == 1 ? some.getFirst() : range(some.getFirst(), some.getLast()))
                .toList();
    }

    private static String plain(String name) {
        return NUMBER.matcher(name).replaceAll("#");
    }

    /** Finds runs of equal layers. */
    private static final class Search {
        private final SymmetryMap map;

        Search(SymmetryMap map) {
            this.map = map;
        }

        List<Run> runs() {
            List<Run> runs = new ArrayList<>();
            int count = map.parts().size();
            for (int first = 0; first < count; ) {
                Run best = new Run(first, 1, 1);
                for (int size = 1; first + 2 * size <= count; size++) {
                    int equal = 0;
                    while (first + equal + size < count && isEqual(first + equal, size)) {
                        equal++;
                    }
                    Run run = new Run(first, size, 1 + equal / size);
                    if (run.shift() > best.shift()) {
                        best = run;
                    }
                }
                if (best.shift() >= LEAST_SAVED) {
                    runs.add(best);
                    first += best.count() * best.times();
                } else {
                    first++;
                }
            }
            return runs;
        }

        /** Whether a part is like that which comes so many parts later. */
        private boolean isEqual(int part, int later) {
            return like(map.parts().get(part)).equals(like(map.parts().get(part + later)))
                    && isEqual(ends(part, true), ends(part + later, true), later)
                    && isEqual(ends(part, false), ends(part + later, false), later);
        }

        private static List<Object> like(Part part) {
            List<Object> like = new ArrayList<>(List.of(part.channels(), part.outputs()));
            part.inside().forEach(name -> like.add(plain(name)));
            part.families().forEach(acting -> {
                like.add(acting.family().name());
                like.add(acting.family().group());
                like.add(acting.family().permutations());
                like.add(acting.jointly());
            });
            return like;
        }

        /** For each way into a part, or out of it, its other end and its parameters. */
        private List<Map.Entry<Integer, List<String>>> ends(int part, boolean into) {
            List<Map.Entry<Integer, List<String>>> ends = new ArrayList<>();
            for (Way way : map.ways()) {
                if ((into ? way.to() : way.from()) == part) {
                    ends.add(Map.entry(
                            into ? way.from() : way.to(),
                            way.parameters().stream().map(RepeatedParts::plain).toList()));
                }
            }
            return ends;
        }

        private static boolean isEqual(
                List<Map.Entry<Integer, List<String>>> one, List<Map.Entry<Integer, List<String>>> other, int later) {
            if (one.size() != other.size()) {
                return false;
            }
            for (int i = 0; i < one.size(); i++) {
                int shift = other.get(i).getKey() - one.get(i).getKey();
                if ((shift != 0 && shift != later)
                        || !one.get(i).getValue().equals(other.get(i).getValue())) {
                    return false;
                }
            }
            return true;
        }
    }
}
