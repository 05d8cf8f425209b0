package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.linalg.Assignment;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Value;

/**
 * Which block of one network does what a block of another does: the assignment for which what blocks compute on the same inputs
 * correlates most, up to an affine map of each block's channels.
 */
final class BlockMatch {
    private BlockMatch() {}

    /**
     * Assigns equal blocks.
     *
     * @param things the channels of each block
     * @param ours what one network computes on some inputs, one row for each input and carried place
     * @param theirs what the other computes on the same
     * @param anySign whether a unit may do the opposite of another
     * @return for each place the block of ours that goes there
     */
    static int[] assigned(
            List<? extends Map<Value, int[]>> things,
            Map<Value, Matrix> ours,
            Map<Value, Matrix> theirs,
            boolean anySign) {
        int count = things.size();
        Matrix likeness = Matrix.zeros(count, count);
        for (Value value : things.getFirst().keySet()) {
            Matrix one = ours.get(value);
            Matrix other = theirs.get(value);
            if (one != null && other != null) {
                boolean isUnit = Objects.requireNonNull(things.getFirst().get(value)).length == 1;
                Matrix own = isUnit ? correlations(things, value, one, other) : explained(things, value, one, other);
                likeness = likeness.plus(anySign ? absolute(own) : own);
            }
        }
        return Assignment.largest(likeness);
    }

    private static Matrix absolute(Matrix matrix) {
        return Matrix.over(
                matrix.rows(),
                matrix.columns(),
                Arrays.stream(matrix.entries()).map(Math::abs).toArray());
    }

    /** The correlation of each unit of ours, a row, with each of theirs, a column. */
    private static Matrix correlations(
            List<? extends Map<Value, int[]>> things, Value value, Matrix ours, Matrix theirs) {
        int[] units = things.stream()
                .mapToInt(thing -> Objects.requireNonNull(thing.get(value))[0])
                .toArray();
        return Blas.gemm(standardized(ours, units), true, standardized(theirs, units), false);
    }

    /** Columns without their mean, of length 1; zero where they are constant. */
    private static Matrix standardized(Matrix numbers, int[] columns) {
        Matrix standardized = Matrix.zeros(numbers.rows(), columns.length);
        for (int j = 0; j < columns.length; j++) {
            double mean = 0;
            for (int i = 0; i < numbers.rows(); i++) {
                mean += numbers.get(i, columns[j]) / numbers.rows();
            }
            double square = 0;
            for (int i = 0; i < numbers.rows(); i++) {
                double own = numbers.get(i, columns[j]) - mean;
                standardized.set(i, j, own);
                square += own * own;
            }
            for (int i = 0; i < numbers.rows() && square > 0; i++) {
                standardized.set(i, j, standardized.get(i, j) / Math.sqrt(square));
            }
        }
        return standardized;
    }

    /** The share of each block of theirs, a column, that an affine map of each block of ours, a row, explains. */
    private static Matrix explained(List<? extends Map<Value, int[]>> things, Value value, Matrix ours, Matrix theirs) {
        Matrix explained = Matrix.zeros(things.size(), things.size());
        for (int i = 0; i < things.size(); i++) {
            AffineFit fit = AffineFit.of(
                    columns(ours, Objects.requireNonNull(things.get(i).get(value))));
            for (int j = 0; j < things.size(); j++) {
                Matrix goal =
                        columns(theirs, Objects.requireNonNull(things.get(j).get(value)));
                double all = goal.frobeniusNorm() / fit.size();
                double left = fit.residual(goal).frobeniusNorm();
                explained.set(i, j, all == 0 ? 0 : 1 - left / all);
            }
        }
        return explained;
    }

    static Matrix columns(Matrix numbers, int[] chosen) {
        Matrix some = Matrix.zeros(numbers.rows(), chosen.length);
        for (int i = 0; i < numbers.rows(); i++) {
            for (int j = 0; j < chosen.length; j++) {
                some.set(i, j, numbers.get(i, chosen[j]));
            }
        }
        return some;
    }
}
