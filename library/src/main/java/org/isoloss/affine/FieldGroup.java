package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;

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

    /** {@code exp(coefficient * H)} of one field. */
    Element exponential(int generator, double coefficient) {
        FieldEstimate field = fields.get(generator);
        List<Matrix> blocks = new ArrayList<>();
        boolean[] touched = new boolean[parts.size()];
        for (int[] part : parts) {
            blocks.add(Matrix.zeros(part.length, part.length));
        }
        for (int k = 0; k < field.size(); k++) {
            int a = field.unknown(k) / size;
            int b = field.unknown(k) % size;
            blocks.get(partOf[a]).set(placeIn[a], placeIn[b], coefficient * field.coefficient(k));
            touched[partOf[a]] = true;
        }
        for (int i = 0; i < blocks.size(); i++) {
            blocks.set(i, touched[i] ? MatrixExponential.of(blocks.get(i)) : Matrix.identity(parts.get(i).length));
        }
        return new Element(blocks);
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
