package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BracketConstantsTest {
    @ParameterizedTest
    @EnumSource(NamedAlgebra.class)
    void commutatorsOfMatricesAreCombinationsByTheirConstants(NamedAlgebra algebra) {
        Generators generators = algebra.generators();
        BracketConstants constants = BracketConstants.of(generators);
        for (int i = 0; i < generators.count(); i++) {
            assertThat(generators.norm(i)).isEqualTo(1);
            for (int j = 0; j < generators.count(); j++) {
                Matrix sum = NumericalClosure.bracket(generators.get(i), generators.get(j));
                for (int k = 0; k < generators.count(); k++) {
                    sum = sum.minus(generators.get(k).scaled(constants.get(i, j, k)));
                }
                assertThat(sum.frobeniusNorm()).isLessThan(1e-14);
            }
        }
        assertThat(constants.jacobiResidual()).isLessThan(1e-14);
    }

    /** From any text on Lie algebras: of so(3) and sl(2) all is derived, aff(1) has a Killing form of rank 1. */
    @ParameterizedTest
    @CsvSource({
        "so(3), 0, 3, 0, 3, 0",
        "sl(2), 0, 3, 2, 1, 0",
        "gl(2), 1, 3, 2, 1, 1",
        "aff(1), 0, 1, 1, 0, 1",
        "heisenberg, 1, 1, 0, 0, 3",
        "R^4, 4, 0, 0, 0, 4"
    })
    void theStructureIsThatOfTheAlgebraInAnyBasis(
            String name, int center, int derived, int positive, int negative, int zero) {
        BracketConstants constants = BracketConstants.of(NamedAlgebra.named(name));
        MeasuredStructure expected =
                new MeasuredStructure(center, derived, new Inertia(positive, negative, zero), Double.POSITIVE_INFINITY);
        for (BracketConstants same : List.of(constants, inAnotherBasis(constants))) {
            MeasuredStructure found = MeasuredStructure.of(same, 1e-6);
            assertThat(found.center()).isEqualTo(expected.center());
            assertThat(found.derived()).isEqualTo(expected.derived());
            assertThat(found.killing()).isEqualTo(expected.killing());
            assertThat(found.gap()).isGreaterThan(1e6);
        }
    }

    /** {@code e'_a = sum_i b(i, a) e_i}, with b near the identity. */
    private static BracketConstants inAnotherBasis(BracketConstants constants) {
        int r = constants.dimension();
        Matrix basis = Matrix.identity(r)
                .plus(Matrix.gaussian(r, r, new SplittableRandom(3)).scaled(0.15));
        Matrix pairs = Matrix.zeros(BracketConstants.pairs(r), r);
        for (int a = 0; a < r; a++) {
            for (int b = a + 1; b < r; b++) {
                double[] bracket = new double[r];
                for (int i = 0; i < r; i++) {
                    for (int j = 0; j < r; j++) {
                        for (int k = 0; k < r; k++) {
                            bracket[k] += basis.get(i, a) * basis.get(j, b) * constants.get(i, j, k);
                        }
                    }
                }
                double[] coordinates = LinearSolve.of(basis).solve(bracket);
                for (int k = 0; k < r; k++) {
                    pairs.set(BracketConstants.pair(r, a, b), k, coordinates[k]);
                }
            }
        }
        return BracketConstants.supplied(r, pairs);
    }

    @Test
    void constantsThatBreakJacobiAreRefused() {
        // [e1, e2] = e3, [e1, e3] = e2, [e2, e3] = e1 + e2
        Matrix pairs = Matrix.of(3, 3, 0, 0, 1, 0, 1, 0, 1, 1, 0);
        assertThatThrownBy(() -> BracketConstants.supplied(3, pairs))
                .hasMessage(
                        "structure constants: [[e1, e2], e3] and its cyclic shifts add up to [0.0, 0.0, -1.0], expected 0 (Jacobi): this is no Lie algebra; correct the brackets");
        assertThat(BracketConstants.ofPairs(3, pairs).jacobiResidual()).isEqualTo(1);
    }

    @Test
    void matricesThatDoNotCloseOrDependAreRefused() {
        Matrix e = Matrix.of(2, 2, 0, 1, 0, 0);
        Matrix f = Matrix.of(2, 2, 0, 0, 1, 0);
        assertThatThrownBy(() -> BracketConstants.of(Generators.of(List.of(e, f))))
                .hasMessageContaining("the commutator of matrices 1 and 2 is 1.41 outside their span, expected 0");
        assertThatThrownBy(() -> BracketConstants.of(Generators.of(List.of(e, e.scaled(2)))))
                .hasMessage("generators: 2 matrices span 1 dimensions; leave out those that depend on the others");
    }

    @Test
    void unknownAlgebrasAreRefusedWithWhatThereIs() {
        assertThatThrownBy(() -> NamedAlgebra.named("e8"))
                .hasMessage(
                        "algebra 'e8' is not known; expected so(3), sl(2), gl(2), aff(1), heisenberg, R^1 to R^9 or a .yaml file");
    }
}
