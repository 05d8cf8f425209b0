package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.isoloss.evaluation.PathQuadrature.Integral;
import org.isoloss.evaluation.PathQuadrature.Rates;
import org.junit.jupiter.api.Test;

class PathQuadratureTest {
    /** Solves e' = growth e + source, e(0) = 0, on paths of one piece. */
    private static Integral solve(DoubleUnaryOperator growth, DoubleUnaryOperator source) {
        return PathQuadrature.along(new int[] {1}, 1, new double[1], nodes -> {
                    Rates rates = new Rates(nodes.size(), 1);
                    for (int i = 0; i < nodes.size(); i++) {
                        double time = nodes.get(i).time();
                        rates.set(i, growth.applyAsDouble(time), source.applyAsDouble(time));
                    }
                    return rates;
                })
                .getFirst();
    }

    @Test
    void aConstantSourceGrowsExponentially() {
        Integral integral = solve(t -> 2, t -> 3);
        assertThat(integral.source(0)).isCloseTo(1.5 * Math.expm1(2), within(1e-5));
        assertThat(integral.grown(0.5)).isCloseTo(0.5 * Math.exp(2), within(1e-14));
        assertThat(Math.abs(integral.source(0) - 1.5 * Math.expm1(2))).isLessThan(integral.error(0, 0));
    }

    /** Here e = e^(t^2) - 1. */
    @Test
    void aGrowthThatVaries() {
        Integral integral = solve(t -> 2 * t, t -> 2 * t);
        assertThat(integral.source(0)).isCloseTo(Math.expm1(1), within(1e-7));
        assertThat(Math.abs(integral.source(0) - Math.expm1(1))).isLessThan(integral.error(0, 0));
    }

    /** Norms have such kinks; the rule alone is wrong by far more. */
    @Test
    void theErrorAtAKinkIsCovered() {
        for (double kink = 0.05; kink < 1; kink += 0.05) {
            double place = kink;
            double exact = 0.5 * (place * place + (1 - place) * (1 - place));
            Integral integral = solve(t -> 0, t -> Math.abs(t - place));
            assertThat(Math.abs(integral.source(0) - exact)).isLessThan(integral.error(0, 0) + 1e-15);
            assertThat(integral.error(0, 0)).isLessThan(2e-3 * exact);
        }
    }

    /** A step changes the rule only when it passes a node: between nodes, whole and halves can agree on a wrong number. */
    @Test
    void aStepIsCoveredWhereverItIs() {
        var random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            double place = random.nextDouble();
            double below = random.nextInt(3) == 0 ? 0 : random.nextDouble();
            double above = random.nextDouble(0.05, 2) + below;
            boolean falls = random.nextBoolean();
            double first = falls ? above : below;
            double second = falls ? below : above;
            double exact = place * first + (1 - place) * second;
            Integral integral = solve(t -> 0, t -> t < place ? first : second);
            assertThat(exact)
                    .as("from %s to %s at %s", first, second, place)
                    .isLessThanOrEqualTo(integral.source(0) + integral.error(0, 0) + 1e-15);
            assertThat(integral.source(0)).isCloseTo(exact, within(0.02 * above));
            assertThat(integral.error(0, 0)).isLessThan(0.02 * above);
        }
    }

    /** Of the growth, too: e(1) is the start times exp of its integral. */
    @Test
    void aStepOfTheGrowthIsCovered() {
        var random = new SplittableRandom(2);
        for (int i = 0; i < 500; i++) {
            double place = random.nextDouble();
            double height = random.nextDouble(0.2, 3);
            Integral integral = solve(t -> t < place ? 0 : height, t -> 1);
            double grown = Math.exp(height * (1 - place));
            double source = place * grown + (grown - 1) / height;
            assertThat(grown + source)
                    .isLessThanOrEqualTo(integral.grown(1) + integral.source(0) + integral.error(0, 1));
            assertThat(source).isLessThanOrEqualTo(integral.source(0) + integral.error(0, 0));
        }
    }

    /** Two steps with a tenth of the piece between them, and three. */
    @Test
    void aPlateauIsCovered() {
        var random = new SplittableRandom(3);
        for (int i = 0; i < 1_000; i++) {
            double from = random.nextDouble(0.9);
            double to = from + random.nextDouble(0.1, 1);
            Integral integral = solve(t -> 0, t -> t > from && t < to ? 1 : 0.01);
            double exact = 0.01 + 0.99 * (Math.min(to, 1) - from);
            assertThat(exact)
                    .as("from %s to %s", from, to)
                    .isLessThanOrEqualTo(integral.source(0) + integral.error(0, 0) + 1e-15);
        }
    }

    /** What lies between two nodes as a whole cannot be seen: the result is an estimate. */
    @Test
    void aPlateauBetweenTwoNodesIsNotSeen() {
        Integral integral = solve(t -> 0, t -> t > 0.501 && t < 0.505 ? 100 : 1);
        assertThat(integral.source(0)).isCloseTo(1, within(1e-12));
        assertThat(integral.error(0, 0)).isLessThan(1e-12);
    }

    @Test
    void aPeakIsFoundByHalving() {
        Integral integral = solve(t -> 0, t -> 1 / (1e-3 + (t - 0.3) * (t - 0.3)));
        double root = Math.sqrt(1e-3);
        double exact = (Math.atan(0.7 / root) + Math.atan(0.3 / root)) / root;
        assertThat(integral.source(0)).isCloseTo(exact, within(1e-3 * exact));
        assertThat(Math.abs(integral.source(0) - exact)).isLessThan(integral.error(0, 0));
    }

    @Test
    void piecesFollowOneAnother() {
        List<Integral> paths = PathQuadrature.along(new int[] {2, 0, 1}, 1, new double[3], nodes -> {
            Rates rates = new Rates(nodes.size(), 1);
            for (int i = 0; i < nodes.size(); i++) {
                // the first piece of the first path has a source and no growth, everything else growth alone
                boolean first = nodes.get(i).path() == 0 && nodes.get(i).piece() == 0;
                rates.set(i, first ? 0 : 1, first ? 5 : 0);
            }
            return rates;
        });
        assertThat(paths.get(0).source(0)).isCloseTo(5 * Math.E, within(1e-13));
        assertThat(paths.get(0).grown(1)).isCloseTo(Math.E, within(1e-14));
        assertThat(paths.get(1).source(0)).isZero();
        assertThat(paths.get(1).grown(2)).isEqualTo(2);
        assertThat(paths.get(2).source(0)).isZero();
    }

    @Test
    void whatIsInfiniteStaysInfinite() {
        assertThat(solve(t -> 0, t -> Double.NaN).source(0)).isInfinite();
        assertThat(solve(t -> t > 0.5 ? Double.POSITIVE_INFINITY : 1, t -> 1).source(0))
                .isInfinite();
        assertThat(solve(t -> Double.POSITIVE_INFINITY, t -> 0).source(0)).isZero();
    }
}
