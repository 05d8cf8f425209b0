package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A vector of rationals that stores its nonzero entries only. Immutable. */
public final class RationalVector {
    private final int size;
    private final int[] indices;
    private final List<Rational<BigInteger>> values;

    private RationalVector(int size, int[] indices, List<Rational<BigInteger>> values) {
        this.size = size;
        this.indices = indices;
        this.values = values;
    }

    /**
     * Returns the zero vector.
     *
     * @param size its length, at least 0
     * @return no nonzero entry
     */
    public static RationalVector zero(int size) {
        return new RationalVector(size, new int[0], List.of());
    }

    /**
     * Returns a unit vector.
     *
     * @param size its length
     * @param index where the 1 is, from 0, below {@code size}
     * @return one nonzero entry
     */
    public static RationalVector unit(int size, int index) {
        return of(size, new TreeMap<>(Map.of(index, Rationals.ONE)));
    }

    /**
     * Returns a vector with the given entries.
     *
     * @param size its length
     * @param entries by index, from 0, below {@code size}; zeros are dropped; not modified
     * @return the vector
     */
    public static RationalVector of(int size, SortedMap<Integer, Rational<BigInteger>> entries) {
        Collector collector = new Collector(size, entries.size());
        for (Map.Entry<Integer, Rational<BigInteger>> entry : entries.entrySet()) {
            if (entry.getKey() < 0 || entry.getKey() >= size) {
                throw new IllegalArgumentException(
                        "RationalVector: index %d, expected 0 to %d".formatted(entry.getKey(), size - 1));
            }
            collector.add(entry.getKey(), entry.getValue());
        }
        return collector.vector();
    }

    /**
     * Returns a vector with the given entries.
     *
     * @param entries all of them, zeros included; not modified
     * @return the vector
     */
    public static RationalVector of(List<Rational<BigInteger>> entries) {
        Collector collector = new Collector(entries.size(), entries.size());
        for (int i = 0; i < entries.size(); i++) {
            collector.add(i, entries.get(i));
        }
        return collector.vector();
    }

    /**
     * Returns a vector of integers.
     *
     * @param entries all of them, zeros included; not modified
     * @return the vector
     */
    public static RationalVector of(long... entries) {
        return of(Arrays.stream(entries).mapToObj(Rationals::of).toList());
    }

    /** {@return the length, at least 0} */
    public int size() {
        return size;
    }

    /** {@return the number of nonzero entries, at least 0} */
    public int count() {
        return indices.length;
    }

    /**
     * Returns the index of a nonzero entry.
     *
     * @param position from 0, below {@link #count}
     * @return ascending in {@code position}
     */
    public int index(int position) {
        return indices[position];
    }

    /**
     * Returns a nonzero entry.
     *
     * @param position from 0, below {@link #count}
     * @return not 0
     */
    public Rational<BigInteger> value(int position) {
        return values.get(position);
    }

    /**
     * Returns an entry.
     *
     * @param index from 0, below {@link #size}
     * @return 0 where nothing is stored
     */
    public Rational<BigInteger> get(int index) {
        int position = Arrays.binarySearch(indices, index);
        return position < 0 ? Rationals.ZERO : values.get(position);
    }

    /** {@return whether every entry is 0: true for the zero vector} */
    public boolean isZero() {
        return indices.length == 0;
    }

    /**
     * Returns the vector times a number.
     *
     * @param factor any
     * @return a vector of the same length
     */
    public RationalVector scaled(Rational<BigInteger> factor) {
        if (factor.isZero()) {
            return zero(size);
        }
        return new RationalVector(
                size,
                indices,
                values.stream().map(value -> value.multiply(factor)).toList());
    }

    /**
     * Returns {@code this + other}.
     *
     * @param other of the same length
     * @return the sum
     */
    public RationalVector plus(RationalVector other) {
        return plus(Rationals.ONE, other);
    }

    /**
     * Returns {@code this - other}.
     *
     * @param other of the same length
     * @return the difference
     */
    public RationalVector minus(RationalVector other) {
        return plus(Rationals.of(-1), other);
    }

    /**
     * Returns {@code this + factor * other}.
     *
     * @param factor any
     * @param other of the same length
     * @return the sum
     */
    public RationalVector plus(Rational<BigInteger> factor, RationalVector other) {
        requireSameSize(other);
        if (factor.isZero() || other.isZero()) {
            return this;
        }
        Collector sum = new Collector(size, count() + other.count());
        int left = 0;
        int right = 0;
        while (left < count() || right < other.count()) {
            int leftIndex = left < count() ? indices[left] : Integer.MAX_VALUE;
            int rightIndex = right < other.count() ? other.indices[right] : Integer.MAX_VALUE;
            if (leftIndex < rightIndex) {
                sum.add(leftIndex, values.get(left++));
            } else if (rightIndex < leftIndex) {
                sum.add(rightIndex, other.values.get(right++).multiply(factor));
            } else {
                sum.add(
                        leftIndex,
                        values.get(left++).add(other.values.get(right++).multiply(factor)));
            }
        }
        return sum.vector();
    }

    /**
     * Returns the sum of products of entries.
     *
     * @param other of the same length
     * @return the inner product
     */
    public Rational<BigInteger> dot(RationalVector other) {
        requireSameSize(other);
        Rational<BigInteger> sum = Rationals.ZERO;
        int right = 0;
        for (int left = 0; left < count(); left++) {
            while (right < other.count() && other.indices[right] < indices[left]) {
                right++;
            }
            if (right < other.count() && other.indices[right] == indices[left]) {
                sum = sum.add(values.get(left).multiply(other.values.get(right)));
            }
        }
        return sum;
    }

    /**
     * Rounds every entry to float64.
     *
     * @return length {@link #size}
     */
    public double[] toDoubles() {
        double[] doubles = new double[size];
        for (int i = 0; i < indices.length; i++) {
            doubles[indices[i]] = Rationals.toDouble(values.get(i));
        }
        return doubles;
    }

    private void requireSameSize(RationalVector other) {
        if (other.size != size) {
            throw new IllegalArgumentException("RationalVector: lengths %d and %d differ".formatted(size, other.size));
        }
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof RationalVector other
                && size == other.size
                && Arrays.equals(indices, other.indices)
                && values.equals(other.values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(indices) + values.hashCode();
    }

    @Override
    public String toString() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < indices.length; i++) {
            entries.add(indices[i] + ": " + Rationals.text(values.get(i)));
        }
        return "RationalVector(" + size + ")" + entries;
    }

    /** Gathers entries in ascending order of their indices and drops zeros. */
    private static final class Collector {
        private final int size;
        private final int[] indices;
        private final List<Rational<BigInteger>> values = new ArrayList<>();

        Collector(int size, int capacity) {
            this.size = size;
            this.indices = new int[capacity];
        }

        void add(int index, Rational<BigInteger> value) {
            if (!value.isZero()) {
                indices[values.size()] = index;
                values.add(value);
            }
        }

        RationalVector vector() {
            return new RationalVector(size, Arrays.copyOf(indices, values.size()), values);
        }
    }
}
