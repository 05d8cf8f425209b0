package org.isoloss.evaluation;

import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;

/** What one group word makes of one point, in the measures of the tests: how far it moves, and the output error. */
public final class AppliedWord {
    private final boolean identity;
    private final double length;
    private final Matrix moved;
    private final double motionPercent;
    private final double outputError;

    private AppliedWord(boolean identity, double length, Matrix moved, double motionPercent, double outputError) {
        this.identity = identity;
        this.length = length;
        this.moved = moved;
        this.motionPercent = motionPercent;
        this.outputError = outputError;
    }

    /**
     * Applies a word. One that is the identity of the group up to rounding moves nothing at all.
     *
     * @param tested the action, and what it is judged by
     * @param word of the action's generators, whose coefficients count in these as they are
     * @param origin the point theta, length p; not modified
     * @return the moved point and its measures
     * @throws IllegalArgumentException when the word names a generator that is not there, or the moved point is not finite
     */
    public static AppliedWord of(JudgedAction tested, GroupWord word, double[] origin) {
        Generators generators = tested.action().generators();
        Matrix point = Matrix.of(1, origin.length, origin);
        Matrix element = word.matrix(generators);
        boolean identity = word.isIdentity(generators);
        Matrix moved = identity
                ? point
                : tested.action().apply(Matrix.of(1, element.entries().length, element.entries()), point);
        moved.requireFinite("the moved weights");
        double unit = tested.calibration().parameterScale();
        double[] motion = Rows.distances(point, moved, unit);
        return new AppliedWord(
                identity,
                word.length(generators),
                moved,
                CellSamples.percent(tested, point, motion)[0],
                OutputChange.between(tested, point, moved).total()[0]);
    }

    /** {@return whether the word is the identity of the group, up to the rounding of its exponentials} */
    public boolean isIdentity() {
        return identity;
    }

    /** {@return the length of the group path, sum |t| ||h||, at least 0: what training and tests bound by a radius} */
    public double length() {
        return length;
    }

    /** {@return the moved point, length p; a copy} */
    public double[] moved() {
        return moved.row(0);
    }

    /** {@return the metric {@code motion_percent}: 100 ||theta' - theta|| over the norm of the moving weights} */
    public double motionPercent() {
        return motionPercent;
    }

    /** {@return the metric {@code output}: ||F(theta') - F(theta)|| / s_F, of all protected outputs together, in float64} */
    public double outputError() {
        return outputError;
    }
}
