package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How an action did in one cell of the finite-action tests (paragraph "Finite-action tests" of appendix
 * {@code app:one-generator-setup} of the paper). Parameter norms are in units of s_theta, output norms in units of s_F,
 * and every other denominator has 1e-12 added.
 *
 * @param radius upper bound of the total absolute coefficient of a word
 * @param factors number of factors of each word
 * @param output E_out, the change of the outputs
 * @param composition E_comp, two steps against their product, relative to the motion of both
 * @param inverse E_inv, there and back against staying, relative to the motion there
 * @param transport the derivative along {@code h g} at g against the field of h where g leads, relative to that field
 * @param subdivision one exponential against four at a quarter of its coefficient, relative to its motion
 * @param cancellation the change of the moving and compensating contributions together, relative to the sum of both
 *     changes; only for split targets
 * @param motion {@code ||theta_1 - theta|| / s_theta}
 * @param motionPercent the same as a percentage of the norm of the weights
 * @param movingChange the change of the moving contribution; only for split targets
 */
public record ErrorCell(
        double radius,
        int factors,
        Quantiles output,
        Quantiles composition,
        Quantiles inverse,
        Quantiles transport,
        Quantiles subdivision,
        Optional<Quantiles> cancellation,
        Median motion,
        Median motionPercent,
        Optional<Median> movingChange) {

    /** Names the metrics of which a sample was NaN or infinite. Motion is no case of its own: output and inverse see it. */
    List<String> nonFinite() {
        List<String> found = new ArrayList<>();
        String where = " at radius %s, %d factor%s".formatted(radius, factors, factors == 1 ? "" : "s");
        note("output", output, where, found);
        note("composition", composition, where, found);
        note("inverse", inverse, where, found);
        note("transport", transport, where, found);
        note("subdivision", subdivision, where, found);
        cancellation.ifPresent(quantiles -> note("cancellation", quantiles, where, found));
        return found;
    }

    private static void note(String metric, Quantiles quantiles, String where, List<String> found) {
        if (!quantiles.allFinite()) {
            found.add(metric + where);
        }
    }
}
