package org.isoloss.lie;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;

/** Lie algebras that can be asked for by name, each with faithful matrices of Frobenius norm 1. */
public enum NamedAlgebra {
    /** Rotations of space, [x, y] = z and its cyclic shifts up to scale; its simply connected group is SU(2). */
    SO3("so(3)", rotation(1, 2), rotation(2, 0), rotation(0, 1)),
    /** Matrices of trace 0: h, e, f. */
    SL2("sl(2)", matrix(2, 0, 1, 3, -1), matrix(2, 1, 1), matrix(2, 2, 1)),
    /** All matrices of size 2: h, e, f and the identity, which is the center. */
    GL2("gl(2)", matrix(2, 0, 1, 3, -1), matrix(2, 1, 1), matrix(2, 2, 1), matrix(2, 0, 1, 3, 1)),
    /** Affine maps of a line, [x, y] = y. */
    AFF1("aff(1)", matrix(2, 0, 1), matrix(2, 1, 1)),
    /** [x, y] = z, and z commutes with both. */
    HEISENBERG("heisenberg", matrix(3, 1, 1), matrix(3, 5, 1), matrix(3, 2, 1));

    private final String text;

    @SuppressWarnings("Immutable") // generators are, though their matrices, of which they give copies, are not
    private final Generators generators;

    NamedAlgebra(String text, Matrix... matrices) {
        this.text = text;
        generators = Generators.normalising(List.of(matrices));
    }

    private static Matrix matrix(int size, double... placesAndValues) {
        Matrix matrix = Matrix.zeros(size, size);
        for (int i = 0; i < placesAndValues.length; i += 2) {
            matrix.entries()[(int) placesAndValues[i]] = placesAndValues[i + 1];
        }
        return matrix;
    }

    private static Matrix rotation(int from, int to) {
        return matrix(3, to * 3 + from, 1, from * 3 + to, -1);
    }

    /** {@return the generators, each of Frobenius norm 1} */
    public Generators generators() {
        return generators;
    }

    /**
     * Returns r commuting elements.
     *
     * @param dimension r, at least 1
     * @return diagonal matrices with a single 1
     */
    public static Generators abelian(int dimension) {
        List<Matrix> matrices = new ArrayList<>();
        for (int i = 0; i < dimension; i++) {
            matrices.add(matrix(dimension, i * dimension + i, 1));
        }
        return Generators.of(matrices);
    }

    /**
     * Finds an algebra.
     *
     * @param name for example {@code gl(2)} or {@code R^4}
     * @return its generators
     * @throws IllegalArgumentException naming what there is
     */
    public static Generators named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        if (wanted.matches("r\\^[1-9]")) {
            return abelian(wanted.charAt(2) - '0');
        }
        return Arrays.stream(values())
                .filter(algebra -> algebra.text.equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "algebra '%s' is not known; expected %s, R^1 to R^9 or a .yaml file"
                                .formatted(
                                        name,
                                        Arrays.stream(values())
                                                .map(NamedAlgebra::toString)
                                                .collect(Collectors.joining(", ")))))
                .generators;
    }

    @Override
    public String toString() {
        return text;
    }
}
