package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;

/**
 * The generators {@code h_1 .. h_r} of a matrix group (equation {@code eq:learned-generated-group} of the paper), each of
 * size s x s and Frobenius norm 1.
 */
public final class Generators {
    private final int size;
    private final List<Matrix> matrices;

    private Generators(int size, List<Matrix> matrices) {
        this.size = size;
        this.matrices = List.copyOf(matrices);
    }

    /**
     * Normalises the given matrices.
     *
     * @param matrices at least one, all square of one size, finite and not zero; not modified
     * @return the same directions with Frobenius norm 1
     */
    public static Generators normalising(List<Matrix> matrices) {
        if (matrices.isEmpty()) {
            throw new IllegalArgumentException("Generators: no matrix given, expected at least one");
        }
        int size = matrices.getFirst().rows();
        List<Matrix> normalised = new ArrayList<>();
        for (Matrix matrix : matrices) {
            if (matrix.rows() != size || matrix.columns() != size) {
                throw new IllegalArgumentException("Generators: matrix %d has shape (%d, %d), expected (%d, %d)"
                        .formatted(normalised.size() + 1, matrix.rows(), matrix.columns(), size, size));
            }
            double norm = matrix.requireFinite("Generators").frobeniusNorm();
            if (norm == 0) {
                throw new IllegalArgumentException(
                        "Generators: matrix %d is zero and generates nothing".formatted(normalised.size() + 1));
            }
            // already of norm 1 up to rounding: kept, so that what was stored is read back bit by bit
            boolean keep = Math.abs(norm - 1) <= size * size * Math.ulp(1.0);
            normalised.add(keep ? matrix.copy() : matrix.scaled(1 / norm));
        }
        return new Generators(size, normalised);
    }

    /**
     * Returns the matrix size s.
     *
     * @return at least 1
     */
    public int size() {
        return size;
    }

    /**
     * Returns the number of generators r.
     *
     * @return at least 1
     */
    public int count() {
        return matrices.size();
    }

    /**
     * Returns one generator.
     *
     * @param index from 0, below {@link #count}
     * @return shape (s, s), Frobenius norm 1; a copy
     */
    public Matrix get(int index) {
        return matrices.get(index).copy();
    }
}
