package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;

/** Linear equations between bits, of which those that contradict earlier ones are passed over. */
final class BinaryEquations {
    private final List<Long> rows = new ArrayList<>(); // each has a lowest bit that no other has
    private final List<Boolean> right = new ArrayList<>();

    /**
     * Adds an equation.
     *
     * @param bits that are added modulo 2
     * @param isOdd what their sum is
     */
    void add(long bits, boolean isOdd) {
        long own = bits;
        boolean sum = isOdd;
        for (int i = 0; i < rows.size(); i++) {
            if ((own & Long.lowestOneBit(rows.get(i))) != 0) {
                own ^= rows.get(i);
                sum ^= right.get(i);
            }
        }
        if (own == 0) {
            return;
        }
        long pivot = Long.lowestOneBit(own);
        for (int i = 0; i < rows.size(); i++) {
            if ((rows.get(i) & pivot) != 0) {
                rows.set(i, rows.get(i) ^ own);
                right.set(i, right.get(i) ^ sum);
            }
        }
        rows.add(own);
        right.add(sum);
    }

    /** How many do not depend on others. */
    int rank() {
        return rows.size();
    }

    /**
     * Solves.
     *
     * @param count how many bits there are
     * @return 0 or 1 for each; 0 where nothing decides
     */
    double[] solution(int count) {
        double[] solution = new double[count];
        for (int i = 0; i < rows.size(); i++) {
            int bit = Long.numberOfTrailingZeros(rows.get(i));
            if (bit < count && right.get(i)) {
                solution[bit] = 1;
            }
        }
        return solution;
    }
}
