package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.circuit.CircuitScalings;

/**
 * The unknowns of a circuit sorted by how the scalings of its parameters act on them: {@code A_ab} by the weight of parameter a
 * less that of b, {@code b_a} by that of a ({@link Grading} says why blocks of different weights do not mix). Each block is an orbit of
 * its own.
 */
final class CircuitBlocks implements UnknownBlocks {
    private static final long FACTORS = 3;

    private final int parameters;
    private final Map<Weight, List<Integer>> members = new LinkedHashMap<>(); // parameters by weight
    private final List<Grading.Orbit> orbits = new ArrayList<>();

    CircuitBlocks(int parameters, CircuitScalings scalings) {
        this.parameters = parameters;
        List<Weight> marks = marks(parameters, scalings);
        for (int a = 0; a < parameters; a++) {
            members.computeIfAbsent(marks.get(a), _ -> new ArrayList<>()).add(a);
        }
    }

    /** The sizes of all blocks, without making them. */
    List<Long> sizes() {
        Map<Weight, Long> sizes = new HashMap<>();
        members.forEach((weight, moving) -> {
            members.forEach(
                    (other, by) -> sizes.merge(weight.less(other), (long) moving.size() * by.size(), Long::sum));
            sizes.merge(weight, (long) moving.size(), Long::sum);
        });
        return List.copyOf(sizes.values());
    }

    private void makeOrbits() {
        Map<Weight, List<Integer>> unknowns = new HashMap<>();
        members.forEach((weight, moving) -> {
            members.forEach((other, by) ->
                    add(unknowns.computeIfAbsent(weight.less(other), _ -> new ArrayList<>()), moving, by));
            add(unknowns.computeIfAbsent(weight, _ -> new ArrayList<>()), moving, List.of(parameters));
        });
        unknowns.values().stream()
                .map(block -> block.stream().sorted().toList())
                .sorted((left, right) -> left.size() != right.size()
                        ? Integer.compare(right.size(), left.size())
                        : Integer.compare(left.getFirst(), right.getFirst()))
                .forEach(block -> orbits.add(new Grading.Orbit(new Grading.Block(block), 1)));
    }

    /** The constants {@code b_a} alone. */
    static List<Grading.Block> constants(int parameters, CircuitScalings scalings) {
        Map<Weight, List<Integer>> unknowns = new LinkedHashMap<>();
        List<Weight> marks = marks(parameters, scalings);
        for (int a = 0; a < parameters; a++) {
            unknowns.computeIfAbsent(marks.get(a), _ -> new ArrayList<>()).add(a * (parameters + 1) + parameters);
        }
        return unknowns.values().stream().map(Grading.Block::new).toList();
    }

    private void add(List<Integer> block, List<Integer> rows, List<Integer> columns) {
        for (int row : rows) {
            for (int column : columns) {
                block.add(row * (parameters + 1) + column);
            }
        }
    }

    /**
     * A weight under all scalings and signs, mapped to numbers by fixed random factors. Where two different ones have the same
     * numbers their blocks are one, which loses nothing.
     */
    private record Weight(long scaling, long signs) {
        Weight less(Weight other) {
            return new Weight(scaling - other.scaling, signs ^ other.signs);
        }
    }

    private static List<Weight> marks(int parameters, CircuitScalings scalings) {
        SplittableRandom factors = new SplittableRandom(FACTORS);
        long[] scaling = new long[parameters];
        long[] signs = new long[parameters];
        for (int[] weights : scalings.weights()) {
            long factor = factors.nextLong();
            Arrays.setAll(scaling, a -> scaling[a] + factor * weights[a]);
        }
        for (BitSet sign : scalings.signs()) {
            long factor = factors.nextLong();
            Arrays.setAll(signs, a -> sign.get(a) ? signs[a] ^ factor : signs[a]);
        }
        return IntStream.range(0, parameters)
                .mapToObj(a -> new Weight(scaling[a], signs[a]))
                .toList();
    }

    @Override
    public List<Grading.Orbit> orbits() {
        if (orbits.isEmpty()) {
            makeOrbits();
        }
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
