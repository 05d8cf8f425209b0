package org.isoloss.affine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.network.DenseNetwork;

/**
 * The directions in which one network may move without changing its outputs on one batch, to first order: the null space of
 * the Jacobian there. It says nothing about other weights or other inputs.
 */
public final class PointSymmetries {
    private static final int MOST_PARAMETERS = 6_000;
    private static final double RETAINED = 1e-8;
    private static final double CONFIRMED = 1e-6;

    private final int parameterCount;
    private final int outputCount;
    private final double[] relativeValues;
    private final Spectrum spectrum = new Spectrum();
    private final Matrix basis;
    private final List<PointFamily> families;
    private final int explained;

    private PointSymmetries(
            int parameterCount,
            int outputCount,
            double[] relativeValues,
            Matrix basis,
            List<PointFamily> families,
            int explained) {
        this.parameterCount = parameterCount;
        this.outputCount = outputCount;
        this.relativeValues = relativeValues;
        this.spectrum.add(relativeValues, 1);
        this.basis = basis;
        this.families = families;
        this.explained = explained;
    }

    /**
     * Decomposes the Jacobian at the network's own weights.
     *
     * @param network with at most 6,000 parameters
     * @param inputs the batch, one input a row; finite; not modified
     * @return the null space and what is known about it
     */
    public static PointSymmetries of(DenseNetwork network, Matrix inputs) {
        int p = network.layout().size();
        if (p > MOST_PARAMETERS) {
            throw new IllegalArgumentException("PointSymmetries: the network has %d parameters, expected at most %d"
                    .formatted(p, MOST_PARAMETERS));
        }
        Matrix jacobian = network.jacobian(network.parameters(), inputs).requireFinite("Jacobian at this point");
        double[] scales = scales(jacobian);
        Matrix reduced = reduced(jacobian, scales);
        Svd svd = Svd.of(reduced);
        double[] values = svd.singularValues();
        double[] relative = new double[p];
        for (int k = 0; k < values.length && values[0] > 0; k++) {
            relative[k] = values[k] / values[0];
        }
        Matrix scaledBasis = values.length > 0 && values[0] > 0 ? svd.nullSpace(RETAINED) : Matrix.identity(p);
        Matrix basis = unscaled(scaledBasis, scales);
        List<PointFamily> families = PointFamily.of(network, inputs, jacobian);
        return new PointSymmetries(
                p,
                jacobian.rows(),
                relative,
                basis,
                counted(families, scales, reduced),
                PointFamily.spanned(families, matrix -> scaled(matrix, scales)));
    }

    /** Powers of 1024 that bring the columns of the row-normalised Jacobian to a common size; 1 for zero columns. */
    private static double[] scales(Matrix jacobian) {
        double[] squares = new double[jacobian.columns()];
        for (int i = 0; i < jacobian.rows(); i++) {
            double norm = Matrix.over(1, squares.length, jacobian.row(i)).frobeniusNorm();
            for (int j = 0; j < squares.length && norm > 0; j++) {
                double ratio = jacobian.get(i, j) / norm;
                squares[j] += ratio * ratio;
            }
        }
        double[] scales = new double[squares.length];
        for (int j = 0; j < scales.length; j++) {
            double size = Math.sqrt(squares[j] * scales.length / Math.max(1, jacobian.rows()));
            scales[j] = size == 0 ? 1 : Math.pow(1024, Math.rint(-Math.log(size) / Math.log(1024)));
        }
        return scales;
    }

    /** Scales columns, brings rows to norm 1, and replaces many rows by as many as there are columns, orthogonally. */
    private static Matrix reduced(Matrix jacobian, double[] scales) {
        int p = jacobian.columns();
        Matrix rows = Matrix.zeros(jacobian.rows(), p);
        for (int i = 0; i < rows.rows(); i++) {
            for (int j = 0; j < p; j++) {
                rows.set(i, j, jacobian.get(i, j) * scales[j]);
            }
            double norm = Matrix.over(1, p, rows.row(i)).frobeniusNorm();
            for (int j = 0; j < p && norm > 0; j++) {
                rows.set(i, j, rows.get(i, j) / norm);
            }
        }
        return RowReduction.of(rows);
    }

