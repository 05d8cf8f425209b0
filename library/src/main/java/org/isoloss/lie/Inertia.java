package org.isoloss.lie;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;

/**
 * How many squares of each sign a symmetric form has, which by Sylvester's law no change of basis alters.
 *
 * @param positive number of positive squares
 * @param negative number of negative squares
 * @param zero dimension of the kernel
 */
public record Inertia(int positive, int negative, int zero) {
    /** Counts by completing squares, exactly. */
    static Inertia of(RationalMatrix form) {
        List<RationalVector> rows = new ArrayList<>();
        for (int i = 0; i < form.rows(); i++) {
            rows.add(form.row(i));
        }
        int positive = 0;
        int negative = 0;
        while (true) {
            int pivot = diagonalPivot(rows);
            if (pivot < 0 && !makeDiagonal(rows)) {
                return new Inertia(positive, negative, form.rows() - positive - negative);
            }
            if (pivot >= 0) {
                RationalVector row = rows.get(pivot);
                Rational<BigInteger> square = row.get(pivot);
                if (square.signum() > 0) {
                    positive++;
                } else {
                    negative++;
                }
                rows.replaceAll(
                        other -> other.plus(other.get(pivot).divide(square).negate(), row));
            }
        }
    }

    private static int diagonalPivot(List<RationalVector> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).get(i).isZero()) {
                return i;
            }
        }
        return -1;
    }

    /** With a zero diagonal, x_i x_j = ((x_i + x_j)^2 - ...) / 2: add row and column j to row and column i. */
    private static boolean makeDiagonal(List<RationalVector> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).isZero()) {
                int target = i;
                int source = rows.get(i).index(0);
                rows.set(target, rows.get(target).plus(rows.get(source)));
                rows.replaceAll(row -> row.plus(row.get(source), RationalVector.unit(row.size(), target)));
                return true;
            }
        }
        return false;
    }

    /** {@return whether the form is negative definite: true for the Killing form of a compact semisimple algebra} */
    public boolean isNegativeDefinite() {
        return positive == 0 && zero == 0;
    }
}
