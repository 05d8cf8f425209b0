package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;

/**
 * The matrices that fields generate on {@code (theta, 1)}, in float64. Coordinates that no field couples are kept apart: an
 * element is a list of square blocks, so that thousands of parameters are no burden.
 */
final class FieldGroup {
    private final int size;
    private final List<int[]> parts = new ArrayList<>();
    private final int[] partOf;
    private final int[] placeIn;
    private final List<FieldEstimate> fields;
    private final Map<Integer, List<List<Matrix>>> series = new HashMap<>();

    FieldGroup(int parameterCount, List<FieldEstimate> fields) {
        this.size = parameterCount + 1;
        this.fields = List.copyOf(fields);
        this.partOf = new int[size];
        this.placeIn = new int[size];
        int[] root = new int[size];
        Arrays.setAll(root, i -> i);
        for (FieldEstimate field : fields) {
            for (int k = 0; k < field.size(); k++) {
                if (field.coefficient(k) != 0) {
                    root[find(root, field.unknown(k) / size)] = find(root, field.unknown(k) % size);
                }
            }
        }
        List<List<Integer>> members = new ArrayList<>();
        int[] partOfRoot = new int[size];
        Arrays.fill(partOfRoot, -1);
        for (int i = 0; i < size; i++) {
            int r = find(root, i);
            if (partOfRoot[r] < 0) {
                partOfRoot[r] = members.size();
                members.add(new ArrayList<>());
            }
            partOf[i] = partOfRoot[r];
            placeIn[i] = members.get(partOf[i]).size();
            members.get(partOf[i]).add(i);
        }
        members.forEach(
                part -> parts.add(part.stream().mapToInt(Integer::intValue).toArray()));
    }

    private static int find(int[] root, int i) {
        int r = i;
        while (root[r] != r) {
            root[r] = root[root[r]];
            r = root[r];
        }
        return r;
    }

    int generatorCount() {
        return fields.size();
    }

    /** {@code exp(coefficient * H)} of one field; the coefficient is at most 1 in magnitude. */
    Element exponential(int generator, double coefficient) {
        List<List<Matrix>> terms = series.computeIfAbsent(generator, this::terms);
        List<Matrix> blocks = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            int length = parts.get(i).length;
            Matrix sum = Matrix.zeros(length, length);
            for (int k = terms.get(i).size() - 1; k >= 0; k--) { // smallest first
                double power = Math.pow(coefficient, k + 1);
                double[] term = terms.get(i).get(k).entries();
                for (int j = 0; j < term.length; j++) {
                    sum.entries()[j] += power * term[j];
                }
            }
            for (int j = 0; j < length; j++) {
                sum.set(j, j, 1 + sum.get(j, j));
            }
            blocks.add(sum);
        }
        return new Element(blocks);
    }

    /**
     * The terms {@code H^k / k!} from k = 1 of every block, until they are too small to matter. Thousands of exponentials of
     * few fields of norm 1 are needed; from these each takes a few additions, as accurate as any other way at this norm.
     */
    private List<List<Matrix>> terms(int generator) {
        FieldEstimate field = fields.get(generator);
        List<Matrix> blocks = new ArrayList<>();
        parts.forEach(part -> blocks.add(Matrix.zeros(part.length, part.length)));
        for (int k = 0; k < field.size(); k++) {
            int a = field.unknown(k) / size;
            int b = field.unknown(k) % size;
            blocks.get(partOf[a]).set(placeIn[a], placeIn[b], field.coefficient(k));
        }
        List<List<Matrix>> terms = new ArrayList<>();
        for (Matrix block : blocks) {
            List<Matrix> powers = new ArrayList<>();
            Matrix term = block;
            for (int k = 2; term.largestMagnitude() > 0x1p-80; k++) {
                powers.add(term);
                term = term.times(block).scaled(1.0 / k);
            }
            terms.add(powers);
        }
        return terms;
    }

    /** A matrix on {@code (theta, 1)}. */
    final class Element {
        private final List<Matrix> blocks;

        private Element(List<Matrix> blocks) {
            this.blocks = blocks;
        }

        /** This after the other. */
        Element times(Element other) {
            List<Matrix> product = new ArrayList<>();
            for (int i = 0; i < blocks.size(); i++) {
                product.add(blocks.get(i).times(other.blocks.get(i)));
            }
            return new Element(product);
        }

        double[] apply(double[] theta) {
            double[] moved = new double[theta.length];
            for (int a = 0; a < moved.length; a++) {
                int[] part = parts.get(partOf[a]);
                Matrix block = blocks.get(partOf[a]);
                double sum = 0;
                for (int j = 0; j < part.length; j++) {
                    sum += block.get(placeIn[a], j) * (part[j] < theta.length ? theta[part[j]] : 1);
                }
                moved[a] = sum;
            }
            return moved;
        }
    }
}
