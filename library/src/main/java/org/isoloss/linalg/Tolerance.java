package org.isoloss.linalg;

/** The one rule for relative tolerances of rank decisions. */
final class Tolerance {
    private Tolerance() {}

    /** Refuses a tolerance outside (0, 1): rounding leaves no exact zeros, so with 0 every matrix has full rank. */
    static void require(String where, double relTol) {
        if (!(relTol > 0 && relTol < 1)) {
            throw new IllegalArgumentException(
                    "%s: relative tolerance %s, expected between 0 and 1, such as 1e-10; rounding leaves no exact zeros"
                            .formatted(where, relTol));
        }
    }

    /**
     * Counts the leading values above the tolerance.
     *
     * @param values magnitudes, largest first, finite; not modified
     */
    static int count(String where, double[] values, double relTol) {
        require(where, relTol);
        int count = 0;
        while (count < values.length && values[count] > relTol * values[0]) {
            count++;
        }
        return count;
    }
}
