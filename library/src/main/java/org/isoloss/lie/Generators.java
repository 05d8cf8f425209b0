package org.isoloss.lie;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;

/**
 * The generators {@code h_1 .. h_r} of a matrix group (equation {@code eq:learned-generated-group} of the paper), each of
 * size s x s, at the scale at which they were given: a coefficient t always means {@code exp(t h)} with this h. What should
 * not depend on that scale, such as training and the radius of tests, works with {@link #normalised}.
 */
public final class Generators {
    private final int size;
    private final List<Matrix> matrices;
    private final double[] norms;

    private Generators(int size, List<Matrix> matrices, double[] norms) {
        this.size = size;
        this.matrices = List.copyOf(matrices);
        this.norms = norms;
    }

    /**
     * Keeps the given matrices as they are.
     *
     * @param matrices at least one, all square of one size, finite and not zero; not modified
     * @return the same matrices, bit by bit
     */
    public static Generators of(List<Matrix> matrices) {
        if (matrices.isEmpty()) {
            throw new IllegalArgumentException("Generators: no matrix given, expected at least one");
        }
        int size = matrices.getFirst().rows();
        List<Matrix> copies = new ArrayList<>();
        double[] norms = new double[matrices.size()];
        for (Matrix matrix : matrices) {
            int number = copies.size() + 1;
            if (matrix.rows() != size || matrix.columns() != size) {
                throw new IllegalArgumentException("Generators: matrix %d has shape (%d, %d), expected (%d, %d)"
                        .formatted(number, matrix.rows(), matrix.columns(), size, size));
            }
            double norm = matrix.requireFinite("Generators").frobeniusNorm();
            if (norm == 0) {
                throw new IllegalArgumentException(
                        "Generators: matrix %d is zero and generates nothing".formatted(number));
            }
            if (norm < Double.MIN_NORMAL || Double.isInfinite(norm)) {
                throw new IllegalArgumentException(
                        "Generators: matrix %d has norm %s, beyond the range of numbers of full precision; scale it"
                                .formatted(number, norm));
            }
            // 1 up to rounding is 1, so that normalising what was normalised and stored keeps its bits
            boolean unit = Math.abs(norm - 1) <= size * size * Math.ulp(1.0);
            norms[number - 1] = unit ? 1 : norm;
            copies.add(matrix.copy());
        }
        return new Generators(size, copies, norms);
    }

    /**
     * Normalises the given matrices.
     *
     * @param matrices at least one, all square of one size, finite and not zero; not modified
     * @return the same directions with Frobenius norm 1
     */
    public static Generators normalising(List<Matrix> matrices) {
        return of(matrices).normalised();
    }

    /**
     * {@return the same directions, each with Frobenius norm 1: these generators themselves, bit by bit, where they have norm 1
     * up to rounding}
     */
    public Generators normalised() {
        List<Matrix> units = new ArrayList<>();
        for (int i = 0; i < norms.length; i++) {
            units.add(norms[i] == 1 ? matrices.get(i) : matrices.get(i).scaled(1 / norms[i]));
        }
        double[] ones = new double[norms.length];
        Arrays.fill(ones, 1);
        return new Generators(size, units, ones);
    }

    /** {@return the matrix size s, at least 1} */
    public int size() {
        return size;
    }

    /** {@return the number of generators r, at least 1} */
    public int count() {
        return matrices.size();
    }

    /**
     * Returns one generator.
     *
     * @param index from 0, below {@link #count}
     * @return shape (s, s), as given; a copy
     */
    public Matrix get(int index) {
        return matrices.get(index).copy();
    }

    /**
     * Returns the size of one generator, which turns its coefficient into a length: {@code exp(t h)} is {@code |t| ||h||} long.
     *
     * @param index from 0, below {@link #count}
     * @return Frobenius norm, positive; exactly 1 where it is 1 up to rounding
     */
    public double norm(int index) {
        return norms[index];
    }
}
