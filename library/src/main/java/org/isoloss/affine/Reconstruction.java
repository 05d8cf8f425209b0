package org.isoloss.affine;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.isoloss.exact.RationalReconstruction;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;

/**
 * Reads fields with rational coefficients off a floating-point basis of their span (label {@code app:frontier-recovery}):
 * pivoted QR chooses coordinates in which the basis can be solved for unit vectors, and every other coefficient must then
 * be a fraction of small denominator.
 *
 * @param span the flattened fields, exactly; of the dimension of the floating-point basis
 * @param largestError the largest distance between a coefficient and the fraction read for it
 */
record Reconstruction(Subspace span, double largestError) {

    /** Throws {@link RationalReconstruction.NoSuchFractionException} when a coefficient is no small fraction. */
    static Reconstruction of(int parameterCount, List<FieldEstimate> estimates) {
        int ambient = Math.multiplyExact(parameterCount, parameterCount + 1);
        Map<Grading.Block, List<FieldEstimate>> blocks = new LinkedHashMap<>();
        estimates.forEach(estimate ->
                blocks.computeIfAbsent(estimate.block(), _ -> new ArrayList<>()).add(estimate));
        List<RationalVector> vectors = new ArrayList<>();
        double largestError = 0;
        for (Map.Entry<Grading.Block, List<FieldEstimate>> block : blocks.entrySet()) {
            Matrix basis = echelon(block.getValue());
            for (int i = 0; i < basis.rows(); i++) {
                NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
                for (int j = 0; j < basis.columns(); j++) {
                    Rational<BigInteger> fraction = RationalReconstruction.PAPER.read(basis.get(i, j));
                    entries.put(block.getKey().unknown(j), fraction);
                    largestError = Math.max(largestError, Math.abs(Rationals.toDouble(fraction) - basis.get(i, j)));
                }
                vectors.add(RationalVector.of(ambient, entries));
            }
        }
        Subspace span = Subspace.span(ambient, vectors);
        if (span.dimension() != estimates.size()) {
            throw new RationalReconstruction.NoSuchFractionException(
                    "the fractions read span dimension %d, the estimates %d"
                            .formatted(span.dimension(), estimates.size()));
        }
        return new Reconstruction(span, largestError);
    }

    /** The same span in the basis that is the identity on the first pivots. */
    private static Matrix echelon(List<FieldEstimate> estimates) {
        int k = estimates.size();
        int n = estimates.getFirst().size();
        Matrix rows = Matrix.zeros(k, n);
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < n; j++) {
                rows.set(i, j, estimates.get(i).coefficient(j));
            }
        }
        int[] pivots = PivotedQr.of(rows).pivots();
        Matrix square = Matrix.zeros(k, k);
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < k; j++) {
                square.set(i, j, rows.get(i, pivots[j]));
            }
        }
        return LinearSolve.of(square).solve(rows);
    }
}
