package org.isoloss.affine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.circuit.CircuitScalings;

/**
 * The unknowns of a circuit sorted by how the scalings of its parameters act on them: {@code A_ab} by the weight of parameter a
 * less that of b, {@code b_a} by that of a ({@link Grading} says why blocks of different weights do not mix). Each block is an orbit of
 * its own.
 */
final class CircuitBlocks implements UnknownBlocks {
    private final int parameters;
    private final List<Grading.Orbit> orbits = new ArrayList<>();

    CircuitBlocks(int parameters, CircuitScalings scalings) {
        this.parameters = parameters;
        Map<List<Integer>, List<Integer>> members = new LinkedHashMap<>(); // parameters by weight
        for (int a = 0; a < parameters; a++) {
            members.computeIfAbsent(weight(scalings, a), _ -> new ArrayList<>()).add(a);
        }
        List<List<Integer>> weights = List.copyOf(members.keySet());
        List<Integer> none = IntStream.range(
                        0, scalings.weights().size() + scalings.signs().size())
                .mapToObj(_ -> 0)
                .toList();
        Map<List<Integer>, List<Integer>> unknowns = new HashMap<>();
        for (List<Integer> weight : weights) {
            List<Integer> moving = members.getOrDefault(weight, List.of());
            for (List<Integer> other : weights) {
                add(
                        unknowns.computeIfAbsent(difference(scalings, weight, other), _ -> new ArrayList<>()),
                        moving,
                        members.getOrDefault(other, List.of()));
            }
            add(
                    unknowns.computeIfAbsent(difference(scalings, weight, none), _ -> new ArrayList<>()),
                    moving,
                    List.of(parameters));
        }
        unknowns.values().stream()
                .map(block -> block.stream().sorted().toList())
                .sorted((left, right) -> left.size() != right.size()
                        ? Integer.compare(right.size(), left.size())
                        : Integer.compare(left.getFirst(), right.getFirst()))
                .forEach(block -> orbits.add(new Grading.Orbit(new Grading.Block(block), 1)));
    }

    private void add(List<Integer> block, List<Integer> rows, List<Integer> columns) {
        for (int row : rows) {
            for (int column : columns) {
                block.add(row * (parameters + 1) + column);
            }
        }
    }

    private static List<Integer> weight(CircuitScalings scalings, int parameter) {
        List<Integer> weight = new ArrayList<>();
        for (int[] scaling : scalings.weights()) {
            weight.add(scaling[parameter]);
        }
        for (BitSet sign : scalings.signs()) {
            weight.add(sign.get(parameter) ? 1 : 0);
        }
        return weight;
    }

    private static List<Integer> difference(CircuitScalings scalings, List<Integer> left, List<Integer> right) {
        int whole = scalings.weights().size();
        return IntStream.range(0, left.size())
                .mapToObj(i -> i < whole ? left.get(i) - right.get(i) : left.get(i) ^ right.get(i))
                .toList();
    }

    @Override
    public List<Grading.Orbit> orbits() {
        return List.copyOf(orbits);
    }

    @Override
    public Collection<Grading.Block> orbit(Grading.Block block) {
        return List.of(block);
    }

    @Override
    public Grading.Block whole() {
        return UnknownBlocks.whole(parameters);
    }
}
