package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A subspace of the rational vectors of one length, held by its reduced row echelon form: equal subspaces have equal
 * bases, so rank, membership, equality, null spaces and coordinates are all read off. Immutable.
 */
public final class Subspace {
    private final int ambient;
    private final List<RationalVector> basis;

    private Subspace(int ambient, List<RationalVector> basis) {
        this.ambient = ambient;
        this.basis = List.copyOf(basis);
    }

    /**
     * Returns the span of vectors.
     *
     * @param ambient the length of every vector
     * @param vectors any number of them, dependent or not
     * @return the smallest subspace that holds them
     */
    public static Subspace span(int ambient, Iterable<RationalVector> vectors) {
        Builder builder = new Builder(ambient);
        vectors.forEach(builder::add);
        return builder.subspace();
    }

    /**
     * Returns the vectors that every given row maps to zero.
     *
     * @param ambient the length of every row
     * @param rows linear forms
     * @return the null space
     */
    public static Subspace nullSpace(int ambient, Iterable<RationalVector> rows) {
        return span(ambient, rows).complement();
    }

    /**
     * Solves a linear system.
     *
     * @param matrix the coefficients
     * @param right the right-hand side, one entry a row
     * @return the solution whose free unknowns are 0, or nothing when there is no solution
     */
    public static Optional<RationalVector> solve(RationalMatrix matrix, RationalVector right) {
        if (right.size() != matrix.rows()) {
            throw new IllegalArgumentException("Subspace.solve: %d right-hand sides, expected %d, one a row"
                    .formatted(right.size(), matrix.rows()));
        }
        int unknowns = matrix.columns();
        Builder augmented = new Builder(unknowns + 1);
        for (int i = 0; i < matrix.rows(); i++) {
            NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();
            RationalVector row = matrix.row(i);
            for (int k = 0; k < row.count(); k++) {
                entries.put(row.index(k), row.value(k));
            }
            entries.put(unknowns, right.get(i));
            augmented.add(RationalVector.of(unknowns + 1, entries));
        }
        NavigableMap<Integer, Rational<BigInteger>> solution = new TreeMap<>();
        for (RationalVector row : augmented.subspace().basis) {
            if (row.index(0) == unknowns) {
                return Optional.empty();
            }
            solution.put(row.index(0), row.get(unknowns));
        }
        return Optional.of(RationalVector.of(unknowns, solution));
    }

    /** {@return the length of the vectors, at least 0} */
    public int ambient() {
        return ambient;
    }

    /** {@return the dimension, which is the rank of what was spanned: 0 to {@link #ambient}} */
    public int dimension() {
        return basis.size();
    }

    /**
     * {@return the reduced row echelon basis: every vector begins with a 1, where all others have a 0; ascending by {@link
     * #pivot}}
     */
    public List<RationalVector> basis() {
        return basis;
    }

    /**
     * Returns where a basis vector begins.
     *
     * @param index which basis vector, from 0
     * @return the index of its leading 1
     */
    public int pivot(int index) {
        return basis.get(index).index(0);
    }

    /**
     * Tells whether a vector belongs to the subspace.
     *
     * @param vector of length {@link #ambient}
     * @return true when it is a combination of the basis
     */
    public boolean contains(RationalVector vector) {
        return combination(coordinatesUnchecked(vector)).equals(vector);
    }

    /**
     * Tells whether another subspace lies within this one.
     *
     * @param other of the same ambient length
     * @return true when each of its vectors belongs to this one
     */
    public boolean contains(Subspace other) {
        return other.basis.stream().allMatch(this::contains);
    }

    /**
     * Writes a vector in the reduced basis.
     *
     * @param vector of length {@link #ambient}
     * @return length {@link #dimension}, or nothing when the vector does not belong to the subspace
     */
    public Optional<RationalVector> coordinates(RationalVector vector) {
        RationalVector coordinates = coordinatesUnchecked(vector);
        return combination(coordinates).equals(vector) ? Optional.of(coordinates) : Optional.empty();
    }

    /**
     * Returns a combination of the reduced basis.
     *
     * @param coordinates length {@link #dimension}
     * @return length {@link #ambient}
     */
    public RationalVector combination(RationalVector coordinates) {
        RationalVector sum = RationalVector.zero(ambient);
        for (int k = 0; k < coordinates.count(); k++) {
            sum = sum.plus(coordinates.value(k), basis.get(coordinates.index(k)));
        }
        return sum;
    }

