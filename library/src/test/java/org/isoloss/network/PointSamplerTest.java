package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.network.NonsingularPoints.Factor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointSamplerTest {
    private static final int DRAWS = 20_000;

    @Test
    void perturbationsHaveTheirMeanAndDeviationAndAShareStays() {
        double[] centre = {3, -1, 0};
        GaussianPoints points = new GaussianPoints(centre, 0.2, 0.25);
        SplittableRandom random = new SplittableRandom(1);
        double[] drawn = new double[4];
        double[] sum = new double[3];
        double[] squares = new double[3];
        int kept = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            drawn[0] = 17;
            points.draw(random, drawn, 1);
            boolean same = true;
            for (int i = 0; i < 3; i++) {
                double away = drawn[1 + i] - centre[i];
                same &= away == 0;
                sum[i] += away;
                squares[i] += away * away;
            }
            kept += same ? 1 : 0;
        }
        assertThat(points.parameterCount()).isEqualTo(3);
        assertThat(drawn[0]).as("before the offset").isEqualTo(17);
        // six standard errors of each estimate
        assertThat((double) kept / DRAWS).isCloseTo(0.25, within(6 * Math.sqrt(0.25 * 0.75 / DRAWS)));
        for (int i = 0; i < 3; i++) {
            assertThat(sum[i] / DRAWS).isCloseTo(0, within(6 * 0.2 * Math.sqrt(0.75 / DRAWS)));
            assertThat(squares[i] / DRAWS).isCloseTo(0.75 * 0.04, within(6 * 0.04 * Math.sqrt(2.0 / DRAWS)));
        }
    }

    @Test
    void theCentreIsCopied() {
        double[] centre = {1};
        GaussianPoints points = new GaussianPoints(centre, 1e-9, 0);
        centre[0] = 5;
        double[] drawn = new double[1];
        points.draw(new SplittableRandom(1), drawn, 0);
        assertThat(drawn[0]).isCloseTo(1, within(1e-7));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void deviationsThatAreNoneAreRefused(double deviation) {
        assertThatThrownBy(() -> new GaussianPoints(new double[1], deviation, 0))
                .hasMessage("GaussianPoints: deviation %s must be positive and the original share 0.0 in [0, 1)"
                        .formatted(deviation));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1, Double.NaN})
    void sharesThatAreNoneAreRefused(double original) {
        assertThatThrownBy(() -> new GaussianPoints(new double[1], 1, original))
                .hasMessage("GaussianPoints: deviation 1.0 must be positive and the original share %s in [0, 1)"
                        .formatted(original));
    }

    /** Around the zero matrix many draws are nearly singular; none that is comes through, whatever the size. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void singularFactorsAreDrawnAgain(int size) {
        GaussianPoints gaussian = new GaussianPoints(new double[1 + size * size], 0.5, 0);
        NonsingularPoints regular = new NonsingularPoints(gaussian, List.of(new Factor(1, size)));
        SplittableRandom random = new SplittableRandom(2);
        double[] drawn = new double[1 + size * size];
        int singular = 0;
        for (int draw = 0; draw < 500; draw++) {
            gaussian.draw(random, drawn, 0);
            singular += Math.abs(determinant(drawn, size)) < 0.05 ? 1 : 0;
            regular.draw(random, drawn, 0);
            assertThat(Math.abs(determinant(drawn, size))).isGreaterThanOrEqualTo(0.05 - 1e-15);
        }
        assertThat(singular).as("singular draws of the wrapped sampler").isGreaterThan(20);
        assertThat(regular.parameterCount()).isEqualTo(1 + size * size);
    }

    @Test
    void aDistributionWithoutRegularPointsIsRefused() {
        GaussianPoints gaussian = new GaussianPoints(new double[4], 1e-3, 0);
        NonsingularPoints regular = new NonsingularPoints(gaussian, List.of(new Factor(0, 2)));
        assertThatThrownBy(() -> regular.draw(new SplittableRandom(1), new double[4], 0))
                .hasMessage(
                        "NonsingularPoints: 10000 draws in a row were singular; lower the deviation or move the centre");
        assertThatThrownBy(() -> new Factor(0, 9))
                .hasMessage("NonsingularPoints: a factor of size 9 at 0, expected sizes 1 to 8");
    }

    /** Sarrus's rule, from the second entry on. */
    private static double determinant(double[] a, int size) {
        return switch (size) {
            case 1 -> a[1];
            case 2 -> a[1] * a[4] - a[2] * a[3];
            default ->
                a[1] * a[5] * a[9]
                        + a[2] * a[6] * a[7]
                        + a[3] * a[4] * a[8]
                        - a[3] * a[5] * a[7]
                        - a[1] * a[6] * a[8]
                        - a[2] * a[4] * a[9];
        };
    }
}
