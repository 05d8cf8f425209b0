package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LieAlgebraTest {
    @Nested
    class Gl2 extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            return LieAlgebra.of(2, units(2, 0, 2));
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(4, 1, 3, List.of(4, 3), 1, new Inertia(2, 1, 1), List.of(sl(2)), true);
        }
    }

    @Nested
    class Gl2AndGl2 extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            List<RationalMatrix> matrices = units(4, 0, 2);
            matrices.addAll(units(4, 2, 4));
            return LieAlgebra.of(4, matrices);
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(8, 2, 6, List.of(8, 6), 2, new Inertia(4, 2, 2), List.of(sl(2), sl(2)), true);
        }
    }

    /** Maps x -> A x + b of the plane: no center, and only the traceless A are brackets. */
    @Nested
    class AffinePlane extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            List<RationalMatrix> matrices = units(3, 0, 2);
            matrices.add(unit(3, 0, 2));
            matrices.add(unit(3, 1, 2));
            return LieAlgebra.of(3, matrices);
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(6, 0, 5, List.of(6, 5), 3, new Inertia(3, 1, 2), List.of(sl(2)), true);
        }
    }

    @Nested
    class Rotations extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            return LieAlgebra.generatedBy(
                    3,
                    List.of(
                            RationalMatrix.of(new long[][] {{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}}),
                            RationalMatrix.of(new long[][] {{0, 0, 0}, {0, 0, 1}, {0, -1, 0}})));
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(
                    3,
                    0,
                    3,
                    List.of(3),
                    0,
                    new Inertia(0, 3, 0),
                    List.of(new SimpleIdeal(3, new Inertia(0, 3, 0), 1)),
                    true);
        }
    }

    @Nested
    class UpperTriangular extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            List<RationalMatrix> matrices = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                for (int j = i; j < 3; j++) {
                    matrices.add(unit(3, i, j));
                }
            }
            return LieAlgebra.of(3, matrices);
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(6, 1, 3, List.of(6, 3, 1, 0), 6, new Inertia(2, 0, 4), List.of(), true);
        }
    }

    @Nested
    class Diagonal extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            return LieAlgebra.of(4, List.of(unit(4, 0, 0), unit(4, 1, 1), unit(4, 3, 3)));
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(3, 3, 0, List.of(3, 0), 3, new Inertia(0, 0, 3), List.of(), true);
        }
    }

    /** sl(2) over the field of the root of 2, as a rational algebra: simple here, but sl(2) + sl(2) over the reals. */
    @Nested
    class Sl2OverTheRootOfTwo extends LieAlgebraContract {
        @Override
        LieAlgebra algebra() {
            RationalMatrix root = RationalMatrix.of(new long[][] {{0, 2}, {1, 0}});
            List<RationalMatrix> matrices = new ArrayList<>();
            for (RationalMatrix scalar : List.of(RationalMatrix.identity(2), root)) {
                matrices.add(block(scalar, 0, 1, 1));
                matrices.add(block(scalar, 1, 0, 1));
                matrices.add(block(scalar, 0, 0, 1).plus(Rationals.ONE, block(scalar, 1, 1, -1)));
            }
            return LieAlgebra.of(4, matrices);
        }

        @Override
        AlgebraStructure expected() {
            return new AlgebraStructure(
                    6,
                    0,
                    6,
                    List.of(6),
                    0,
                    new Inertia(4, 2, 0),
                    List.of(new SimpleIdeal(6, new Inertia(4, 2, 0), 2)),
                    true);
        }
    }

    @Test
    void namesFollowTheStructure() {
        assertThat(new Gl2().algebra().structure().name()).isEqualTo("sl(2) + R");
        assertThat(new Gl2AndGl2().algebra().structure().name()).isEqualTo("sl(2) + sl(2) + R^2");
        assertThat(new AffinePlane().algebra().structure().name()).isEqualTo("sl(2) with a radical of dimension 3");
        assertThat(new Rotations().algebra().structure().name()).isEqualTo("so(3)");
        assertThat(new UpperTriangular().algebra().structure().name()).isEqualTo("solvable of dimension 6");
        assertThat(new Diagonal().algebra().structure().name()).isEqualTo("R^3");
        assertThat(new Sl2OverTheRootOfTwo().algebra().structure().name()).isEqualTo("simple(6; 4, 2)");
        assertThat(LieAlgebra.of(2, List.of()).structure().name()).isEqualTo("0");
    }

    /** E12 and E21 span no algebra, but generate the one of dimension 3 with their commutator. */
    @Test
    void closureAdjoinsWhatIsMissing() {
        List<RationalMatrix> pair = List.of(unit(2, 0, 1), unit(2, 1, 0));
        assertThatThrownBy(() -> LieAlgebra.of(2, pair))
                .isInstanceOf(LieAlgebra.NotClosedException.class)
                .hasMessage("LieAlgebra: the commutator of basis matrices 1 and 2 leaves the span of dimension 2");
        LieAlgebra closed = LieAlgebra.generatedBy(2, pair);
        assertThat(closed.dimension()).isEqualTo(3);
        assertThat(closed.coordinates(RationalMatrix.of(new long[][] {{1, 0}, {0, -1}})))
                .isPresent();
        assertThat(closed.coordinates(RationalMatrix.identity(2))).isEmpty();
    }

    @Test
    void shapesAreChecked() {
        assertThatThrownBy(() -> LieAlgebra.of(3, List.of(unit(2, 0, 1))))
                .hasMessage("LieAlgebra: matrix of shape (2, 2), expected (3, 3)");
    }

    /** A table with one sign wrong is no Lie algebra: the Jacobi law sees it. */
    @Test
    void plantedSignBreaksTheJacobiLaw() {
        StructureConstants right = new Rotations().algebra().brackets();
        StructureConstants wrong = StructureConstants.of(
                3,
                (i, j) -> i == 0 && j == 1 ? right.bracket(0, 1).plus(RationalVector.unit(3, 0)) : right.bracket(i, j));
        RationalVector x = RationalVector.unit(3, 0);
        RationalVector y = RationalVector.unit(3, 1);
        RationalVector z = RationalVector.unit(3, 2);
        assertThat(LieAlgebraContract.jacobiator(right, x, y, z).isZero()).isTrue();
        assertThat(LieAlgebraContract.jacobiator(wrong, x, y, z).isZero()).isFalse();
    }

    @Test
    void restrictionRefusesWhatIsNotClosed() {
        StructureConstants brackets = new Rotations().algebra().brackets();
        var plane = Subspace.span(3, List.of(RationalVector.unit(3, 0), RationalVector.unit(3, 1)));
        assertThatThrownBy(() -> brackets.restricted(plane))
                .hasMessage("StructureConstants.restricted: the bracket of elements 1 and 2 leaves the subspace");
    }

    /** The dimension at which the simple ideals of the largest required case are found: sl(8), 63. */
    @Test
    void gl8IsSplitQuickly() {
        AlgebraStructure structure = LieAlgebra.of(8, units(8, 0, 8)).structure();
        assertThat(structure.name()).isEqualTo("sl(8) + R");
        assertThat(structure.derivedSeries()).containsExactly(64, 63);
    }

    private static SimpleIdeal sl(int n) {
        int half = n * (n - 1) / 2;
        return new SimpleIdeal(n * n - 1, new Inertia(half + n - 1, half, 0), 1);
    }

    private static List<RationalMatrix> units(int size, int from, int to) {
        List<RationalMatrix> units = new ArrayList<>();
        for (int i = from; i < to; i++) {
            for (int j = from; j < to; j++) {
                units.add(unit(size, i, j));
            }
        }
        return units;
    }

    private static RationalMatrix unit(int size, int row, int column) {
        return RationalMatrix.of(size, size, RationalVector.unit(size * size, row * size + column));
    }

    /** The 2 x 2 matrix {@code sign * scalar} at a place of a 4 x 4 matrix of such blocks. */
    private static RationalMatrix block(RationalMatrix scalar, int blockRow, int blockColumn, int sign) {
        RationalVector flat = RationalVector.zero(16);
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                RationalVector place = RationalVector.unit(16, (2 * blockRow + i) * 4 + 2 * blockColumn + j);
                flat = flat.plus(scalar.get(i, j).multiply(Rationals.of(sign)), place);
            }
        }
        return RationalMatrix.of(4, 4, flat);
    }
}
