package org.isoloss.evaluation;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.FieldDerivative;
import org.isoloss.action.GroupAction;
import org.isoloss.action.ParameterDerivative;
import org.isoloss.lie.NumericalClosure;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * How much of a Lie algebra acts, in three numbers that are not the same: the dimension of what does nothing anywhere (the
 * kernel of {@code h -> v_h}), of what is left of the algebra (the effective algebra, the fields as functions), and of the
 * directions that the fields have at one point (the rank of the orbit). Fields may be independent as functions and dependent
 * at every point.
 *
 * @param points number of points
 * @param generators r
 * @param algebraDimension of the Lie algebra that the generators generate
 * @param kernelDimension of the elements whose field vanishes at all points
 * @param effectiveDimension algebra less kernel; the rank of the fields at all points together
 * @param largestPointwiseRank largest dimension of the span of the fields at one point
 * @param leastPointwiseRank smallest dimension of the span of the fields at one point
 * @param fields what the effective dimension rests on; nothing where a field is not finite, and then the four numbers from
 *     the kernel on are 0
 * @param brackets whether the fields have the brackets of the generators; nothing where the action cannot say how its fields
 *     change
 * @param adjoint whether the action carries the fields along; nothing where it was not asked for, or the action cannot say how
 *     it changes with the parameters
 */
public record InfinitesimalAction(
        int points,
        int generators,
        int algebraDimension,
        int kernelDimension,
        int effectiveDimension,
        int largestPointwiseRank,
        int leastPointwiseRank,
        Optional<RankDecision> fields,
        Optional<BracketCompatibility> brackets,
        Optional<AdjointEquivariance> adjoint) {
    /** Singular values at most this times the largest count as zero: the paper's tolerance for reference directions. */
    public static final double RANK_TOLERANCE = ReferenceSpan.RANK_TOLERANCE;

    /**
     * Counts at drawn points.
     *
     * @param tested the action, and where points are drawn
     * @param adjoint whether to test adjoint equivariance too, at points of its own
     * @param random the stream to draw from; modified
     * @return the numbers from {@link ReferenceSpan#POINTS} points
     */
    public static InfinitesimalAction of(JudgedAction tested, boolean adjoint, SplittableRandom random) {
        InfinitesimalAction counted = at(tested.action(), tested.draw(random, ReferenceSpan.POINTS));
        return adjoint && tested.action() instanceof ParameterDerivative action
                ? counted.with(AdjointEquivariance.of(tested, action, random))
                : counted;
    }

    private InfinitesimalAction with(AdjointEquivariance measured) {
        return new InfinitesimalAction(
                points,
                generators,
                algebraDimension,
                kernelDimension,
                effectiveDimension,
                largestPointwiseRank,
                leastPointwiseRank,
                fields,
                brackets,
                Optional.of(measured));
    }

    /**
     * Counts at given points.
     *
     * @param action any; brackets only with two generators or more
     * @param points theta, shape (n, p), n p at least the dimension of the algebra; not modified
     * @return the numbers
     */
    public static InfinitesimalAction at(GroupAction action, Matrix points) {
        List<Matrix> algebra = NumericalClosure.of(action.generators());
        int count = points.rows();
        int columns = action.parameterCount();
        if (count * columns < algebra.size()) {
            throw new IllegalArgumentException(
                    "InfinitesimalAction: %d points of %d parameters cannot tell %d fields apart; draw at least %d points"
                            .formatted(count, columns, algebra.size(), (algebra.size() + columns - 1) / columns));
        }
        Optional<BracketCompatibility> brackets = action instanceof FieldDerivative derivative
                        && action.generators().count() > 1
                ? Optional.of(BracketCompatibility.at(derivative, points))
                : Optional.empty();
        Matrix everywhere = Matrix.zeros(count * columns, algebra.size());
        for (int element = 0; element < algebra.size(); element++) {
            double[] field = action.field(Rows.repeated(algebra.get(element).entries(), count), points)
                    .entries();
            for (int i = 0; i < field.length; i++) {
                if (!Double.isFinite(field[i])) {
                    return new InfinitesimalAction(
                            count,
                            action.generators().count(),
                            algebra.size(),
                            0,
                            0,
                            0,
                            0,
                            Optional.empty(),
                            brackets,
                            Optional.empty());
                }
                everywhere.set(i, element, field[i]);
            }
        }
        int most = 0;
        int least = Integer.MAX_VALUE;
        for (int point = 0; point < count; point++) {
            int rank = Svd.of(Rows.part(everywhere, point, columns)).rank(RANK_TOLERANCE);
            most = Math.max(most, rank);
            least = Math.min(least, rank);
        }
        RankDecision fields = RankDecision.of(everywhere, RANK_TOLERANCE);
        return new InfinitesimalAction(
                count,
                action.generators().count(),
                algebra.size(),
                algebra.size() - fields.rank(),
                fields.rank(),
                most,
                least,
                Optional.of(fields),
                brackets,
                Optional.empty());
    }
}
