package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * The additive group R^q as matrices {@code [[I, x], [0, 1]]} of size q + 1, with generators {@code E_(i, q + 1)}:
 * multiplying adds the x, and {@code exp(t E_(i, q + 1))} has t in place i.
 */
final class AdditiveGroup {
    private final int dimension;
    private final Generators generators;

    AdditiveGroup(int dimension) {
        this.dimension = dimension;
        List<Matrix> basis = new ArrayList<>();
        for (int i = 0; i < dimension; i++) {
            Matrix generator = Matrix.zeros(dimension + 1, dimension + 1);
            generator.set(i, dimension, 1);
            basis.add(generator);
        }
        this.generators = Generators.normalising(basis);
    }

    Generators generators() {
        return generators;
    }

    /** The x of a group element; refuses a matrix that is none. */
    double[] vector(Matrix elements, int row) {
        return lastColumn(elements, row, 1);
    }

    /** The x of a tangent matrix {@code [[0, x], [0, 0]]}; refuses a matrix that is none. */
    double[] tangent(Matrix directions, int row) {
        return lastColumn(directions, row, 0);
    }

    private double[] lastColumn(Matrix matrices, int row, double diagonal) {
        Matrix matrix = Batches.square(matrices, row, dimension + 1);
        double[] x = new double[dimension];
        for (int i = 0; i <= dimension; i++) {
            for (int j = 0; j <= dimension; j++) {
                double expected = i == j ? diagonal : 0;
                if (j == dimension && i < dimension) {
                    x[i] = matrix.get(i, j);
                } else if (!(Math.abs(matrix.get(i, j) - expected) <= Batches.ROUNDING)) {
                    throw new IllegalArgumentException(
                            "matrix %d is not of the form %s of the additive group: entry (%d, %d) is %s, expected %s"
                                    .formatted(
                                            row,
                                            diagonal == 1 ? "[[I, x], [0, 1]]" : "[[0, x], [0, 0]]",
                                            i,
                                            j,
                                            matrix.get(i, j),
                                            expected));
                }
            }
        }
        return x;
    }
}
