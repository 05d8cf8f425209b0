package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws that every matrix Lie algebra obeys, whatever its basis. */
abstract class LieAlgebraContract {
    /** The algebra under test. */
    abstract LieAlgebra algebra();

    /** Its structure, worked out by hand. */
    abstract AlgebraStructure expected();

    @Test
    void structureIsTheKnownOne() {
        assertThat(algebra().structure()).isEqualTo(expected());
    }

    @Test
    void bracketsAreClosedAndMatchTheMatrices() {
        LieAlgebra algebra = algebra();
        for (int i = 0; i < algebra.dimension(); i++) {
            for (int j = 0; j < algebra.dimension(); j++) {
                RationalMatrix commutator =
                        algebra.basis().get(i).commutator(algebra.basis().get(j));
                assertThat(algebra.coordinates(commutator))
                        .hasValue(algebra.brackets().bracket(i, j));
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void jacobi(long seed) {
        var random = new SplittableRandom(seed);
        StructureConstants brackets = algebra().brackets();
        RationalVector x = draw(random, brackets.dimension());
        RationalVector y = draw(random, brackets.dimension());
        RationalVector z = draw(random, brackets.dimension());
        assertThat(jacobiator(brackets, x, y, z).isZero()).isTrue();
        assertThat(brackets.bracket(x, y).plus(brackets.bracket(y, x)).isZero()).isTrue();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2})
    void killingFormIsInvariant(long seed) {
        var random = new SplittableRandom(seed);
        StructureConstants brackets = algebra().brackets();
        RationalMatrix form = brackets.killingForm();
        RationalVector x = draw(random, brackets.dimension());
        RationalVector y = draw(random, brackets.dimension());
        RationalVector z = draw(random, brackets.dimension());
        assertThat(value(form, brackets.bracket(x, y), z)).isEqualTo(value(form, x, brackets.bracket(y, z)));
        assertThat(form.transpose()).isEqualTo(form);
    }

    @Test
    void centerCommutesAndRadicalIsAnIdeal() {
        StructureConstants brackets = algebra().brackets();
        assertThat(brackets.bracket(brackets.center(), brackets.whole()).dimension())
                .isZero();
        assertThat(brackets.radical().contains(brackets.bracket(brackets.radical(), brackets.whole())))
                .isTrue();
        assertThat(brackets.derived()).isEqualTo(brackets.bracket(brackets.whole(), brackets.whole()));
    }

    /** Other generators of the same span, and the same algebra conjugated by an invertible matrix. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void structureDoesNotDependOnTheBasis(long seed) {
        var random = new SplittableRandom(seed);
        LieAlgebra algebra = algebra();
        List<RationalMatrix> mixed = new ArrayList<>(algebra.basis().reversed());
        for (int step = 0; step < 2 * algebra.size(); step++) {
            int row = random.nextInt(algebra.size());
            int column = (row + random.nextInt(1, algebra.size())) % algebra.size();
            Rational<BigInteger> factor = Rationals.of(random.nextInt(-2, 3), random.nextInt(1, 3));
            RationalMatrix shear = shear(algebra.size(), row, column, factor);
            RationalMatrix back = shear(algebra.size(), row, column, factor.negate());
            mixed.replaceAll(matrix -> shear.times(matrix).times(back));
        }
        LieAlgebra other = LieAlgebra.of(algebra.size(), mixed);
        assertThat(other.structure()).isEqualTo(algebra.structure());
        List<RationalMatrix> combined = new ArrayList<>(algebra.basis().reversed());
        for (int i = 1; i < combined.size(); i++) {
            combined.set(i, combined.get(i).plus(Rationals.of(random.nextInt(-3, 4), 2), combined.get(i - 1)));
        }
        assertThat(LieAlgebra.of(algebra.size(), combined).span()).isEqualTo(algebra.span());
        assertThat(LieAlgebra.generatedBy(algebra.size(), combined).span()).isEqualTo(algebra.span());
    }

    static RationalVector jacobiator(
            StructureConstants brackets, RationalVector x, RationalVector y, RationalVector z) {
        return brackets.bracket(x, brackets.bracket(y, z))
                .plus(brackets.bracket(y, brackets.bracket(z, x)))
                .plus(brackets.bracket(z, brackets.bracket(x, y)));
    }

    private static RationalMatrix shear(int size, int row, int column, Rational<BigInteger> factor) {
        return RationalMatrix.identity(size)
                .plus(factor, RationalMatrix.of(size, size, RationalVector.unit(size * size, row * size + column)));
    }

    private static RationalVector draw(SplittableRandom random, int size) {
        List<Rational<BigInteger>> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            entries.add(Rationals.of(random.nextInt(-9, 10), random.nextInt(1, 5)));
        }
        return RationalVector.of(entries);
    }

    private static Rational<BigInteger> value(RationalMatrix form, RationalVector x, RationalVector y) {
        Rational<BigInteger> sum = Rationals.ZERO;
        for (int k = 0; k < x.count(); k++) {
            sum = sum.add(x.value(k).multiply(form.row(x.index(k)).dot(y)));
        }
        return sum;
    }
}
