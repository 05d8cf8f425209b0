package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.SplittableRandom;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;

class OrbitsTest {
    private static final JudgedAction EXACT = Judged.split(new ShearAction());

    @Test
    void anExactActionDoesNotDriftButARandomTranslationDoes() {
        Orbits orbits = Orbits.of(EXACT, 0, new SplittableRandom(1));
        assertThat(orbits.generator()).isEqualTo(1);
        assertThat(orbits.times()).hasSize(61).startsWith(-0.5).endsWith(0.5).isSorted();
        assertThat(orbits.times().get(30)).isZero();
        assertThat(orbits.times().get(31)).isCloseTo(1 / 60.0, within(1e-17));
        assertThat(orbits.learned()).hasSize(61);
        assertThat(orbits.largestDrift()).isLessThan(Judged.ROUNDING);
        assertThat(Collections.max(orbits.learned())).isLessThanOrEqualTo(orbits.largestDrift());
        assertThat(orbits.random().get(30)).isZero();
        assertThat(orbits.random().getFirst()).isGreaterThan(1e-3);
        assertThat(orbits.randomFirst().getLast()).isGreaterThan(1e-3);
        assertThat(orbits.nonFinite()).isEmpty();
    }

    @Test
    void oneOutputShowsTheSignedChangesOfBothUnits() {
        Orbits.Contributions changes =
                Orbits.of(EXACT, 0, new SplittableRandom(1)).contributions().orElseThrow();
        // a rising sigmoid with a positive outgoing weight
        assertThat(changes.moving())
                .isSorted()
                .first()
                .satisfies(least -> assertThat(least).isLessThan(-0.01));
        assertThat(changes.moving().get(30)).isZero();
        for (int i = 0; i < 61; i++) {
            assertThat(changes.compensating().get(i))
                    .isCloseTo(-changes.moving().get(i), within(Judged.ROUNDING));
            assertThat(changes.sum().get(i))
                    .isCloseTo(changes.moving().get(i) + changes.compensating().get(i), within(1e-15));
        }
    }

    /** Only c and d move, by t each, so the motion at 0.3 is 0.3 sqrt(2), and no output changes. */
    @Test
    void theTranslationIsAsLongAsTheMotionOfTheAction() {
        var still = new ShearAction() {
            @Override
            double vSpeed() {
                return 0;
            }
        };
        var unit = new Calibration(0.7, 0.1);
        Orbits orbits = Orbits.of(
                new JudgedAction(still, ScalarSite.PROTECTED, ScalarSite.points(), unit), 0, new SplittableRandom(2));
        assertThat(orbits.matchedMotion()).isCloseTo(0.3 * Math.sqrt(2) / 0.7, within(1e-15));
        assertThat(orbits.learned()).containsOnly(0.0);
        assertThat(orbits.contributions().orElseThrow().moving()).containsOnly(0.0);

        // z alone decides the drift of the translation: at most |dF/dtheta| |z| t / s_F
        double slope = Math.hypot(ScalarSite.COMPENSATING, ScalarSite.OUTGOING * 1.3 / 4);
        assertThat(orbits.random().getLast()).isBetween(1e-3, slope * Math.sqrt(2) * 0.5 / 0.1);
    }

    @Test
    void aWholeTargetHasNoContributions() {
        assertThat(Orbits.of(Judged.whole(new ShearAction()), 0, new SplittableRandom(1))
                        .contributions())
                .isEmpty();
    }

    @Test
    void aCurveThatBreaksIsReported() {
        var breaking = new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                moved[ScalarSite.D] = t > 0.45 && point[ScalarSite.D] > 1 ? Double.NaN : moved[ScalarSite.D];
                return moved;
            }
        };
        Orbits orbits = Orbits.of(Judged.split(breaking), 0, new SplittableRandom(1));
        assertThat(orbits.learned()).doesNotContain(Double.NaN);
        assertThat(orbits.largestDrift()).isNaN();
        assertThat(orbits.nonFinite()).containsExactly("drift along the curves of generator 1");
    }
}
