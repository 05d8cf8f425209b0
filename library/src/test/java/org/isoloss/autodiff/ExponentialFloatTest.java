package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExponentialFloatTest {
    @Test
    void isWithinTwoUnitsInTheLastPlace() {
        var random = new SplittableRandom(4);
        float[] numbers = new float[200_000];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) (i % 2 == 0 ? random.nextDouble(-86.9, 88.7) : random.nextDouble(-1, 1));
        }
        float[] found = numbers.clone();
        Exponential.replace(found, new float[found.length], 0, found.length);
        for (int i = 0; i < numbers.length; i++) {
            double exact = Math.exp(numbers[i]);
            assertThat(Math.abs(found[i] - exact)).isLessThanOrEqualTo(2 * Math.ulp((float) exact));
        }
    }

    @Test
    void hasItsLimits() {
        float[] numbers = {
            Float.NEGATIVE_INFINITY,
            -Float.MAX_VALUE,
            -104,
            -100,
            0,
            -0f,
            88.5f,
            89,
            Float.POSITIVE_INFINITY,
            Float.NaN,
            7
        };
        Exponential.replace(numbers, new float[10], 0, 10);
        assertThat(numbers)
                .containsExactly(
                        0, 0, 0, 0, 1, 1, numbers[6], Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY, Float.NaN, 7);
        assertThat(numbers[6] / Math.exp(88.5)).isBetween(1 - 2e-7, 1 + 2e-7);
    }
}
