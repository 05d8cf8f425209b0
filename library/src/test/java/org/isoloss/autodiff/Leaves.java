package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;

/**
 * What a recording under test begins with: differentiable tensors of random shapes and numbers. On purpose, one of them
 * can be given a gradient of the wrong sign, and one jet tangents of the wrong sign.
 */
final class Leaves {
    private static final int NONE = -1;

    private final Graph graph = new Graph();
    private final SplittableRandom random;
    private final int wrongGradient;
    private final int wrongTangents;
    private final Map<Tensor, double[]> numbers = new LinkedHashMap<>();
    private final List<JetEntries> jets = new ArrayList<>();
    private int[] kinds = new int[0];

    private Leaves(long seed, int wrongGradient, int wrongTangents) {
        random = new SplittableRandom(seed);
        this.wrongGradient = wrongGradient;
        this.wrongTangents = wrongTangents;
    }

    static Leaves right(long seed) {
        return new Leaves(seed, NONE, NONE);
    }

    /** The values are right, but the gradient of the leaf with this number is negated on its way back. */
    static Leaves withWrongGradient(long seed, int leaf) {
        return new Leaves(seed, leaf, NONE);
    }

    /** The tangents of the jet with this number are negated on their way in. */
    static Leaves withWrongTangents(long seed, int jet) {
        return new Leaves(seed, NONE, jet);
    }

    Graph graph() {
        return graph;
    }

    SplittableRandom random() {
        return random;
    }

    /** A random number of rows or columns. */
    int size() {
        return 1 + random.nextInt(5);
    }

    Tensor parameter(int rows, int columns) {
        return leaf(graph.parameter(rows, columns));
    }

    Tensor input(int rows, int columns) {
        return leaf(graph.differentiableInput(rows, columns));
    }

    Tensor constant(int rows, int columns) {
        return graph.constant(Matrix.over(rows, columns, gaussians(rows * columns)));
    }

    private Tensor leaf(Tensor tensor) {
        int number = numbers.size();
        numbers.put(tensor, gaussians(tensor.size()));
        return number == wrongGradient ? graph.add(graph.add(tensor, -2, tensor), 2, graph.detach(tensor)) : tensor;
    }

    private double[] gaussians(int count) {
        double[] drawn = new double[count];
        Arrays.setAll(drawn, i -> random.nextGaussian());
        return drawn;
    }

    /** The kinds of rows that all jets of this recording have: values first, with two tangents, one or none each. */
    int[] stackedKinds() {
        if (kinds.length == 0) {
            kinds = new int[] {-1, -1, -1, 0, 2, 0};
        }
        return kinds;
    }

    /** As {@link #stackedKinds}, but values and tangents in any order. */
    int[] mixedKinds() {
        if (kinds.length == 0) {
            kinds = new int[] {2, -1, -1, 2, -1, 1, 1};
        }
        return kinds;
    }

    /** A leaf with one value or tangent a row. */
    Jet jetOfRows(int columns) {
        return Jet.of(jet(new JetEntries(graph.differentiableInput(kinds.length, columns), kinds, 0)), kinds);
    }

    /** A leaf with one value or tangent in each block of columns. */
    Tensor jetOfBlocks(int rows, int width) {
        return jet(new JetEntries(graph.differentiableInput(rows, kinds.length * width), kinds, width));
    }

    private Tensor jet(JetEntries entries) {
        int number = jets.size();
        jets.add(entries);
        Tensor tensor = leaf(entries.tensor());
        if (number != wrongTangents) {
            return tensor;
        }
        Matrix signs = Matrix.zeros(tensor.rows(), tensor.columns());
        for (int row = 0; row < kinds.length; row++) {
            for (int entry : entries.of(row)) {
                signs.entries()[entry] = kinds[row] < 0 ? 1 : -1;
            }
        }
        return graph.times(tensor, graph.constant(signs));
    }

    List<Tensor> tensors() {
        return List.copyOf(numbers.keySet());
    }

    List<JetEntries> jets() {
        return jets;
    }

    /** The sum of the entries with random weights; a weight is zero where {@code kept} says so. */
    Tensor weightedSum(Tensor tensor, boolean[] kept) {
        double[] weights = gaussians(tensor.size());
        for (int i = 0; i < weights.length; i++) {
            weights[i] = kept[i] ? weights[i] : 0;
        }
        return graph.innerProduct(0.7, tensor, graph.constant(Matrix.over(tensor.rows(), tensor.columns(), weights)));
    }

    Tensor weightedSum(Tensor tensor) {
        boolean[] all = new boolean[tensor.size()];
        Arrays.fill(all, true);
        return weightedSum(tensor, all);
    }

    Program program(Precision precision) {
        Program program = graph.compile(precision);
        numbers.forEach(program::set);
        return program;
    }
}
