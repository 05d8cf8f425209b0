package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.junit.jupiter.api.Test;

class TolerancesTest {
    private static List<String> missed(Map<String, Requirement> judged) {
        List<String> missed = new ArrayList<>();
        judged.forEach((name, requirement) -> {
            if (!requirement.met()) {
                missed.add(name);
            }
        });
        return missed;
    }

    private static List<String> missed(GroupAction action) {
        return missed(Tolerances.PAPER.judge(Judged.cells(Judged.split(action))));
    }

    private static ShearAction shear(double vSpeed, double nullSpeed, double compensation) {
        return new ShearAction() {
            @Override
            double vSpeed() {
                return vSpeed;
            }

            @Override
            double nullSpeed() {
                return nullSpeed;
            }

            @Override
            double compensation() {
                return compensation;
            }
        };
    }

    @Test
    void onlyTheRequirementThatWatchesADefectMissesIt() {
        assertThat(missed(shear(1, 1, 1))).isEmpty();
        // an exact symmetry that moves too little, and with it the moving unit
        assertThat(missed(shear(0.01, 0.01, 1))).containsExactly("motion", "moving_change");
        // an exact symmetry in which the moving unit does next to nothing
        assertThat(missed(shear(0.01, 1, 1))).containsExactly("moving_change");
        // a small change of output, but a twentieth of what there is to compensate
        assertThat(missed(shear(0.08, 1, 0.95))).containsExactly("cancellation");
        assertThat(missed(shear(1, 1, 0.99))).containsExactly("output");
    }

    @Test
    void motionOfATargetThatIsNotSplitIsAllThatIsAsked() {
        Map<String, Requirement> judged = Tolerances.PAPER.judge(Judged.cells(Judged.whole(shear(0.01, 0.01, 1))));
        assertThat(judged.keySet())
                .containsExactly("output", "composition", "inverse", "transport", "subdivision", "motion");
        assertThat(missed(judged)).containsExactly("motion");
    }

    private static ErrorCell cell(double radius, int factors, double error, double motion) {
        Quantiles fine = new Quantiles(0, 0, 0);
        Quantiles tail = new Quantiles(0, error, 1);
        return new ErrorCell(
                radius,
                factors,
                tail,
                tail,
                tail,
                tail,
                tail,
                Optional.of(factors == 1 ? fine : tail),
                new Median(motion),
                new Median(motion),
                Optional.of(new Median(motion)));
    }

    @Test
    void errorsAreJudgedByTheWorseCellAndLimitsAreAllowed() {
        List<ErrorCell> cells =
                List.of(cell(0.5, 1, 1e-3, 0.05), cell(0.5, 2, 1e-2, 0), cell(0.5, 4, 9, 0), cell(0.8, 1, 9, 0));
        Map<String, Requirement> judged = Tolerances.PAPER.judge(cells);
        assertThat(judged.get("output")).isEqualTo(new Requirement(Requirement.Bound.AT_MOST, 1e-3, 1e-2, false));
        assertThat(judged.get("inverse")).isEqualTo(new Requirement(Requirement.Bound.AT_MOST, 1e-2, 1e-2, true));
        assertThat(judged.get("transport")).isEqualTo(new Requirement(Requirement.Bound.AT_MOST, 2e-2, 1e-2, true));
        assertThat(judged.get("motion")).isEqualTo(new Requirement(Requirement.Bound.AT_LEAST, 0.05, 0.05, true));
        assertThat(judged.get("moving_change"))
                .isEqualTo(new Requirement(Requirement.Bound.AT_LEAST, 0.005, 0.05, true));
        assertThat(judged.get("cancellation")).isEqualTo(new Requirement(Requirement.Bound.AT_MOST, 1e-2, 0, true));
        assertThat(missed(judged)).containsExactly("output");
    }

    @Test
    void nanMeetsNothing() {
        List<ErrorCell> cells = List.of(cell(0.5, 1, Double.NaN, Double.NaN), cell(0.5, 2, 0, 1));
        assertThat(missed(Tolerances.PAPER.judge(cells)))
                .containsExactly(
                        "output", "composition", "inverse", "transport", "subdivision", "motion", "moving_change");
        assertThat(missed(
                        Tolerances.PAPER.judge(List.of(cell(0.5, 1, 0, Double.POSITIVE_INFINITY), cell(0.5, 2, 0, 1)))))
                .containsExactly("motion", "moving_change");
    }

    @Test
    void missingCellsAndWrongNumbersAreRefused() {
        var grid = new EvaluationGrid(List.of(0.5), List.of(1), 4);
        List<ErrorCell> cells = FiniteActionErrors.run(Judged.split(new ShearAction()), grid, new SplittableRandom(1));
        assertThatThrownBy(() -> Tolerances.PAPER.judge(cells))
                .hasMessage(
                        "Tolerances: there is no cell of radius 0.5 with 2 factors to judge by; add it to the grid");
        assertThatThrownBy(() -> new Tolerances(0.5, 1e-3, Double.NaN, 1e-2, 1e-2, 1e-2, 0.05, 0.005, 1e-2))
                .hasMessage("Tolerances: NaN is no tolerance, expected a positive finite number");
        assertThatThrownBy(() -> new Requirement(Requirement.Bound.AT_MOST, 1, Double.NaN, true))
                .hasMessage("Requirement: met is true, but the value is NaN and the limit at most 1.0");
    }
}
