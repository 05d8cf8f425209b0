package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.isoloss.autodiff.Pointwise;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The float32 evaluation of every activation against its float64 values. */
class FastActivationTest {
    /** The bound that {@link FastActivation} states; rounding to float32 alone costs 6e-8. */
    private static final double BOUND = 1e-6;

    @ParameterizedTest
    @EnumSource
    void valuesAndDerivativesAgreeOnAFineGrid(Activation activation) {
        assertThat(worstError(activation, activation, grid(20, 40_000))).isLessThan(BOUND);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsMagnifiedFarOut(Activation activation) {
        assertThat(worstError(activation, activation, grid(100, 4_000))).isLessThan(BOUND);
        assertThat(worstError(activation, activation, grid(1e6f, 4_000))).isLessThan(BOUND);
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGMOID", "TANH", "GELU", "SILU"})
    void tailsEndAtExactlyTheLimits(Activation activation) {
        float[] value = {-100, 100};
        float[] first = new float[2];
        float[] second = new float[2];
        activation.evaluate(value, first, second, 0, 2);
        assertThat(value[1]).isEqualTo((float) activation.value(100));
        assertThat((double) value[0]).isCloseTo(activation.value(-100), within(1e-30));
        assertThat((double) second[0]).isCloseTo(0, within(1e-30));
        assertThat((double) second[1]).isCloseTo(0, within(1e-30));
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGMOID", "TANH", "GELU", "SILU"})
    void anErrorOfThreeMillionthsIsSeen(Activation activation) {
        Pointwise off = new Pointwise() {
            @Override
            public double value(double z) {
                return activation.value(z);
            }

            @Override
            public double first(double z) {
                return activation.first(z);
            }

            @Override
            public double second(double z) {
                return activation.second(z) + 3e-6;
            }
        };
        assertThat(worstError(activation, off, grid(20, 1000))).isGreaterThan(BOUND);
    }

    private static float[] grid(float end, int steps) {
        float[] grid = new float[2 * steps + 1];
        for (int i = 0; i < grid.length; i++) {
            grid[i] = end * (i - steps) / steps;
        }
        return grid;
    }

    /** The largest error of the three, relative where the exact number is above 1. */
    private static double worstError(Activation activation, Pointwise exact, float[] z) {
        float[] value = z.clone();
        float[] first = new float[z.length];
        float[] second = new float[z.length];
        activation.evaluate(value, first, second, 0, z.length);
        double worst = 0;
        for (int i = 0; i < z.length; i++) {
            worst = Math.max(worst, error(value[i], exact.value(z[i])));
            worst = Math.max(worst, error(first[i], exact.first(z[i])));
            worst = Math.max(worst, error(second[i], exact.second(z[i])));
        }
        return worst;
    }

    private static double error(double value, double exact) {
        return Math.abs(value - exact) / Math.max(Math.abs(exact), 1);
    }
}
