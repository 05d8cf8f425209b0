package org.isoloss.installation;

import java.util.Optional;
import org.isoloss.evaluation.Quantiles;

/**
 * One transformation at one radius, over the signed coefficients of one seed (table {@code tab:pythia-installed} of the
 * paper).
 *
 * @param transformation what was done
 * @param radius that bounds the coefficient
 * @param motionPercent change of the selected weights in percent of their norm, after rounding
 * @param relative change of the model's outputs on the protected prefix, in float32
 * @param rms the same as the root mean square of one entry
 * @param cancellation of the change of the block's output
 * @param exact the relative change in float64, at the declared radius
 * @param continuation the relative change on what follows the prefix, at the declared radius
 * @param fresh the mean relative change on other texts, at the declared radius
 */
public record InstalledCell(
        Transformation transformation,
        double radius,
        Quantiles motionPercent,
        Quantiles relative,
        Quantiles rms,
        Quantiles cancellation,
        Optional<Quantiles> exact,
        Optional<Quantiles> continuation,
        Optional<Quantiles> fresh) {}
