package org.isoloss.installation;

import org.isoloss.evaluation.Quantiles;

/**
 * How well the stored weights keep the group law at one radius: every application is rounded, and what is stored is moved
 * on (table {@code tab:pythia-stored} of the paper).
 *
 * @param radius that bounds the coefficient
 * @param motion norm of the change of the selected weights
 * @param motionPercent the same in percent of their norm
 * @param composition distance of two steps from one, over the displacements of the two
 * @param inverse distance from the start after a step and its inverse, over the displacement of the step
 * @param rounding composition of the analytic action that moves as far: that action composes exactly, so that this is what
 *     rounding alone makes, below which nothing can be told
 */
public record StoredCell(
        double radius,
        Quantiles motion,
        Quantiles motionPercent,
        Quantiles composition,
        Quantiles inverse,
        Quantiles rounding) {}
