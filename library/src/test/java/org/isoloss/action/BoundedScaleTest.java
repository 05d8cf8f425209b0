package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.isoloss.autodiff.Pointwise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedScaleTest {
    /** Rounding to float32, 6e-8, four squarings and the float32 tanh. */
    private static final double SINGLE = 3e-6;

    @ParameterizedTest
    @ValueSource(doubles = {-4, -2, -0.5, 0, 1, 2, 4})
    void derivativesAreDifferencesOfTheValue(double logarithm) {
        assertThat(slopeError(new BoundedScale(logarithm), new BoundedScale(logarithm)))
                .isLessThan(1e-7);
    }

    @Test
    void aDerivativeOfAnotherScaleIsSeen() {
        assertThat(slopeError(new BoundedScale(2), new BoundedScale(-2))).isGreaterThan(1);
    }

    /** Of value and first derivative, by central differences whose error is of order step^2 times e^4. */
    private static double slopeError(Pointwise function, Pointwise derivatives) {
        double step = Math.cbrt(Math.ulp(1.0));
        double worst = 0;
        for (double z = -6; z <= 6; z += 0.01) {
            double slope = (function.value(z + step) - function.value(z - step)) / (2 * step);
            double bend = (function.first(z + step) - function.first(z - step)) / (2 * step);
            double magnitude = function.value(0) + function.value(z) + Math.abs(slope) + Math.abs(bend);
            worst = Math.max(worst, Math.abs(derivatives.first(z) - slope) / magnitude);
            worst = Math.max(worst, Math.abs(derivatives.second(z) - bend) / magnitude);
        }
        return worst;
    }

    @ParameterizedTest
    @ValueSource(doubles = {-4, -2, -0.5, 0, 1, 2, 4})
    void loopsOfBothPrecisionsAgreeWithTheFormula(double logarithm) {
        BoundedScale scale = new BoundedScale(logarithm);
        int count = 2001;
        double[][] doubles = new double[3][count];
        float[][] floats = new float[3][count];
        for (int i = 0; i < count; i++) {
            doubles[0][i] = (i - 1000) / 100.0;
            floats[0][i] = (i - 1000) / 100f;
        }
        double[] values = doubles[0].clone();
        scale.evaluate(doubles[0], doubles[1], doubles[2], 0, count);
        scale.values(values, new double[count], new double[count], 0, count);
        assertThat(values).isEqualTo(doubles[0]);
        scale.evaluate(floats[0], floats[1], floats[2], 0, count);
        for (int i = 0; i < count; i++) {
            double z = (i - 1000) / 100.0;
            double[] exact = {scale.value(z), scale.first(z), scale.second(z)};
            double magnitude = Math.exp(Math.abs(logarithm)) * 20;
            for (int order = 0; order < 3; order++) {
                assertThat(doubles[order][i]).isCloseTo(exact[order], within(1e-14 * magnitude));
                assertThat((double) floats[order][i]).isCloseTo(exact[order], within(SINGLE * magnitude));
            }
            // 1 + w is rounded as a number of size 1, also where w is near -1
            assertThat((double) floats[0][i]).isCloseTo(exact[0], within(SINGLE * Math.max(1, exact[0])));
        }
    }

    @Test
    void theScaleStaysWithinItsBounds() {
        BoundedScale scale = new BoundedScale(2);
        assertThat(scale.value(1e9)).isEqualTo(Math.exp(2));
        assertThat(scale.value(-1e9)).isEqualTo(Math.exp(-2));
        assertThatThrownBy(() -> new BoundedScale(5))
                .hasMessage("BoundedScale: the logarithm is 5.0, expected at most 4 in magnitude");
    }
}
