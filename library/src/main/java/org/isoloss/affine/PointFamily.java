package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/** Directions of one kind that change no output of a network on a batch, for a reason that can be read. */
public final class PointFamily {
    /** Well above rounding, and well below {@link #INDEPENDENT}, so that an error makes no dimension. */
    private static final double CONFIRMED = 1e-11;

    private static final double INDEPENDENT = 1e-8;

    /** How the directions of a family stand to each other and to those of other families. */
    enum Role {
        /** Closed forms, which hold without a rank decision; they may depend on each other, or be 0. */
        EXACT,

        /** Closed forms on slopes that float64 may have wrong. */
        SEEN,

        /** Single weights, which hold without a rank decision. */
        SINGLE_WEIGHTS,

        /** Independent solutions of equations in float64. */
        SOLVED,

        /** The same, in the last layer alone. */
        LAST_LAYER,

        /** One for each weight before the last layer, beginning with that weight. */
        COMPENSATED
    }

    private final String words;
    private final Role role;
    private final List<double[]> directions;
    private final int size;

    private PointFamily(String words, Role role, List<double[]> directions, int size) {
        this.words = words;
        this.role = role;
        this.directions = directions;
        this.size = size;
    }

    /**
     * Takes directions together.
     *
     * @param directions each of length p; not modified
     */
    static PointFamily of(String words, Role role, List<double[]> directions) {
        return new PointFamily(words, role, List.copyOf(directions), directions.size());
    }

    /**
     * Returns the family of those directions that the Jacobian confirms.
     *
     * @param scaling of the Jacobian
     * @param reduced its scaled rows
     * @return nothing where all directions are 0 or refuted
     */
    Optional<PointFamily> confirmed(Equilibration scaling, Matrix reduced) {
        Matrix scaled = scaling.scaled(columns(directions));
        Matrix changes = Blas.gemm(reduced, false, scaled, false);
        List<double[]> kept = new ArrayList<>();
        for (int k = 0; k < directions.size(); k++) {
            boolean zero = Arrays.stream(directions.get(k)).allMatch(entry -> entry == 0);
            double change = Matrix.over(1, changes.rows(), changes.column(k)).largestMagnitude();
            if (!zero && change <= CONFIRMED) {
                kept.add(directions.get(k));
            }
        }
        return kept.isEmpty()
                ? Optional.empty()
                : Optional.of(new PointFamily(
                        words,
                        role,
                        kept,
                        role == Role.EXACT || role == Role.SEEN ? rank(scaling.scaled(columns(kept))) : kept.size()));
    }

    /** Whether the Jacobian refuted a direction, so that it is not that of the network. */
    boolean refutedBy(Optional<PointFamily> confirmed) {
        long given = directions.stream()
                .filter(direction -> Arrays.stream(direction).anyMatch(entry -> entry != 0))
                .count();
        return given > confirmed.map(family -> family.directions.size()).orElse(0);
    }

    /** The dimension that confirmed families span together in a null space, given in scaled coordinates. */
    static int spanned(List<PointFamily> families, Equilibration scaling, Matrix nullSpace) {
        if (families.stream().anyMatch(family -> family.role == Role.COMPENSATED)) {
            // whatever changes the layers before is compensated up to a change of the last layer that changes nothing
            int together = families.stream()
                    .filter(family -> family.role == Role.COMPENSATED || family.role == Role.LAST_LAYER)
                    .mapToInt(PointFamily::size)
                    .sum();
            return Math.min(together, nullSpace.columns());
        }
        List<double[]> all = new ArrayList<>();
        families.forEach(family -> all.addAll(family.directions));
        return all.isEmpty() ? 0 : rank(Blas.gemm(nullSpace, true, scaling.scaled(columns(all)), false));
    }

    private static int rank(Matrix directions) {
        double[] values = Svd.valuesOf(directions);
        return (int) Arrays.stream(values)
                .filter(value -> value > INDEPENDENT * values[0])
                .count();
    }

    /**
     * Says what they are.
     *
     * @return a phrase with the layer and, where it helps, the units
     */
    public String words() {
        return words;
    }

    /** {@return the number of independent directions, at least 1} */
    public int size() {
        return size;
    }

    /** Whether they hold without a rank decision in float64. */
    boolean isExact() {
        return role == Role.EXACT || role == Role.SINGLE_WEIGHTS;
    }

    private static Matrix columns(List<double[]> columns) {
        Matrix matrix = Matrix.zeros(columns.getFirst().length, columns.size());
        for (int k = 0; k < columns.size(); k++) {
            for (int j = 0; j < matrix.rows(); j++) {
                matrix.set(j, k, columns.get(k)[j]);
            }
        }
        return matrix;
    }
}
