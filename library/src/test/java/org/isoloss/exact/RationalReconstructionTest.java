package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RationalReconstructionTest {
    private static final RationalReconstruction PAPER = RationalReconstruction.PAPER;

    /** The last three entries of a null vector look like 1, 0 and -1 to a reader that rounds to integers. */
    @ParameterizedTest
    @CsvSource({
        "0.3333333333, 1/3",
        "0.3333342, 1/3",
        "0.3225806452, 10/31",
        "0.3225815, 10/31",
        "0.3225797, 10/31",
        "0.8, 4/5",
        "-0.3, -3/10",
        "-0.5, -1/2",
        "1e-9, 0",
        "-31.96875, -1023/32",
        "2.0000009, 2",
        "-0.9999991, -1"
    })
    void perturbedFractionsAreRead(double value, String expected) {
        assertThat(Rationals.text(PAPER.read(value))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyFractionWithinTheBoundSurvivesAPerturbation(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 2_000; i++) {
            Rational<BigInteger> fraction = Rationals.of(random.nextInt(-2_000, 2_001), random.nextInt(1, 33));
            double perturbed = Rationals.toDouble(fraction) + 0.99e-6 * random.nextDouble(-1, 1);
            assertThat(PAPER.read(perturbed)).isEqualTo(fraction);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nearestIsTheNearestOfAll(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 300; i++) {
            double value = random.nextDouble(-3, 3);
            double best = Double.POSITIVE_INFINITY;
            for (int denominator = 1; denominator <= 32; denominator++) {
                best = Math.min(best, Math.abs(Math.rint(value * denominator) / denominator - value));
            }
            double reached = Math.abs(Rationals.toDouble(PAPER.nearest(value)) - value);
            assertThat(reached).isLessThanOrEqualTo(best + 1e-15);
        }
    }

    @Test
    void halfwayTakesTheSmallerDenominator() {
        assertThat(new RationalReconstruction(1, 0.4).nearest(0.5)).isEqualTo(Rationals.ZERO);
        assertThat(new RationalReconstruction(1, 0.4).nearest(-0.5)).isEqualTo(Rationals.of(-1));
        assertThat(new RationalReconstruction(2, 0.1).nearest(0.75)).isEqualTo(Rationals.of(1));
    }

    @Test
    void whatIsNoSmallFractionIsRefusedWithTheNearest() {
        assertThatThrownBy(() -> PAPER.read(Math.sqrt(0.5)))
                .isInstanceOf(RationalReconstruction.NoSuchFractionException.class)
                .hasMessage("no fraction with denominator up to 32 lies within 1.0e-06 of 0.7071067811865476:"
                        + " the nearest is 12/17, 1.2e-03 away");
        assertThatThrownBy(() -> PAPER.read(1.0 / 33)).hasMessageContaining("the nearest is 1/32, 9.5e-04 away");
        assertThatThrownBy(() -> PAPER.read(Double.NaN))
                .hasMessage("RationalReconstruction: NaN, expected a finite number of magnitude up to 1e9");
    }

    @Test
    void tolerancesUnderWhichTwoFractionsCouldFitAreRefused() {
        assertThatThrownBy(() -> new RationalReconstruction(32, 1e-3))
                .hasMessage("RationalReconstruction: tolerance 0.001, expected above 0 and below 5.040322580645161E-4,"
                        + " half the distance of two fractions with denominators up to 32");
        assertThatThrownBy(() -> new RationalReconstruction(0, 1e-6))
                .hasMessage("RationalReconstruction: denominator bound 0, expected 1 to 30000");
    }
}
