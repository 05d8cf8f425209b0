package org.isoloss.basis;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Centring;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.jspecify.annotations.Nullable;

/** The vectors along one factor of a block, at one index of its class: where they lie in the weight. */
final class FactorVectors {
    /** As many numbers are copied at a time, about. */
    private static final int SOME = 1 << 20;

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

    /** Takes vectors: some of them, from one on. */
    interface Part {
        void take(int first, int some);
    }

    /** Goes through all vectors, some at a time, so that copies of them take little memory. */
    void inParts(Part taker) {
        int most = Math.clamp(SOME / size(), 1, count);
        for (int first = 0; first < count; first += most) {
            taker.take(first, Math.min(most, count - first));
        }
    }

    /** Vectors, one a row. */
    Matrix rows(double[] numbers, int first, int some) {
        double[] rows = new double[some * size()];
        gather(numbers, first, some, rows);
        return Matrix.over(some, size(), rows);
    }

    /** Vectors, one a row, each entry times a number, and without what they have along ones where that is asked. */
    Matrix rows(double[] numbers, int first, int some, double @Nullable [] by, boolean isCentred) {
        Matrix rows = rows(numbers, first, some);
        for (int i = 0; by != null && i < rows.entries().length; i++) {
            rows.entries()[i] *= by[i % size()];
        }
        if (isCentred) {
            Centring.apply(rows.entries(), some, size());
        }
        return rows;
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
