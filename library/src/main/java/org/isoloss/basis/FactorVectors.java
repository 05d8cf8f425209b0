package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;

/** The vectors along one factor of a block, at one index of its class: where they lie in the weight. */
final class FactorVectors {
    private final Factor factor;
    private final int begin;
    private final List<Factor> others = new ArrayList<>();
    private final int count;

    /**
     * Finds them.
     *
     * @param block of a weight
     * @param factor one of its factors
     * @param index classes whose channels are fixed, those of the factor's class
     * @param number which combination of these
     */
    FactorVectors(Block block, Factor factor, List<AxisClass> index, int number) {
        this.factor = factor;
        int[] places = BasisElement.places(index, number);
        int first = block.begin();
        int vectors = 1;
        for (Factor other : block.factors()) {
            int place = other.channels() == null ? -1 : index.indexOf(other.channels());
            if (place >= 0) {
                first += places[place] * other.stride();
            } else if (!other.equals(factor)) {
                others.add(other);
                vectors = Math.multiplyExact(vectors, other.size());
            }
        }
        this.begin = first;
        this.count = vectors;
    }

    /** How many there are. */
    int count() {
        return count;
    }

    /** How many numbers each has. */
    int size() {
        return factor.size();
    }

    /** Where a vector begins. */
    private int offset(int vector) {
        int left = vector;
        int at = begin;
        for (int i = others.size() - 1; i >= 0; i--) {
            at += left % others.get(i).size() * others.get(i).stride();
            left /= others.get(i).size();
        }
        return at;
    }

    /**
     * Copies vectors.
     *
     * @param numbers of the weight
     * @param first vector
     * @param some how many
     * @param rows receives them one after the other; modified
     */
    void gather(double[] numbers, int first, int some, double[] rows) {
        int n = factor.size();
        for (int vector = 0; vector < some; vector++) {
            int at = offset(first + vector);
            for (int i = 0; i < n; i++) {
                rows[vector * n + i] = numbers[at + i * factor.stride()];
            }
        }
    }

    /** Copies vectors back: the opposite of {@link #gather}. */
    void scatter(double[] rows, int first, int some, double[] numbers) {
        int n = factor.size();
        for (int vector = 0; vector < some; vector++) {
            int at = offset(first + vector);
            for (int i = 0; i < n; i++) {
                numbers[at + i * factor.stride()] = rows[vector * n + i];
            }
        }
    }
}
