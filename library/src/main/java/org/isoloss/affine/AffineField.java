package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;

/** A vector field {@code A theta + b} on the parameters, with rational coefficients. Immutable. */
public final class AffineField {
    private final RationalMatrix coefficients;

    private AffineField(RationalMatrix coefficients) {
        this.coefficients = coefficients;
    }

    /**
     * Makes a field.
     *
     * @param coefficients {@code [A b]}, shape (p, p + 1)
     * @return the field
     */
    public static AffineField of(RationalMatrix coefficients) {
        if (coefficients.columns() != coefficients.rows() + 1) {
            throw new IllegalArgumentException("AffineField: coefficients of shape (%d, %d), expected p x (p + 1)"
                    .formatted(coefficients.rows(), coefficients.columns()));
        }
        return new AffineField(coefficients);
    }

    /**
     * Undoes {@link #flatten}.
     *
     * @param parameterCount p
     * @param flat length p (p + 1), row by row
     * @return the field
     */
    static AffineField of(int parameterCount, RationalVector flat) {
        return of(RationalMatrix.of(parameterCount, parameterCount + 1, flat));
    }

    /** {@return the coefficients, {@code [A b]}, shape (p, p + 1)} */
    public RationalMatrix coefficients() {
        return coefficients;
    }

    /** {@return the number of parameters, p} */
    public int parameterCount() {
        return coefficients.rows();
    }

    /** {@return the matrix that acts linearly on {@code (theta, 1)}: {@code [A b; 0 0]}, shape (p + 1, p + 1)} */
    public RationalMatrix embedded() {
        List<RationalVector> rows = new ArrayList<>();
        for (int a = 0; a < parameterCount(); a++) {
            rows.add(coefficients.row(a));
        }
        rows.add(RationalVector.zero(coefficients.columns()));
        return RationalMatrix.of(coefficients.columns(), rows);
    }

    /**
     * {@return the coefficients one after the other, the entry {@code A_ab} at {@code a (p + 1) + b} and {@code b_a} at {@code
     * a (p + 1) + p}: length p (p + 1)}
     */
    public RationalVector flatten() {
        return coefficients.flatten();
    }

    /**
     * Returns which tensors the field moves.
     *
     * @param architecture of p parameters
     * @return their names, for example {@code 0.weight} and {@code 2.weight}, in their order
     */
    public List<String> moves(Architecture architecture) {
        Set<Integer> entries = new TreeSet<>();
        var layout = architecture.layout().entries();
        for (int a = 0; a < parameterCount(); a++) {
            for (int e = 0; e < layout.size() && !coefficients.row(a).isZero(); e++) {
                if (a >= layout.get(e).offset()
                        && a < layout.get(e).offset() + layout.get(e).size()) {
                    entries.add(e);
                }
            }
        }
        return entries.stream().map(e -> layout.get(e).name()).toList();
    }

    /**
     * Returns the value at a point, in float64.
     *
     * @param theta length p; not modified
     * @return {@code A theta + b}
     */
    public double[] valueAt(double[] theta) {
        double[] value = new double[parameterCount()];
        for (int a = 0; a < value.length; a++) {
            RationalVector row = coefficients.row(a);
            for (int k = 0; k < row.count(); k++) {
                double factor = row.index(k) < theta.length ? theta[row.index(k)] : 1;
                value[a] += Rationals.toDouble(row.value(k)) * factor;
            }
        }
        return value;
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof AffineField other && coefficients.equals(other.coefficients);
    }

    @Override
    public int hashCode() {
        return coefficients.hashCode();
    }

    @Override
    public String toString() {
        return "AffineField" + coefficients.flatten();
    }
}