    /**
     * Returns the span of this subspace and another.
     *
     * @param other of the same ambient length
     * @return the sum
     */
    public Subspace plus(Subspace other) {
        Builder builder = new Builder(ambient);
        basis.forEach(builder::add);
        other.basis.forEach(builder::add);
        return builder.subspace();
    }

    /**
     * {@return the vectors whose inner product with every vector of this subspace is 0, of dimension {@code ambient -
     * dimension}}
     */
    public Subspace complement() {
        Map<Integer, RationalVector> pivots = new TreeMap<>();
        basis.forEach(row -> pivots.put(row.index(0), row));
        Map<Integer, NavigableMap<Integer, Rational<BigInteger>>> free = new TreeMap<>();
        for (int i = 0; i < ambient; i++) {
            if (!pivots.containsKey(i)) {
                free.put(i, new TreeMap<>(Map.of(i, Rationals.ONE)));
            }
        }
        for (RationalVector row : basis) {
            for (int k = 1; k < row.count(); k++) {
                free.getOrDefault(row.index(k), new TreeMap<>())
                        .put(row.index(0), row.value(k).negate());
            }
        }
        List<RationalVector> vectors = new ArrayList<>();
        free.values().forEach(entries -> vectors.add(RationalVector.of(ambient, entries)));
        return span(ambient, vectors);
    }

    /**
     * Returns the vectors that belong to this subspace and to another.
     *
     * @param other of the same ambient length
     * @return the intersection
     */
    public Subspace intersection(Subspace other) {
        return complement().plus(other.complement()).complement();
    }

    private RationalVector coordinatesUnchecked(RationalVector vector) {
        if (vector.size() != ambient) {
            throw new IllegalArgumentException(
                    "Subspace: vector of length %d, expected %d".formatted(vector.size(), ambient));
        }
        NavigableMap<Integer, Rational<BigInteger>> coordinates = new TreeMap<>();
        for (int i = 0; i < basis.size(); i++) {
            coordinates.put(i, vector.get(pivot(i)));
        }
        return RationalVector.of(basis.size(), coordinates);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Subspace other && ambient == other.ambient && basis.equals(other.basis);
    }

    @Override
    public int hashCode() {
        return 31 * ambient + basis.hashCode();
    }

    @Override
    public String toString() {
        return "Subspace(" + dimension() + " of " + ambient + ")" + basis;
    }

    /** Grows a subspace vector by vector, in an echelon form that is reduced only when it is asked for. */
    public static final class Builder {
        private final int ambient;
        private final NavigableMap<Integer, RationalVector> rows = new TreeMap<>();

        /**
         * Begins with the zero subspace.
         *
         * @param ambient the length of every vector
         */
        public Builder(int ambient) {
            this.ambient = ambient;
        }

        /**
         * Adjoins a vector.
         *
         * @param vector of the ambient length
         * @return true when the dimension grew
         */
        public boolean add(RationalVector vector) {
            if (vector.size() != ambient) {
                throw new IllegalArgumentException(
                        "Subspace: vector of length %d, expected %d".formatted(vector.size(), ambient));
            }
            RationalVector rest = vector;
            while (!rest.isZero()) {
                RationalVector row = rows.get(rest.index(0));
                if (row == null) {
                    rows.put(rest.index(0), rest.scaled(rest.value(0).reciprocal()));
                    return true;
                }
                rest = rest.plus(rest.value(0).negate(), row);
            }
            return false;
        }

        /** {@return the number of independent vectors so far, at most the ambient length} */
        public int dimension() {
            return rows.size();
        }

        /** {@return the span so far; the builder may go on; the subspace} */
        public Subspace subspace() {
            NavigableMap<Integer, RationalVector> reduced = new TreeMap<>();
            for (RationalVector row : rows.descendingMap().values()) {
                RationalVector rest = row;
                for (int k = 1; k < rest.count(); ) {
                    RationalVector later = reduced.get(rest.index(k));
                    if (later == null) {
                        k++;
                    } else {
                        rest = rest.plus(rest.value(k).negate(), later);
                    }
                }
                reduced.put(rest.index(0), rest);
            }
            return new Subspace(ambient, new ArrayList<>(reduced.values()));
        }
    }
}
