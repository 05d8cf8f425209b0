package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.NonsingularPoints;
import org.isoloss.network.PointSampler;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BeyondTest {
    private static final EvaluationGrid SMALL = new EvaluationGrid(List.of(0.5), List.of(1, 2), 16);

    /** Exact up to a coefficient of 0.9 in magnitude, and a little off there. */
    private static GroupAction exactNear() {
        return new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                moved[ScalarSite.W] += Math.abs(t) > 0.9 ? 0.1 : 0;
                return moved;
            }
        };
    }

    private static Evaluator evaluator(GroupAction action) {
        return Evaluator.of(Judged.split(action)).grid(SMALL);
    }

    private static Beyond of(GroupAction action) {
        return evaluator(action).beyond().run(new SplittableRandom(1)).beyond().orElseThrow();
    }

    @Test
    void anActionThatIsExactEverywhereIsExactFartherOut() {
        Beyond beyond = of(new ShearAction());
        assertThat(beyond.far()).extracting(ErrorCell::radius).containsExactly(1.0, 2.0);
        assertThat(beyond.wide()).extracting(ErrorCell::radius).containsExactly(0.5, 1.0, 2.0);
        assertThat(beyond.wide()).allMatch(cell -> cell.output().max() < Judged.ROUNDING);
        assertThat(beyond.far()).allMatch(cell -> cell.output().max() < Judged.ROUNDING);
    }

    @Test
    void anErrorFartherOutIsSeenAndDoesNotJudge() {
        Evaluation evaluation = evaluator(exactNear()).beyond().run(new SplittableRandom(1));
        Beyond beyond = evaluation.beyond().orElseThrow();
        assertThat(beyond.far().getFirst().output().max()).isGreaterThan(0.01);
        assertThat(beyond.far().getLast().output().p50())
                .as("half of all words are longer than 1.2")
                .isGreaterThan(0.01);
        assertThat(beyond.wide().getFirst().output().max()).isLessThan(Judged.ROUNDING);
        assertThat(evaluation.fits()).isTrue();
    }

    @Test
    void notANumberFartherOutIsWrittenAndDoesNotJudge() {
        GroupAction breaking = new ShearAction() {
            @Override
            double[] move(double t, double[] point) {
                double[] moved = super.move(t, point);
                moved[ScalarSite.D] = Math.abs(t) > 1.5 ? Double.NaN : moved[ScalarSite.D];
                return moved;
            }
        };
        Evaluation evaluation = evaluator(breaking).beyond().run(new SplittableRandom(1));
        assertThat(evaluation.beyond().orElseThrow().far().getLast().output().max())
                .isNaN();
        assertThat(evaluation.nonFinite()).isEmpty();
        assertThat(evaluation.fits()).isTrue();
        assertThat(Evaluation.fromJson(evaluation.toJson(), "planted")).isEqualTo(evaluation);
    }

    @Test
    void wideMeansTwiceTheDistanceFromTheMiddle() {
        PointSampler wide = ScalarSite.points().widened(2);
        double[] usual = new double[4];
        double[] drawn = new double[4];
        ScalarSite.points().draw(new SplittableRandom(3), usual, 0);
        wide.draw(new SplittableRandom(3), drawn, 0);
        assertThat(drawn[ScalarSite.W] - 0.7).isEqualTo(2 * (usual[ScalarSite.W] - 0.7));

        var gaussian = new GaussianPoints(new double[] {1, 0, 0, 1}, 0.25, 0.5);
        var nonsingular = new NonsingularPoints(gaussian, List.of(new NonsingularPoints.Factor(0, 2)));
        for (PointSampler points : List.of(gaussian, nonsingular)) {
            points.draw(new SplittableRandom(8), usual, 0);
            points.widened(2).draw(new SplittableRandom(8), drawn, 0);
            assertThat(usual[1]).isNotZero();
            for (int i = 0; i < 4; i++) {
                double centre = i % 3 == 0 ? 1 : 0;
                assertThat(drawn[i] - centre).isEqualTo(2 * (usual[i] - centre));
            }
        }
    }

    @Test
    void askingForItChangesNoOtherPart() {
        Evaluation with = evaluator(new LawlessAction()).beyond().run(new SplittableRandom(1));
        Evaluation without = evaluator(new LawlessAction()).run(new SplittableRandom(1));
        assertThat(with.cells()).isEqualTo(without.cells());
        assertThat(with.orbits()).isEqualTo(without.orbits());
        assertThat(with.tolerances()).isEqualTo(without.tolerances());
        assertThat(without.toJson()).doesNotContain("beyond");
        JsonNode json = JsonMapper.shared().readTree(with.toJson());
        assertThat(json.get("cells").size()).isEqualTo(2);
        assertThat(json.get("beyond").propertyNames()).containsExactly("samples", "far", "spread", "wide");
        assertThat(Evaluation.fromJson(with.toJson(), "with")).isEqualTo(with);
    }
}