    private static Matrix unscaled(Matrix scaledBasis, double[] scales) {
        Matrix basis = scaledBasis.copy();
        boolean changed = false;
        for (int j = 0; j < basis.rows(); j++) {
            changed |= scales[j] != 1;
            for (int k = 0; k < basis.columns(); k++) {
                basis.set(j, k, basis.get(j, k) * scales[j]);
            }
        }
        return changed && basis.columns() > 0 ? Svd.of(basis).left() : basis;
    }

    /** Keeps of every family what the decomposed Jacobian confirms. */
    private static List<PointFamily> counted(List<PointFamily> families, double[] scales, Matrix reduced) {
        for (PointFamily family : families) {
            double change = Blas.gemm(reduced, false, scaled(family.matrix(), scales), false)
                    .largestMagnitude();
            if (!(change <= CONFIRMED)) {
                throw new ArithmeticException(
                        "%s: a direction changes an output by %.1e of its row".formatted(family.words(), change));
            }
        }
        return List.copyOf(families);
    }

    /** Unit columns in the scaled coordinates. */
    private static Matrix scaled(Matrix directions, double[] scales) {
        Matrix scaled = directions.copy();
        for (int k = 0; k < scaled.columns(); k++) {
            double squares = 0;
            for (int j = 0; j < scales.length; j++) {
                double entry = directions.get(j, k) / scales[j];
                squares += entry * entry;
            }
            for (int j = 0; j < scales.length; j++) {
                scaled.set(j, k, directions.get(j, k) / scales[j] / Math.sqrt(squares));
            }
        }
        return scaled;
    }

    /**
     * Returns the number of parameters.
     *
     * @return p
     */
    public int parameterCount() {
        return parameterCount;
    }

    /**
     * Returns the number of output components.
     *
     * @return inputs times outputs
     */
    public int outputCount() {
        return outputCount;
    }

    /**
     * Returns the singular values of the scaled Jacobian over the largest.
     *
     * @return p values, largest first, zeros where there are fewer rows than parameters; a copy
     */
    public double[] relativeValues() {
        return relativeValues.clone();
    }

    /**
     * Returns the dimension of the null space by a threshold.
     *
     * @param threshold relative to the largest singular value
     * @return 0 to p
     */
    public int nullity(double threshold) {
        return Math.toIntExact(spectrum.nullity(threshold));
    }

    /**
     * Returns the dimensions by the three thresholds.
     *
     * @return by threshold, coarsest first
     */
    public Map<Double, Integer> nullities() {
        Map<Double, Integer> nullities = new LinkedHashMap<>();
        Extraction.THRESHOLDS.forEach(threshold -> nullities.put(threshold, nullity(threshold)));
        return nullities;
    }

    /**
     * Returns how clear the decision is.
     *
     * @return the least singular value above the threshold over the largest at or below it, both relative, the latter at
     *     least 2.2e-16
     */
    public double gap() {
        return spectrum.gap(RETAINED);
    }

    /**
     * Returns why the dimension is undecided.
     *
     * @return nothing when all thresholds agree and the gap is at least 100
     */
    public Optional<String> doubt() {
        return Optional.of(spectrum.doubt()).filter(doubt -> !doubt.isEmpty());
    }

    /**
     * Returns the null space.
     *
     * @return shape (p, nullity at 1e-8), columns orthonormal; a copy
     */
    public Matrix basis() {
        return basis.copy();
    }

    /**
     * Returns the kinds of direction that are known to change nothing here.
     *
     * @return they may overlap
     */
    public List<PointFamily> families() {
        return new ArrayList<>(families);
    }

    /**
     * Returns how much of the null space the known kinds span together.
     *
     * @return 0 to the nullity at 1e-8
     */
    public int explained() {
        return explained;
    }

    /**
     * Returns how much of the null space no known kind explains.
     *
     * @return the nullity at 1e-8 less {@link #explained}
     */
    public int unexplained() {
        return nullity(RETAINED) - explained;
    }
}
