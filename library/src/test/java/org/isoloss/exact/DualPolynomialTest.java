package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DualPolynomialTest {
    /** The product u v is kept by (u, v) -> (c u, v / c), whose field is (u, -v). */
    @Test
    void productIsConstantAlongTheHyperbolicField() {
        DualPolynomial u = DualPolynomial.variable(2, 0, RationalVector.of(1, 0, 0));
        DualPolynomial v = DualPolynomial.variable(2, 1, RationalVector.of(0, -1, 0));
        assertThat(u.times(v).isConstantAlongField()).isTrue();
        assertThat(u.times(v).power(3).isConstantAlongField()).isTrue();
        assertThat(u.plus(v).isConstantAlongField()).isFalse();
    }

    @Test
    void smallestDefectIsSeen() {
        RationalVector almost = RationalVector.of(List.of(
                Rationals.ZERO, Rationals.parse("-999999999999999999999/1000000000000000000000"), Rationals.ZERO));
        DualPolynomial u = DualPolynomial.variable(2, 0, RationalVector.of(1, 0, 0));
        DualPolynomial v = DualPolynomial.variable(2, 1, almost);
        assertThat(u.times(v).isConstantAlongField()).isFalse();
    }

    /** (u + v)^2 - u^2 - v^2 - 2 u v is zero; along (1, u + 2 v) its derivative is zero term by term. */
    @Test
    void derivativeFollowsTheRules() {
        DualPolynomial u = DualPolynomial.variable(2, 0, RationalVector.of(0, 0, 1));
        DualPolynomial v = DualPolynomial.variable(2, 1, RationalVector.of(1, 2, 0));
        DualPolynomial minusTwo = DualPolynomial.constant(2, Rationals.of(-2));
        DualPolynomial minusOne = DualPolynomial.constant(2, Rationals.of(-1));
        DualPolynomial identity = u.plus(v)
                .power(2)
                .plus(u.power(2).times(minusOne))
                .plus(v.power(2).times(minusOne))
                .plus(u.times(v).times(minusTwo));
        assertThat(identity.isConstantAlongField()).isTrue();
        assertThat(identity.termCount()).isEqualTo(0);
        assertThat(v.isConstantAlongField()).isFalse();
        assertThat(DualPolynomial.variable(2, 1).isConstantAlongField()).isTrue();
    }

    /** f(u) with unknown f: constant only where u is. */
    @Test
    void unknownFunctionsCarryTheSlope() {
        DualPolynomial value = DualPolynomial.variable(3, 1);
        DualPolynomial slope = DualPolynomial.variable(3, 2);
        DualPolynomial still = DualPolynomial.variable(3, 0);
        DualPolynomial moving = DualPolynomial.variable(3, 0, RationalVector.of(0, 0, 0, 1));
        assertThat(still.through(value, slope).isConstantAlongField()).isTrue();
        assertThat(moving.through(value, slope).isConstantAlongField()).isFalse();
    }
}
