package org.isoloss.affine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.ParameterLayout;

/**
 * Weights that act on too few inputs: a set of weights that moves fewer output components of the batch than it has members,
 * such as the 32 weights that read a pixel lit in one image of ten outputs. By counting alone, at least the difference of
 * the two numbers is free. Which sets these are is read off the zeros of the Jacobian by matching weights to components:
 * the weights that stay without a partner, and all that alternating paths lead to from them.
 *
 * @see "Pothen and Fan, Computing the block triangular form of a sparse matrix, ACM Trans. Math. Softw. 16 (1990)"
 */
final class FewInputs {
    private static final double FREE = 1e-10;

    private final List<Group> groups;
    private final int[] owner; // group of each row, -1 for none
    private final BitSet free = new BitSet();
    private final BitSet shortRows = new BitSet();
    private final List<Integer> shortWeights = new ArrayList<>();

    private FewInputs(List<Group> groups, int rows) {
        this.groups = groups;
        this.owner = new int[rows];
        Arrays.fill(owner, -1);
        free.set(0, rows);
    }

    /** The null space of the part of the Jacobian where there are more weights than output components. */
    static Optional<PointFamily> family(PointBatch batch) {
        FewInputs matching =
                new FewInputs(groups(batch.jacobian()), batch.jacobian().rows());
        matching.match();
        int[] weights = matching.shortWeights.stream()
                .mapToInt(Integer::intValue)
                .sorted()
                .toArray();
        if (weights.length == 0) {
            return Optional.empty();
        }
        int[] rows = matching.shortRows.stream().toArray();
        Matrix block = Matrix.zeros(rows.length, weights.length);
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < weights.length; j++) {
                block.set(i, j, batch.jacobian().get(rows[i], weights[j]));
            }
        }
        Matrix nullSpace = Equilibration.of(block).nullSpace(FREE);
        List<double[]> directions = new ArrayList<>();
        for (int k = 0; k < nullSpace.columns(); k++) {
            double[] direction = new double[batch.theta().length];
            for (int j = 0; j < weights.length; j++) {
                direction[weights[j]] = nullSpace.get(j, k);
            }
            directions.add(direction);
        }
        return Optional.of(PointFamily.of(words(batch, weights, rows), PointFamily.Role.SOLVED, directions));
    }

    private static String words(PointBatch batch, int[] weights, int[] rows) {
        int outputs = batch.architecture().outputs();
        long inputs = Arrays.stream(rows).map(row -> row / outputs).distinct().count();
        TreeSet<Integer> offsets = new TreeSet<>(Arrays.stream(weights).boxed().toList());
        String tensors = batch.layout().entries().stream()
                .filter(entry -> !offsets.subSet(entry.offset(), entry.offset() + entry.size())
                        .isEmpty())
                .map(ParameterLayout.Entry::name)
                .collect(Collectors.joining(", "));
        return "changes of %d weights of %s that act on too few inputs: on %d output components of %d inputs"
                .formatted(weights.length, tensors, rows.length, inputs);
    }

    /**
     * Weights by the rows they act on. A weight with no fewer rows than there are weights to share them is in no such set;
     * without it there are fewer, so that this is asked again.
     */
    private static List<Group> groups(Matrix jacobian) {
        Map<BitSet, List<Integer>> byRows = new LinkedHashMap<>();
        BitSet[] supports = new BitSet[jacobian.columns()];
        for (int a = 0; a < supports.length; a++) {
            supports[a] = new BitSet();
        }
        for (int i = 0; i < jacobian.rows(); i++) {
            for (int a = 0; a < supports.length; a++) {
                if (jacobian.get(i, a) != 0) {
                    supports[a].set(i);
                }
            }
        }
        int[] sizes = Arrays.stream(supports)
                .mapToInt(BitSet::cardinality)
                .filter(size -> size > 0)
                .sorted()
                .toArray();
        int count = sizes.length;
        while (count > 0 && sizes[count - 1] >= count) {
            count--;
        }
        int largest = count == 0 ? 0 : sizes[count - 1];
        for (int a = 0; a < supports.length; a++) {
            if (!supports[a].isEmpty() && supports[a].cardinality() <= largest) {
                byRows.computeIfAbsent(supports[a], _ -> new ArrayList<>()).add(a);
            }
        }
        return byRows.entrySet().stream()
                .map(group -> new Group(group.getKey(), group.getValue()))
                .toList();
    }

    private void match() {
        for (int group = 0; group < groups.size(); group++) {
            int single = groups.get(group).weights.size();
            while (single > 0 && augment(group)) {
                single--;
            }
        }
    }

    /** Gives a group one more row, or finds that this cannot be, and keeps what was reached as short of rows. */
    private boolean augment(int start) {
        Map<Integer, Integer> rowBefore = new LinkedHashMap<>(); // the row by which each group was reached
        Map<Integer, Integer> groupBefore = new LinkedHashMap<>(); // the group that wants each row
        Deque<Integer> open = new ArrayDeque<>(List.of(start));
        rowBefore.put(start, -1);
        BitSet seen = (BitSet) shortRows.clone(); // from there no path leads to a free row
        while (!open.isEmpty()) {
            int group = open.remove();
            BitSet rows = groups.get(group).rows;
            BitSet wanted = (BitSet) rows.clone();
            wanted.and(free);
            if (!wanted.isEmpty()) {
                take(group, wanted.nextSetBit(0), rowBefore, groupBefore);
                return true;
            }
            for (int row = rows.nextSetBit(0); row >= 0; row = rows.nextSetBit(row + 1)) {
                if (!seen.get(row)) {
                    seen.set(row);
                    groupBefore.put(row, group);
                    if (!rowBefore.containsKey(owner[row])) {
                        rowBefore.put(owner[row], row);
                        open.add(owner[row]);
                    }
                }
            }
        }
        shortRows.or(seen);
        rowBefore.keySet().forEach(group -> {
            if (!groups.get(group).isShort) {
                groups.get(group).isShort = true;
                shortWeights.addAll(groups.get(group).weights);
            }
        });
        return false;
    }

    private void take(int last, int freeRow, Map<Integer, Integer> rowBefore, Map<Integer, Integer> groupBefore) {
        free.clear(freeRow);
        int group = last;
        int row = freeRow;
        while (row >= 0) {
            owner[row] = group;
            row = rowBefore.getOrDefault(group, -1);
            group = row < 0 ? group : groupBefore.getOrDefault(row, -1);
        }
    }

    /** Weights that act on the same rows of the Jacobian. */
    private static final class Group {
        private final BitSet rows;
        private final List<Integer> weights;
        private boolean isShort;

        Group(BitSet rows, List<Integer> weights) {
            this.rows = rows;
            this.weights = List.copyOf(weights);
        }
    }
}
