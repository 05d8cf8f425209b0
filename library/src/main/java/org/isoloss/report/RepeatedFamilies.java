package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.symmetry.SymmetryFamily;

/** Families that differ by the number of a layer alone, each kind once. */
final class RepeatedFamilies {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private RepeatedFamilies() {}

    /**
     * Joins families: their ranks are added up, and the first number in their names becomes a range.
     *
     * @param families in any order
     * @return in the order of the first of each kind
     */
    static List<SymmetryFamily> joined(List<SymmetryFamily> families) {
        SequencedMap<List<Object>, List<SymmetryFamily>> kinds = new LinkedHashMap<>();
        for (SymmetryFamily family : families) {
            List<Object> key = new ArrayList<>(List.of(
                    family.name(), family.group(), family.adds(), family.permutations(), general(family.layer())));
            family.tensors().forEach(tensor -> key.add(general(tensor)));
            kinds.computeIfAbsent(key, _ -> new ArrayList<>()).add(family);
        }
        return kinds.values().stream().map(RepeatedFamilies::one).toList();
    }

    private static String general(String name) {
        return NUMBER.matcher(name).replaceFirst("#");
    }

    private static SymmetryFamily one(List<SymmetryFamily> alike) {
        SymmetryFamily first = alike.getFirst();
        if (alike.size() == 1) {
            return first;
        }
        SymmetryFamily last = alike.getLast();
        return new SymmetryFamily(
                first.name(),
                range(first.layer(), last.layer()),
                "%s, %d times".formatted(first.group(), alike.size()),
                alike.stream().mapToInt(SymmetryFamily::rank).sum(),
                alike.stream().mapToInt(SymmetryFamily::adds).sum(),
                first.permutations(),
                first.tensors().stream()
                        .map(tensor ->
                                range(tensor, last.tensors().get(first.tensors().indexOf(tensor))))
                        .toList(),
                alike.stream().mapToDouble(SymmetryFamily::verified).max().orElse(0),
                first.conserved());
    }

    /** A name whose first number is that of two names, such as {@code layers.0..5.mlp}. */
    private static String range(String from, String to) {
        Matcher first = NUMBER.matcher(from);
        Matcher last = NUMBER.matcher(to);
        return first.find() && last.find() && !first.group().equals(last.group())
                ? first.replaceFirst(first.group() + ".." + last.group())
                : from;
    }
}
