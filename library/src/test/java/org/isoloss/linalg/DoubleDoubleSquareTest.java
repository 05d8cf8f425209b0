package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import org.junit.jupiter.api.Test;

class DoubleDoubleSquareTest extends SquareContract<DoubleDoubleSquare> {
    @Override
    DoubleDoubleSquare make(int n) {
        return new DoubleDoubleSquare(n);
    }

    @Override
    double roundoff() {
        return 0x1p-104;
    }

    @Test
    void integersDivide() {
        DoubleDoubleSquare one = make(1);
        one.set(0, 0, 1, 0);
        one.divide(3);
        BigDecimal third = BigDecimal.ONE.divide(BigDecimal.valueOf(3), new MathContext(50));
        BigDecimal computed = new BigDecimal(one.high(0, 0)).add(new BigDecimal(one.low(0, 0)));
        assertThat(computed.subtract(third).abs().doubleValue()).isLessThan(roundoff());
        DoubleDoubleSquare exact = make(1);
        exact.set(0, 0, 3 * 0x1.0000000000002p52, 1.5 * 0x1p-10);
        exact.divide(3);
        assertThat(exact.high(0, 0)).isEqualTo(0x1.0000000000002p52);
        assertThat(exact.low(0, 0)).isEqualTo(0x1p-11);
    }
}
