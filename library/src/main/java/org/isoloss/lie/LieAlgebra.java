package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Subspace;

/**
 * A Lie algebra of square rational matrices under the commutator, with everything about it computed exactly. Its basis is
 * the reduced row echelon basis of the flattened matrices, so equal algebras have equal bases. Immutable.
 */
public final class LieAlgebra {
    private final int size;
    private final Subspace span;
    private final List<RationalMatrix> basis;
    private final StructureConstants brackets;

    private LieAlgebra(int size, Subspace span, List<RationalMatrix> basis, StructureConstants brackets) {
        this.size = size;
        this.span = span;
        this.basis = basis;
        this.brackets = brackets;
    }

    /**
     * Returns the span of matrices that is already closed under commutators.
     *
     * @param size rows and columns of every matrix
     * @param matrices any number of them, dependent or not
     * @return the algebra
     * @throws NotClosedException when a commutator leaves the span
     */
    public static LieAlgebra of(int size, List<RationalMatrix> matrices) {
        Subspace span = Subspace.span(
                size * size, matrices.stream().map(matrix -> flat(size, matrix)).toList());
        List<RationalMatrix> basis = span.basis().stream()
                .map(vector -> RationalMatrix.of(size, size, vector))
                .toList();
        StructureConstants brackets = StructureConstants.of(
                basis.size(),
                (i, j) -> span.coordinates(basis.get(i).commutator(basis.get(j)).flatten())
                        .orElseThrow(() -> new NotClosedException(i, j, span.dimension())));
        return new LieAlgebra(size, span, basis, brackets);
    }

    /**
     * Adjoins commutators until there are no new ones.
     *
     * @param size rows and columns of every matrix
     * @param matrices any number of them
     * @return the smallest algebra that holds them
     */
    public static LieAlgebra generatedBy(int size, List<RationalMatrix> matrices) {
        Subspace.Builder builder = new Subspace.Builder(size * size);
        List<RationalMatrix> independent = new ArrayList<>();
        for (RationalMatrix matrix : matrices) {
            if (builder.add(flat(size, matrix))) {
                independent.add(matrix);
            }
        }
        for (int j = 1; j < independent.size(); j++) {
            for (int i = 0; i < j; i++) {
                RationalMatrix commutator = independent.get(i).commutator(independent.get(j));
                if (builder.add(commutator.flatten())) {
                    independent.add(commutator);
                }
            }
        }
        return of(size, independent);
    }

    private static RationalVector flat(int size, RationalMatrix matrix) {
        if (matrix.rows() != size || matrix.columns() != size) {
            throw new IllegalArgumentException("LieAlgebra: matrix of shape (%d, %d), expected (%d, %d)"
                    .formatted(matrix.rows(), matrix.columns(), size, size));
        }
        return matrix.flatten();
    }

    /** {@return the size of the matrices, rows and columns} */
    public int size() {
        return size;
    }

    /** {@return the dimension of the algebra, at least 0} */
    public int dimension() {
        return basis.size();
    }

    /** {@return the reduced basis, {@link #dimension} matrices} */
    public List<RationalMatrix> basis() {
        return basis;
    }

    /** {@return the span of the flattened matrices, a subspace of the vectors of length size * size} */
    public Subspace span() {
        return span;
    }

    /** {@return the bracket table in the reduced basis, the structure constants} */
    public StructureConstants brackets() {
        return brackets;
    }

    /**
     * Writes a matrix in the reduced basis.
     *
     * @param matrix of the size of the algebra's
     * @return the coordinates, or nothing when the matrix does not belong to the algebra
     */
    public Optional<RationalVector> coordinates(RationalMatrix matrix) {
        return span.coordinates(flat(size, matrix));
    }

    /**
     * Splits the algebra: radical, simple ideals, names.
     *
     * @return what the algebra is
     */
    public AlgebraStructure structure() {
        return AlgebraStructure.of(brackets);
    }

    /** The commutator of two matrices leaves their span, so the span is no Lie algebra. */
    public static final class NotClosedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        NotClosedException(int i, int j, int dimension) {
            super("LieAlgebra: the commutator of basis matrices %d and %d leaves the span of dimension %d"
                    .formatted(i + 1, j + 1, dimension));
        }
    }
}
