package org.isoloss.discovery;

/**
 * Fixed positive scales by which residuals are divided before they are squared (appendix
 * {@code app:discovery-objectives} of the paper).
 *
 * @param output of preservation residuals: s_F, the root-mean-square output norm
 * @param motion of transport and composition residuals: s_theta times beta
 * @param field the target root-mean-square norm of the induced fields: s_theta times beta
 */
public record Normalizers(double output, double motion, double field) {
    /** Refuses scales that are not positive. */
    public Normalizers {
        if (!(output > 0 && motion > 0 && field > 0)) {
            throw new IllegalArgumentException("Normalizers: output %s, motion %s, field %s: all must be positive"
                    .formatted(output, motion, field));
        }
    }
}
