package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.checkpoint.TextFile;
import org.isoloss.lie.BracketConstants;
import org.isoloss.lie.Generators;
import org.isoloss.lie.NamedAlgebra;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * A Lie algebra that a user supplies: matrices, whose commutators give the brackets, or brackets alone.
 *
 * @param dimension number of elements r, with {@code brackets}
 * @param brackets those that are not zero, each pair once
 * @param matrices one list of rows for each element, in place of the other two keys
 */
public record AlgebraFile(
        @Nullable Integer dimension,
        @Nullable List<Bracket> brackets,
        @Nullable List<List<List<Double>>> matrices) {
    private static final int MOST = 12;

    /**
     * One bracket.
     *
     * @param of i and j, different, counted from 1
     * @param is the coordinates of {@code [e_i, e_j]}, r numbers
     */
    public record Bracket(List<Integer> of, List<Double> is) {
        /** Refuses what is left out. */
        public Bracket {
            Check.given("brackets.of", of);
            Check.given("brackets.is", is);
        }
    }

    /** Refuses an algebra that is given twice or not at all. */
    public AlgebraFile {
        Check.that(
                (matrices == null) != (brackets == null) && (brackets == null) == (dimension == null),
                "an algebra is given by 'matrices', or by 'dimension' and 'brackets'");
        Check.that(
                dimension == null || (dimension >= 1 && dimension <= MOST),
                "dimension is %s, expected 1 to %s",
                dimension,
                MOST);
    }

    /**
     * An algebra that was asked for.
     *
     * @param constants its structure constants
     * @param generators its matrices of norm 1; nothing where brackets alone were given, and then nothing can be integrated
     */
    public record Algebra(BracketConstants constants, Optional<Generators> generators) {}

    /**
     * Finds an algebra.
     *
     * @param name of a known one, or a YAML file
     * @return the algebra
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it is unknown, or no Lie algebra
     */
    public static Algebra find(String name) throws IOException {
        if (!name.matches("(?i).*\\.ya?ml")) {
            return of(NamedAlgebra.named(name));
        }
        AlgebraFile file = TaskFile.parse(name, TextFile.read(Path.of(name)), Map.of(), AlgebraFile.class);
        try {
            return file.algebra();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: %s".formatted(name, e.getMessage()), e);
        }
    }

    private static Algebra of(Generators generators) {
        return new Algebra(BracketConstants.of(generators), Optional.of(generators));
    }

    private Algebra algebra() {
        if (matrices != null) {
            return of(Generators.normalising(
                    matrices.stream().map(AlgebraFile::matrix).toList()));
        }
        int count = dimension == null ? 0 : dimension;
        Matrix pairs = Matrix.zeros(Math.max(1, BracketConstants.pairs(count)), count);
        for (Bracket bracket : brackets == null ? List.<Bracket>of() : brackets) {
            List<Integer> of = bracket.of();
            Check.that(
                    of.size() == 2
                            && of.stream().allMatch(i -> i >= 1 && i <= count)
                            && !of.get(0).equals(of.get(1)),
                    "brackets.of is %s, expected two different numbers from 1 to %s",
                    of,
                    count);
            Check.that(
                    bracket.is().size() == count,
                    "the bracket of %s has %s coordinates, expected %s",
                    of,
                    bracket.is().size(),
                    count);
            boolean forward = of.get(0) < of.get(1);
            int row = BracketConstants.pair(
                    count, Math.min(of.get(0), of.get(1)) - 1, Math.max(of.get(0), of.get(1)) - 1);
            for (int k = 0; k < count; k++) {
                Check.that(pairs.get(row, k) == 0, "the bracket of %s is given twice", of);
            }
            for (int k = 0; k < count; k++) {
                pairs.set(row, k, forward ? bracket.is().get(k) : -bracket.is().get(k));
            }
        }
        return new Algebra(BracketConstants.supplied(count, pairs), Optional.empty());
    }

    private static Matrix matrix(List<List<Double>> rows) {
        int size = rows.size();
        Matrix matrix = Matrix.zeros(size, size);
        for (int i = 0; i < size; i++) {
            Check.that(
                    rows.get(i).size() == size,
                    "matrices: a row has %s numbers, expected %s, as many as rows",
                    rows.get(i).size(),
                    size);
            for (int j = 0; j < size; j++) {
                matrix.set(i, j, rows.get(i).get(j));
            }
        }
        return matrix;
    }
}
