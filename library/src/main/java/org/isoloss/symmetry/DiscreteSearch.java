package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * Permutations and changes of sign: of the units of a layer, of blocks of them such as heads, and of the same unit in several
 * blocks such as gates. Each candidate is a random element, applied to the parameters and tried on the outputs.
 */
final class DiscreteSearch {
    private final ValueCut cut;
    private final GaugeAction action;
    private final OutputChange outputs;

    /**
     * Discrete symmetries of what meets in one part.
     *
     * @param size how many things are permuted, or may change their sign
     * @param signs whether signs change, or things are permuted
     * @param values that are moved
     * @param parameters what one of them makes of the parameters
     * @param change of the outputs by it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(int size, boolean signs, Set<Value> values, double[] parameters, double change) {}

    DiscreteSearch(ValueCut cut, GaugeAction action, OutputChange outputs) {
        this.cut = cut;
        this.action = action;
        this.outputs = outputs;
    }

    /**
     * Searches.
     *
     * @param continuous values at which a continuous group has all permutations and signs already
     * @param random of the elements
     */
    List<Found> found(Set<Value> continuous, SplittableRandom random) {
        List<Found> found = new ArrayList<>();
        for (Set<Value> link : cut.links()) {
            if (link.stream().noneMatch(continuous::contains)) {
                found.addAll(permutations(link, random));
                found.addAll(signs(link, random));
            }
        }
        return found;
    }

    /** The most things that can be permuted; where these are whole layers, nothing smaller is sought. */
    private List<Found> permutations(Set<Value> link, SplittableRandom random) {
        Set<Integer> widths = new TreeSet<>();
        for (Value value : link) {
            int width = cut.width(value);
            for (int size = 2; size <= width; size++) {
                if (width % size == 0) {
                    widths.add(size);
                }
            }
        }
        for (int size : new TreeSet<>(widths).descendingSet()) {
            int[] order = cycle(size, random);
            for (boolean blocks : new boolean[] {true, false}) {
                for (Set<Value> some : candidates(link, size)) {
                    Map<Value, Affine> maps = new LinkedHashMap<>();
                    some.forEach(value -> maps.put(value, permutation(cut.width(value), order, blocks)));
                    double[] parameters = action.moved(maps);
                    double change = outputs.of(parameters);
                    if (change <= Symmetries.EXACT && outputs.isMoved(parameters)) {
                        return List.of(new Found(size, false, some, parameters, change));
                    }
                }
            }
        }
        return List.of();
    }

    /** One cycle through so many things, so that none stays. */
    private static int[] cycle(int count, SplittableRandom random) {
        int[] order = new int[count];
        Arrays.setAll(order, i -> i);
        for (int i = order.length - 1; i > 0; i--) { // Sattolo's algorithm
            int j = random.nextInt(i);
            int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        return order;
    }

    private List<Found> signs(Set<Value> link, SplittableRandom random) {
        Set<Integer> sizes = new TreeSet<>();
        link.forEach(value -> sizes.add(cut.width(value)));
        for (int size : new TreeSet<>(sizes).descendingSet()) {
            double[] signs = new double[size];
            Arrays.setAll(signs, i -> i == 0 || random.nextBoolean() ? -1 : 1);
            for (Set<Value> some : candidates(link, size)) {
                Map<Value, Affine> maps = new LinkedHashMap<>();
                for (Value value : some) {
                    Matrix matrix = Matrix.identity(cut.width(value));
                    int block = cut.width(value) / size;
                    for (int i = 0; i < cut.width(value); i++) {
                        matrix.set(i, i, signs[i / block]);
                    }
                    maps.put(value, new Affine(matrix, new double[cut.width(value)]));
                }
                double[] parameters = action.moved(maps);
                double change = outputs.of(parameters);
                if (size > 1 && change <= Symmetries.EXACT && outputs.isMoved(parameters)) {
                    return List.of(new Found(size, true, some, parameters, change));
                }
            }
        }
        return List.of();
    }

    /** All values whose channels come in so many blocks, or the widest of them alone, as where several heads share a key. */
    private List<Set<Value>> candidates(Set<Value> link, int size) {
        Set<Value> all = new LinkedHashSet<>();
        int widest = 0;
        for (Value value : link) {
            if (cut.width(value) % size == 0) {
                all.add(value);
                widest = Math.max(widest, cut.width(value));
            }
        }
        int most = widest;
        Set<Value> wide = new LinkedHashSet<>(all);
        wide.removeIf(value -> cut.width(value) < most);
        return wide.size() == all.size() ? List.of(all) : List.of(all, wide);
    }

    private static Affine permutation(int width, int[] order, boolean blocks) {
        int size = order.length;
        int block = width / size;
        Matrix matrix = Matrix.zeros(width, width);
        for (int i = 0; i < width; i++) {
            int from = blocks ? order[i / block] * block + i % block : i / size * size + order[i % size];
            matrix.set(i, from, 1);
        }
        return new Affine(matrix, new double[width]);
    }
}
