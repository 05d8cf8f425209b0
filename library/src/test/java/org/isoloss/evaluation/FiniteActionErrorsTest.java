package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Calibration;
import org.isoloss.network.GaussianPoints;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FiniteActionErrorsTest {
    private static final double DEFECT = 1e-4;

    @Test
    void nothingIsSeenInAnExactAction() {
        List<ErrorCell> cells = Judged.cells(Judged.split(new ShearAction()));
        assertThat(Judged.seen(cells)).isEmpty();
        assertThat(Tolerances.PAPER.fits(cells)).isTrue();
    }

    /** Each law is broken alone, and exactly the metric that watches it sees it. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenLaws")
    void exactlyTheMetricOfABrokenLawSeesIt(String metric, GroupAction broken) {
        assertThat(Judged.seen(Judged.cells(Judged.whole(broken)))).containsExactly(metric);
    }

    static Stream<Arguments> brokenLaws() {
        return Stream.of(
                Arguments.of("output", Named.of("compensation", new ShearAction() {
                    @Override
                    double compensation() {
                        return 1 + DEFECT;
                    }
                })),
                // only the product of two words is longer than the radius
                Arguments.of("composition", Named.of("long words", shifting((t, point) -> Math.abs(t) > 0.5))),
                // c is 0 at first: only the inverse of what came before leads back there
                Arguments.of(
                        "inverse",
                        Named.of("the way back", shifting((t, point) -> t != 0 && point[ScalarSite.C] == -t))),
                // only the last quarter begins where three of its kind lead
                Arguments.of(
                        "subdivision",
                        Named.of(
                                "the last quarter",
                                shifting((t, point) -> t != 0 && point[ScalarSite.C] == t + t + t))),
                Arguments.of("transport", Named.of("derivatives away from the identity", new ShearAction() {
                    @Override
                    double[] velocity(double t, double[] point) {
                        double[] velocity = super.velocity(t, point);
                        velocity[ScalarSite.D] += t == 0 ? 0 : DEFECT;
                        return velocity;
                    }
                })));
    }

    private interface Condition {
        boolean holds(double t, double[] point);
    }

    /** Shifts d, which no output depends on, where a condition holds. */
    private static GroupAction shifting(Condition condition) {
        return new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                moved[ScalarSite.D] += condition.holds(t, point) ? DEFECT : 0;
                return moved;
            }
        };
    }

    @Test
    void aBrokenCompensationIsAlsoSeenAsMissingCancellation() {
        GroupAction broken = new ShearAction() {
            @Override
            double compensation() {
                return 1 + DEFECT;
            }
        };
        List<ErrorCell> cells = Judged.cells(Judged.split(broken));
        assertThat(Judged.seen(cells)).containsExactly("output", "cancellation");
        // the two changes are in the ratio 1 : 1 + defect
        assertThat(cells.getFirst().cancellation().orElseThrow().p50()).isCloseTo(DEFECT / (2 + DEFECT), within(1e-11));
    }

    @Test
    void motionIsMeasuredInBothUnits() {
        JudgedAction tested = new JudgedAction(
                new ShearAction() {
                    @Override
                    double vSpeed() {
                        return 0;
                    }
                },
                ScalarSite.PROTECTED,
                new GaussianPoints(new double[] {3, 0, 4, 0}, 1e-9, 0),
                new Calibration(2, 1));
        var words = WordDistribution.exactly(0.5, 1);
        ErrorCell cell = new CellSamples(tested, words, 4001, new SplittableRandom(3)).measure();
        // c and d move by t, |t| uniform on [0.1, 0.5] with median 0.3; standard error of the median 0.4 / 2 /
        // sqrt(4001)
        assertThat(cell.motion().p50()).isCloseTo(0.3 * Math.sqrt(2) / 2, within(5 * 0.0032 * 0.71));
        assertThat(cell.motionPercent().p50()).isCloseTo(100 * cell.motion().p50() * 2 / 5, within(1e-6));
        assertThat(cell.movingChange().orElseThrow().p50()).isZero();
    }

    /** An action that obeys no law, in two generators that do not commute; every metric is recomputed sample by sample. */
    @ParameterizedTest(name = "{0} factors")
    @ValueSource(ints = {1, 3})
    void metricsAreThoseOfThePaper(int factors) {
        GroupAction lawless = new LawlessAction();
        JudgedAction tested = Judged.split(lawless);
        var words = WordDistribution.exactly(0.8, factors);
        int samples = 40;
        double unit = tested.calibration().parameterScale();
        double outputUnit = tested.calibration().outputScale();

        var random = new SplittableRandom(11);
        var sampler = new WordSampler(words, 2);
        double[][] points = new double[samples][4];
        for (double[] point : points) {
            ScalarSite.points().draw(random, point, 0);
        }
        double[][] errors = new double[6][samples];
        double[][] sizes = new double[3][samples];
        for (int i = 0; i < samples; i++) {
            GroupWord w1 = sampler.draw(random);
            GroupWord w2 = sampler.draw(random);
            Matrix h = lawless.generators().get(random.nextInt(2));
            GroupWord.Factor begin = w1.factors().getFirst();
            double length = begin.coefficient() < 0 ? -w1.length() : w1.length();
            GroupWord whole = GroupWord.of(List.of(new GroupWord.Factor(begin.generator(), length)));
            GroupWord quarter = GroupWord.of(List.of(new GroupWord.Factor(begin.generator(), length / 4)));
            Matrix theta = Matrix.of(1, 4, points[i]);
            Matrix one = apply(lawless, w1, theta);
            Matrix two = apply(lawless, w2, one);
            Matrix together = apply(lawless, w1.then(w2), theta);
            Matrix back = apply(lawless, w1.inverse(), one);
            Matrix quarters = theta;
            for (int k = 0; k < 4; k++) {
                quarters = apply(lawless, quarter, quarters);
            }
            Matrix step = apply(lawless, whole, theta);
            Matrix g = w1.matrix(lawless.generators());
            Matrix along = lawless.derivative(flat(g), flat(h.times(g)), theta);
            Matrix there = lawless.field(flat(h), one);
            double motion = distance(one, theta);
            double changeB = distance(
                    ScalarSite.PROTECTED.compensatingOutputs(one), ScalarSite.PROTECTED.compensatingOutputs(theta));
            double changeC =
                    distance(ScalarSite.PROTECTED.movingOutputs(one), ScalarSite.PROTECTED.movingOutputs(theta));
            double change = distance(ScalarSite.PROTECTED.outputs(one), ScalarSite.PROTECTED.outputs(theta));
            errors[0][i] = change / outputUnit;
            errors[1][i] = distance(two, together) / (motion + distance(two, one));
            errors[2][i] = distance(back, theta) / motion;
            errors[3][i] = distance(along, there) / there.frobeniusNorm();
            errors[4][i] = distance(step, quarters) / distance(step, theta);
            errors[5][i] = change / (changeB + changeC);
            sizes[0][i] = motion / unit;
            sizes[1][i] = 100 * motion / theta.frobeniusNorm();
            sizes[2][i] = changeC / outputUnit;
        }

        ErrorCell cell = new CellSamples(tested, words, samples, new SplittableRandom(11)).measure();
        assertThat(cell.radius()).isEqualTo(0.8);
        assertThat(cell.factors()).isEqualTo(factors);
        assertClose(cell.output(), errors[0]);
        assertClose(cell.composition(), errors[1]);
        assertClose(cell.inverse(), errors[2]);
        assertClose(cell.transport(), errors[3]);
        assertClose(cell.subdivision(), errors[4]);
        assertClose(cell.cancellation().orElseThrow(), errors[5]);
        assertThat(cell.motion().p50()).isCloseTo(Quantiles.median(sizes[0]), within(1e-10));
        assertThat(cell.motionPercent().p50()).isCloseTo(Quantiles.median(sizes[1]), within(1e-8));
        assertThat(cell.movingChange().orElseThrow().p50()).isCloseTo(Quantiles.median(sizes[2]), within(1e-10));
    }

    /** Rounding of a few 1e-16 over motions of at least 1e-4, and the 1e-12 of the denominators. */
    private static void assertClose(Quantiles actual, double[] errors) {
        Quantiles expected = Quantiles.of(errors);
        assertThat(expected.p50()).isGreaterThan(1e-3);
        assertThat(actual.p50()).isCloseTo(expected.p50(), within(1e-8 * expected.p50()));
        assertThat(actual.p95()).isCloseTo(expected.p95(), within(1e-8 * expected.p95()));
        assertThat(actual.max()).isCloseTo(expected.max(), within(1e-8 * expected.max()));
    }

    private static Matrix apply(GroupAction action, GroupWord word, Matrix point) {
        return action.apply(flat(word.matrix(action.generators())), point);
    }

    private static Matrix flat(Matrix matrix) {
        return Matrix.of(1, matrix.entries().length, matrix.entries());
    }

    private static double distance(Matrix a, Matrix b) {
        return a.minus(b).frobeniusNorm();
    }

    @Test
    void theSameStreamGivesTheSameBitsAndAnotherGivesOthers() {
        JudgedAction tested = Judged.split(new LawlessAction());
        var grid = new EvaluationGrid(List.of(0.1, 0.5), List.of(1, 2, 4), 16);
        List<ErrorCell> cells = FiniteActionErrors.run(tested, grid, new SplittableRandom(5));
        assertThat(FiniteActionErrors.run(tested, grid, new SplittableRandom(5)))
                .isEqualTo(cells);
        assertThat(FiniteActionErrors.run(tested, grid, new SplittableRandom(6)))
                .doesNotContainAnyElementsOf(cells);
        assertThat(cells)
                .extracting(cell -> cell.radius() + " " + cell.factors())
                .containsExactly("0.1 1", "0.1 2", "0.1 4", "0.5 1", "0.5 2", "0.5 4");
    }

    /** To the bit: what else is asked for does not change a cell. */
    @Test
    void aPartOfAGridHasTheSamplesOfTheWhole() {
        JudgedAction tested = Judged.split(new LawlessAction());
        var whole = new EvaluationGrid(List.of(0.1, 0.3, 0.5), List.of(1, 2, 4), 16);
        List<ErrorCell> cells = FiniteActionErrors.run(tested, whole, new SplittableRandom(5));
        EvaluationGrid part = whole.part(List.of(0.5, 0.1), List.of(2, 4));
        assertThat(FiniteActionErrors.run(tested, part, new SplittableRandom(5)))
                .containsExactly(cells.get(1), cells.get(2), cells.get(7), cells.get(8));
        assertThat(FiniteActionErrors.run(tested, part.part(List.of(0.5), List.of(2)), new SplittableRandom(5)))
                .containsExactly(cells.get(7));
        assertThat(FiniteActionErrors.run(
                        tested, new EvaluationGrid(List.of(0.5), List.of(2), 16), new SplittableRandom(5)))
                .as("a grid of its own has samples of its own")
                .isNotEqualTo(List.of(cells.get(7)));
    }

    @Test
    void theDeclaredCellsAreThoseOfThePapersGrid() {
        JudgedAction tested = Judged.split(new LawlessAction());
        List<ErrorCell> all = FiniteActionErrors.run(tested, EvaluationGrid.PAPER, new SplittableRandom(7));
        assertThat(FiniteActionErrors.run(tested, EvaluationGrid.DECLARED, new SplittableRandom(7)))
                .containsExactly(all.get(8), all.get(9));
        assertThat(all.get(8).radius()).isEqualTo(0.5);
        assertThat(all.get(9).factors()).isEqualTo(2);
    }

    @Test
    void oneSampleThatIsNotANumberIsNotOverlooked() {
        GroupAction breaking = new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                // about one point in a hundred
                moved[ScalarSite.D] = point[ScalarSite.D] > 2.3 ? Double.NaN : moved[ScalarSite.D];
                return moved;
            }
        };
        List<ErrorCell> cells = Judged.cells(Judged.split(breaking));
        ErrorCell one = cells.getFirst();
        assertThat(one.output().p95()).isLessThan(Judged.ROUNDING);
        assertThat(one.output().max()).isNaN();
        assertThat(one.inverse().max()).isNaN();
        assertThat(one.nonFinite())
                .contains("output at radius 0.5, 1 factor", "transport at radius 0.5, 1 factor")
                .hasSize(6);
        assertThat(cells.get(1).nonFinite()).contains("composition at radius 0.5, 2 factors");
        assertThat(Tolerances.PAPER.judge(cells).values()).allMatch(Requirement::met);
        assertThat(Tolerances.PAPER.fits(cells)).isFalse();
    }

    @Test
    void partsThatDoNotBelongTogetherAreRefused() {
        assertThatThrownBy(() -> new JudgedAction(
                        new ShearAction(),
                        ScalarSite.PROTECTED,
                        new GaussianPoints(new double[3], 1, 0),
                        new Calibration(1, 1)))
                .hasMessage(
                        "JudgedAction: the action moves 4 parameters, the target has 4 and the points have 3; expected one number");
        assertThatThrownBy(() -> new EvaluationGrid(List.of(0.5, 0.5), List.of(1), 512))
                .hasMessage(
                        "EvaluationGrid: radii [0.5, 0.5], factors [1], 512 samples; expected at least one of each, no radius or count twice");
        assertThatThrownBy(() -> EvaluationGrid.PAPER.part(List.of(0.4), List.of(1)))
                .hasMessage(
                        "EvaluationGrid: radii [0.4] and factors [1] are no part of a grid of radii [0.1, 0.3, 0.5, 0.8, 1.2] and factors [1, 2, 4, 8]");
        assertThatThrownBy(() -> new EvaluationGrid(List.of(-1.0), List.of(1), 512))
                .hasMessage("WordDistribution: radius is -1.0, expected a positive finite number");
    }
}
