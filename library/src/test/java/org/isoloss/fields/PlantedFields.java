package org.isoloss.fields;

import java.util.List;
import org.isoloss.linalg.Matrix;

/** Fields with a known answer. */
final class PlantedFields {
    private PlantedFields() {}

    /** {@code v_i(theta) = A_i theta + b_i}. */
    static LearnedFields affine(List<Matrix> matrices, List<double[]> constants) {
        int p = matrices.getFirst().rows();
        int r = matrices.size();
        Matrix weight = Matrix.zeros(p, r * p);
        double[] bias = new double[r * p];
        for (int i = 0; i < r; i++) {
            for (int a = 0; a < p; a++) {
                for (int b = 0; b < p; b++) {
                    weight.set(b, i * p + a, matrices.get(i).get(a, b));
                }
                bias[i * p + a] = constants.get(i)[a];
            }
        }
        return new LearnedFields(new FieldShape(p, r, 0, 1), List.of(weight.entries(), bias));
    }

    static LearnedFields linear(List<Matrix> matrices) {
        return affine(
                matrices,
                matrices.stream().map(matrix -> new double[matrix.rows()]).toList());
    }

    /** The change of basis of the factors V, U of size 2 x 2 of {@code U V} along h: {@code (h V, -U h)}, on V and U row by row. */
    static Matrix changeOfBasis(Matrix h) {
        Matrix field = Matrix.zeros(8, 8);
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                for (int k = 0; k < 2; k++) {
                    field.set(2 * i + j, 2 * k + j, field.get(2 * i + j, 2 * k + j) + h.get(i, k));
                    field.set(4 + 2 * i + j, 4 + 2 * i + k, field.get(4 + 2 * i + j, 4 + 2 * i + k) - h.get(k, j));
                }
            }
        }
        return field;
    }
}
