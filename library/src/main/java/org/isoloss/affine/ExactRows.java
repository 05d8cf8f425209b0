package org.isoloss.affine;

import java.util.List;
import org.isoloss.exact.ModularRank;

/**
 * Constraints {@code J [A b] (theta, 1) = 0} that every field of the class satisfies, without rounding: their coefficients
 * at the unknowns, modulo {@link ModularRank#PRIME}. Along a ray {@code t -> t theta} the constraint is a power series in t,
 * {@code J(t theta) (t A theta + b)}, and each of its coefficients must vanish: {@code J_(k-1) A theta + J_k b = 0}.
 */
final class ExactRows {
    private final long[] theta;
    private final int length;

    /** Output, parameter, order. */
    private final List<List<long[]>> jacobian;

    ExactRows(long[] theta, int length, List<List<long[]>> jacobian) {
        this.theta = theta;
        this.length = length;
        this.jacobian = jacobian;
    }

    /** The number of rows. */
    int count() {
        return jacobian.size() * length;
    }

    /** The coefficient of {@code A_ab}, or of {@code b_a} where b is p. */
    long coefficient(int row, int a, int b) {
        long[] series = jacobian.get(row / length).get(a);
        int order = row % length;
        if (b == theta.length) {
            return series[order];
        }
        int before = length == 1 ? 0 : order - 1;
        return before < 0 ? 0 : series[before] * theta[b] % ModularRank.PRIME;
    }
}
