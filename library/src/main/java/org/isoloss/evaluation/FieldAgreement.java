package org.isoloss.evaluation;

import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.linalg.Matrix;

/**
 * The field of the first generator coordinate by coordinate, beside its pointwise projection on the span of a reference
 * (figure {@code fig:experimental-reference-fields} of the paper).
 */
public final class FieldAgreement {
    /** Number of points in the paper. */
    public static final int POINTS = 32;

    private final Matrix learned;
    private final Matrix projected;

    private FieldAgreement(Matrix learned, Matrix projected) {
        this.learned = learned;
        this.projected = projected;
    }

    /**
     * Draws points and compares there.
     *
     * @param tested the action and where points are drawn
     * @param reference an action on the same parameters
     * @param random the stream to draw from; modified
     * @return all coordinates at {@link #POINTS} points
     */
    public static FieldAgreement of(JudgedAction tested, GroupAction reference, SplittableRandom random) {
        if (reference.parameterCount() != tested.action().parameterCount()) {
            throw new IllegalArgumentException("FieldAgreement: the reference moves %d parameters, the action %d"
                    .formatted(reference.parameterCount(), tested.action().parameterCount()));
        }
        Matrix points = tested.draw(random, POINTS);
        double[] h = tested.action().generators().get(0).entries();
        Matrix learned = tested.at(points).field(Rows.repeated(h, POINTS));
        Matrix projected = Matrix.zeros(POINTS, points.columns());
        for (int point = 0; point < POINTS; point++) {
            Matrix field = Rows.part(learned, point, 1).transpose();
            Rows.set(
                    projected,
                    point,
                    ReferenceSpan.projection(reference, points.row(point), field)
                            .entries());
        }
        return new FieldAgreement(learned, projected);
    }

    /** {@return the learned field, shape (points, p), parameter change for each unit of the coefficient} */
    public Matrix learned() {
        return learned;
    }

    /** {@return its orthogonal projection on the reference's tangent space at the same point, shape (points, p)} */
    public Matrix projected() {
        return projected;
    }
}
