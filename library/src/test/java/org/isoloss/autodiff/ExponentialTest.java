package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExponentialTest {
    /** What the documentation of {@link Exponential} states, in units in the last place. */
    private static final double BOUND = 1.5;

    private static final MathContext DIGITS = new MathContext(45);

    private static double[] exponentials(double... numbers) {
        double[] values = numbers.clone();
        Exponential.replace(values, new double[values.length], 0, values.length);
        return values;
    }

    /** The Taylor series of a 1024th of the exponent, squared ten times: 40 digits at least. */
    private static BigDecimal exact(double exponent) {
        BigDecimal part = new BigDecimal(exponent).divide(BigDecimal.valueOf(1024), DIGITS);
        BigDecimal term = BigDecimal.ONE;
        BigDecimal sum = BigDecimal.ONE;
        for (int k = 1; k < 30; k++) {
            term = term.multiply(part, DIGITS).divide(BigDecimal.valueOf(k), DIGITS);
            sum = sum.add(term, DIGITS);
        }
        for (int i = 0; i < 10; i++) {
            sum = sum.multiply(sum, DIGITS);
        }
        return sum;
    }

    private static double worstError(double[] exponents, double[] values) {
        double worst = 0;
        for (int i = 0; i < exponents.length; i++) {
            BigDecimal error = exact(exponents[i]).subtract(new BigDecimal(values[i]));
            worst = Math.max(worst, error.abs().doubleValue() / Math.ulp(values[i]));
        }
        return worst;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.5, 3, 40, 700})
    void exponentialsAreExactToTheStatedBound(double size) {
        SplittableRandom random = new SplittableRandom(1);
        double[] exponents = random.doubles(2000).map(u -> size * (2 * u - 1)).toArray();
        double[] values = exponentials(exponents);
        assertThat(worstError(exponents, values)).isLessThan(BOUND);
        values[0] += 2 * Math.ulp(values[0]);
        assertThat(worstError(exponents, values)).as("an error is seen").isGreaterThan(BOUND / 2);
    }

    @Test
    void halfwayBetweenPowersOfTwoTheBoundHoldsToo() {
        double[] exponents = new double[1000];
        for (int i = 0; i < exponents.length; i++) {
            double halfway = (i - 500 + 0.5) * Math.log(2);
            exponents[i] = i % 2 == 0 ? halfway : Math.nextUp(halfway);
        }
        assertThat(worstError(exponents, exponentials(exponents))).isLessThan(BOUND);
    }

    @Test
    void theEndsOfTheRangeAreReached() {
        assertThat(exponentials(0, -0.0, -1000, 1000, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY))
                .containsExactly(1, 1, 0, Double.POSITIVE_INFINITY, 0, Double.POSITIVE_INFINITY);
        assertThat(exponentials(Double.NaN)[0]).isNaN();
        double[] large = {709.7, 709.78};
        assertThat(worstError(large, exponentials(large))).isLessThan(BOUND);
        double[] subnormal = {-708.5, -720, -740, -745};
        assertThat(worstError(subnormal, exponentials(subnormal))).isLessThan(BOUND + 1);
    }

    @Test
    void onlyTheGivenPlacesChange() {
        double[] numbers = {1, 1, 1};
        Exponential.replace(numbers, new double[3], 1, 2);
        assertThat(numbers).containsExactly(1, exponentials(1)[0], 1);
    }
}
