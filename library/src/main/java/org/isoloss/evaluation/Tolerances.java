package org.isoloss.evaluation;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The joint numerical tolerances that an action must meet to count as a fit (paragraph of that name in appendix
 * {@code app:one-generator-setup} of the paper). Errors are judged by the worse 95th percentile of the one- and
 * two-factor cells at the declared radius; motion, the moving change and cancellation by the one-factor cell, because
 * two signed factors may cancel.
 *
 * @param radius of the cells that decide
 * @param output largest E_out
 * @param composition largest E_comp
 * @param inverse largest E_inv
 * @param transport largest transport error
 * @param subdivision largest subdivision error
 * @param motion least median motion in units of s_theta
 * @param movingChange least median change of the moving contribution in units of s_F; for split targets
 * @param cancellation largest cancellation error; for split targets
 */
public record Tolerances(
        double radius,
        double output,
        double composition,
        double inverse,
        double transport,
        double subdivision,
        double motion,
        double movingChange,
        double cancellation) {
    /** The tolerances of the paper. */
    public static final Tolerances PAPER = new Tolerances(0.5, 1e-3, 1e-2, 1e-2, 2e-2, 1e-2, 0.05, 0.005, 1e-2);

    /** Refuses numbers that are not positive and finite. */
    public Tolerances {
        double[] all = {radius, output, composition, inverse, transport, subdivision, motion, movingChange, cancellation
        };
        for (double number : all) {
            if (!(number > 0) || Double.isInfinite(number)) {
                throw new IllegalArgumentException(
                        "Tolerances: %s is no tolerance, expected a positive finite number".formatted(number));
            }
        }
    }

    /**
     * Judges the cells of an action.
     *
     * @param cells with those of one and two factors at the declared radius
     * @return each requirement by its name, those on compensation only for split targets
     * @throws IllegalArgumentException when a deciding cell is missing
     */
    public Map<String, Requirement> judge(List<ErrorCell> cells) {
        ErrorCell one = cell(cells, 1);
        ErrorCell two = cell(cells, 2);
        Map<String, Requirement> judged = new LinkedHashMap<>();
        for (Criterion criterion : Criterion.values()) {
            criterion
                    .deciding(one, two)
                    .ifPresent(value ->
                            judged.put(criterion.key(), Requirement.of(criterion.bound(), limit(criterion), value)));
        }
        return Collections.unmodifiableMap(judged);
    }

    /**
     * Tells whether an action fits: every requirement is met, and no sample of any cell was NaN or infinite.
     *
     * @param cells with those of one and two factors at the declared radius
     * @return whether it fits
     */
    public boolean fits(List<ErrorCell> cells) {
        return judge(cells).values().stream().allMatch(Requirement::met)
                && cells.stream().allMatch(cell -> cell.nonFinite().isEmpty());
    }

    /**
     * Returns the limit of a criterion.
     *
     * @param criterion any
     * @return the largest or least value allowed
     */
    public double limit(Criterion criterion) {
        return switch (criterion) {
            case OUTPUT -> output;
            case COMPOSITION -> composition;
            case INVERSE -> inverse;
            case TRANSPORT -> transport;
            case SUBDIVISION -> subdivision;
            case MOTION -> motion;
            case MOVING_CHANGE -> movingChange;
            case CANCELLATION -> cancellation;
        };
    }

    private ErrorCell cell(List<ErrorCell> cells, int factors) {
        return cells.stream()
                .filter(cell -> cell.radius() == radius && cell.factors() == factors)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Tolerances: there is no cell of radius %s with %d factor%s to judge by; add it to the grid"
                                .formatted(radius, factors, factors == 1 ? "" : "s")));
    }
}
