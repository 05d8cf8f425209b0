package org.isoloss.lie;

import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;

/**
 * Structure constants in floating point: {@code [e_i, e_j] = sum_k c(i, j, k) e_k}, antisymmetric by construction. Whether they
 * are those of a Lie algebra is a question of size ({@link #jacobiResidual}); {@link StructureConstants} are exact. Immutable.
 */
public final class BracketConstants {
    /** Supplied constants break Jacobi, and supplied matrices do not close, above this, relative to the largest constant. */
    public static final double TOLERANCE = 1e-9;

    private final int dimension;
    private final double[] table;

    private BracketConstants(int dimension, double[] table) {
        this.dimension = dimension;
        this.table = table;
    }

    /**
     * Takes measured or learned constants, which need not be those of a Lie algebra.
     *
     * @param dimension r, at least 1
     * @param pairs one row for each i &lt; j in the order of {@link #pair}, shape (r (r - 1) / 2, r), finite; not modified; not read
     *     where r is 1
     * @return the table
     */
    public static BracketConstants ofPairs(int dimension, Matrix pairs) {
        double[] table = new double[dimension * dimension * dimension];
        for (int i = 0; i < dimension; i++) {
            for (int j = i + 1; j < dimension; j++) {
                for (int k = 0; k < dimension; k++) {
                    double constant = pairs.get(pair(dimension, i, j), k);
                    table[(i * dimension + j) * dimension + k] = constant;
                    table[(j * dimension + i) * dimension + k] = -constant;
                }
            }
        }
        return new BracketConstants(dimension, table);
    }

    /**
     * Takes constants that a user states.
     *
     * @param dimension r, at least 1
     * @param pairs as in {@link #ofPairs}
     * @return the table
     * @throws IllegalArgumentException when the Jacobi identity does not hold, naming the first three elements that break it
     */
    public static BracketConstants supplied(int dimension, Matrix pairs) {
        BracketConstants constants = ofPairs(dimension, pairs.requireFinite("structure constants"));
        double largest = constants.largest();
        for (int i = 0; i < dimension; i++) {
            for (int j = i + 1; j < dimension; j++) {
                for (int k = j + 1; k < dimension; k++) {
                    double[] sum = constants.jacobi(i, j, k);
                    if (norm(sum) > TOLERANCE * largest * largest) {
                        throw new IllegalArgumentException(
                                "structure constants: [[e%d, e%d], e%d] and its cyclic shifts add up to %s, expected 0 (Jacobi): this is no Lie algebra; correct the brackets"
                                        .formatted(i + 1, j + 1, k + 1, Arrays.toString(sum)));
                    }
                }
            }
        }
        return constants;
    }

    /**
     * Computes the constants of matrices under the commutator.
     *
     * @param generators independent
     * @return their constants, exact up to rounding
     * @throws IllegalArgumentException when they are dependent, or a commutator leaves their span
     */
    public static BracketConstants of(Generators generators) {
        int count = generators.count();
        int area = generators.size() * generators.size();
        Matrix span = Matrix.zeros(area, count);
        for (int k = 0; k < count; k++) {
            for (int a = 0; a < area; a++) {
                span.set(a, k, generators.get(k).entries()[a]);
            }
        }
        Matrix pairs = Matrix.zeros(Math.max(1, pairs(count)), count);
        for (int i = 0; i < count; i++) {
            for (int j = i; j < count; j++) {
                Matrix bracket = NumericalClosure.bracket(generators.get(i), generators.get(j));
                LeastSquares fit = LeastSquares.of(span, Matrix.over(area, 1, bracket.entries()), TOLERANCE);
                if (fit.rank() < count) {
                    throw new IllegalArgumentException(
                            "generators: %d matrices span %d dimensions; leave out those that depend on the others"
                                    .formatted(count, fit.rank()));
                }
                double[] solution = fit.solution().entries();
                double outside = span.times(Matrix.over(count, 1, solution))
                        .minus(Matrix.over(area, 1, bracket.entries()))
                        .frobeniusNorm();
                if (outside > TOLERANCE * generators.norm(i) * generators.norm(j)) {
                    throw new IllegalArgumentException(
                            "generators: the commutator of matrices %d and %d is %.3g outside their span, expected 0: they are no Lie algebra; add it to them"
                                    .formatted(i + 1, j + 1, outside));
                }
                for (int k = 0; j > i && k < count; k++) {
                    pairs.set(pair(count, i, j), k, solution[k]);
                }
            }
        }
        return ofPairs(count, pairs);
    }

    /**
     * {@return the number of pairs of r elements}
     *
     * @param dimension r
     */
    public static int pairs(int dimension) {
        return dimension * (dimension - 1) / 2;
    }

    /**
     * {@return the row of a pair: (0, 1), (0, 2), and so on}
     *
     * @param dimension r
     * @param i from 0
     * @param j above i
     */
    public static int pair(int dimension, int i, int j) {
        return i * (2 * dimension - i - 1) / 2 + j - i - 1;
    }

    /** {@return the number of basis elements r, at least 1} */
    public int dimension() {
        return dimension;
    }

    /**
     * {@return one constant, {@code c(i, j, k)}}
     *
     * @param i from 0
     * @param j from 0
     * @param k from 0
     */
    public double get(int i, int j, int k) {
        return table[(i * dimension + j) * dimension + k];
    }

    /** {@return one row for each i &lt; j, shape (r (r - 1) / 2, r); one row of zeros where r is 1} */
    public Matrix pairRows() {
        Matrix rows = Matrix.zeros(Math.max(1, pairs(dimension)), dimension);
        for (int i = 0; i < dimension; i++) {
            for (int j = i + 1; j < dimension; j++) {
                for (int k = 0; k < dimension; k++) {
                    rows.set(pair(dimension, i, j), k, get(i, j, k));
                }
            }
        }
        return rows;
    }

    /** {@return the largest magnitude of a constant, at least 0} */
    public double largest() {
        return Arrays.stream(table).map(Math::abs).max().orElse(0);
    }

    /**
     * {@return how far the Jacobi identity is from holding: the largest norm of {@code [[e_i, e_j], e_k]} with its cyclic shifts,
     * at least 0}
     */
    public double jacobiResidual() {
        double worst = 0;
        for (int i = 0; i < dimension; i++) {
            for (int j = i + 1; j < dimension; j++) {
                for (int k = j + 1; k < dimension; k++) {
                    worst = Math.max(worst, norm(jacobi(i, j, k)));
                }
            }
        }
        return worst;
    }

    private double[] jacobi(int i, int j, int k) {
        double[] sum = new double[dimension];
        for (int[] cycle : List.of(new int[] {i, j, k}, new int[] {j, k, i}, new int[] {k, i, j})) {
            for (int l = 0; l < dimension; l++) {
                for (int m = 0; m < dimension; m++) {
                    sum[m] += get(cycle[0], cycle[1], l) * get(l, cycle[2], m);
                }
            }
        }
        return sum;
    }

    /** {@return the Killing form {@code trace(ad x ad y)}, symmetric, shape (r, r)} */
    public Matrix killingForm() {
        Matrix form = Matrix.zeros(dimension, dimension);
        for (int i = 0; i < dimension; i++) {
            for (int j = 0; j < dimension; j++) {
                double trace = 0;
                for (int k = 0; k < dimension; k++) {
                    for (int l = 0; l < dimension; l++) {
                        trace += get(i, k, l) * get(j, l, k);
                    }
                }
                form.set(i, j, trace);
            }
        }
        return form;
    }

    private static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }
}
