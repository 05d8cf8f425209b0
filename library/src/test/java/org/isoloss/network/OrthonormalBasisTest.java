package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrthonormalBasisTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void spansTheColumnsAndDependsOnRoundingByRoundingOnly(long seed) {
        var random = new SplittableRandom(seed);
        Matrix independent = Networks.gaussian(random, 9, 4);
        Matrix a = independent.times(Networks.gaussian(random, 4, 6));
        OrthonormalBasis basis = OrthonormalBasis.of(a, "none");
        assertThat(basis.q().columns()).isEqualTo(4);
        assertThat(basis.q()
                        .transpose()
                        .times(basis.q())
                        .minus(Matrix.identity(4))
                        .largestMagnitude())
                .isLessThan(1e-14);
        assertThat(basis.q().times(basis.r()).minus(a).largestMagnitude()).isLessThan(1e-13);
        for (int draw = 0; draw < 10; draw++) {
            Matrix rounded = a.copy();
            for (int i = 0; i < rounded.entries().length; i++) {
                rounded.entries()[i] *= 1 + 1e-14 * random.nextGaussian();
            }
            Matrix q = OrthonormalBasis.of(rounded, "none").q();
            assertThat(q.minus(basis.q()).largestMagnitude()).isLessThan(1e-11);
        }
    }

    @Test
    void aLargeColumnDoesNotHideASmallOneAndTheFirstOfEqualOnesIsTaken() {
        OrthonormalBasis basis =
                OrthonormalBasis.of(Matrix.of(3, 4, 0, 1e20, 1e-9, 1e-9, 0, 0, 1e-9, 1e-9, 0, 0, 0, 0), "none");
        assertThat(basis.q().columns()).isEqualTo(2);
        assertThat(basis.q().column(0)).containsExactly(1, 0, 0);
        assertThat(basis.q().column(1)).containsExactly(new double[] {0, 1, 0}, within(1e-15));
        assertThatThrownBy(() -> OrthonormalBasis.of(Matrix.zeros(2, 2), "every input is zero"))
                .hasMessage("every input is zero");
    }
}
