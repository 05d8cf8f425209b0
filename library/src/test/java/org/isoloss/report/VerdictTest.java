package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Median;
import org.isoloss.evaluation.Orbits;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.evaluation.Requirement;
import org.isoloss.evaluation.Tolerances;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static ErrorCell cell(int factors, double output, double composition, double motion) {
        Quantiles fine = new Quantiles(0, 1e-5, 1e-4);
        return new ErrorCell(
                0.5,
                factors,
                new Quantiles(0, output, 1),
                new Quantiles(0, composition, 1),
                fine,
                fine,
                fine,
                Optional.of(fine),
                new Median(motion),
                new Median(100 * motion),
                Optional.of(new Median(1)));
    }

    private static Orbits orbits(double norm, double matchedMotion) {
        List<Double> numbers = List.of(0.0);
        return new Orbits(
                1,
                1,
                numbers,
                numbers,
                numbers,
                numbers,
                numbers,
                0,
                Orbits.MATCH_TIME / norm,
                matchedMotion,
                Optional.empty());
    }

    private static Evaluation evaluation(ErrorCell one, ErrorCell two, Orbits orbits) {
        List<ErrorCell> cells = List.of(one, two);
        Map<String, Requirement> judged = new LinkedHashMap<>(Tolerances.PAPER.judge(cells));
        List<String> nonFinite = new ArrayList<>();
        boolean fit = judged.values().stream().allMatch(Requirement::met);
        return new Evaluation(
                Evaluation.FORMAT,
                new Calibration(1, 1),
                16,
                cells,
                judged,
                nonFinite,
                fit,
                List.of(orbits),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static final Orbits USUAL = orbits(1, 0.15);

    /** Misses its output with one factor, and nothing else. */
    static Evaluation missing() {
        return evaluation(cell(1, 1.2e-3, 1e-4, 0.2), cell(2, 8e-4, 1e-4, 0.2), USUAL);
    }

    /** Percent of nothing: the limit stays in the unit in which it is judged. */
    @Test
    void aMotionOfZeroIsJudgedInItsOwnUnit() {
        Evaluation still = evaluation(cell(1, 1e-4, 1e-4, 0), cell(2, 1e-4, 1e-4, 0), USUAL);
        assertThat(Verdict.misses(still))
                .anySatisfy(line -> assertThat(line).matches("motion: 0\\S* s_theta, at least 5\\S*e-2 .*"));
        assertThat(Verdict.unit(missing(), Criterion.MOTION)).isEqualTo("%");
    }

    @Test
    void aMissHasValueUnitLimitAndTheCellThatDecided() {
        Evaluation evaluation = evaluation(cell(1, 1.17e-3, 0.02, 0.031), cell(2, 8e-4, 0.034, 0.9), USUAL);
        assertThat(Verdict.misses(evaluation))
                .containsExactly(
                        "output: 1.17e-3 s_F, at most 1.0e-3 (one factor)",
                        "composition: 3.40e-2, at most 1.0e-2 (two factors)",
                        "motion: 3.10 %, at least 5.0 (one factor)");
        assertThat(Verdict.advice(List.of(evaluation, evaluation)))
                .hasSize(3)
                .first()
                .isEqualTo(
                        "what usually helps output: more steps (recipe.steps), or larger weights of preservation (recipe.preservation, recipe.invariance)");
    }

    @Test
    void aFitMissesNothing() {
        Evaluation evaluation = evaluation(cell(1, 1e-4, 1e-4, 0.2), cell(2, 1e-4, 1e-4, 0.2), USUAL);
        assertThat(evaluation.fits()).isTrue();
        assertThat(Verdict.misses(evaluation)).isEmpty();
        assertThat(Verdict.advice(List.of(evaluation))).isEmpty();
        assertThat(Verdict.units(evaluation)).isEmpty();
    }

    @Test
    void everyRequirementHasItsCriterionAndAdvice() {
        assertThat(Tolerances.PAPER
                        .judge(List.of(cell(1, 0, 0, 1), cell(2, 0, 0, 1)))
                        .keySet())
                .containsExactly(
                        List.of(Criterion.values()).stream().map(Criterion::key).toArray(String[]::new));
        for (Criterion criterion : Criterion.values()) {
            assertThat(criterion.advice()).isNotBlank();
            assertThat(Criterion.of(criterion.key())).isEqualTo(criterion);
        }
        assertThatThrownBy(() -> Criterion.of("speed")).hasMessage("Criterion: 'speed' is none");
    }

    /** Half of what beta asks for is the limit, whatever the scale of the generator. */
    @Test
    void aFieldThatShrankIsWarnedOf() {
        ErrorCell fine = cell(1, 1e-4, 1e-4, 0.2);
        ErrorCell two = cell(2, 1e-4, 1e-4, 0.2);
        assertThat(Verdict.shrunkFields(evaluation(fine, two, orbits(1, 0.31)), 2))
                .isEmpty();
        assertThat(Verdict.shrunkFields(evaluation(fine, two, orbits(1000, 0.31)), 2))
                .isEmpty();
        assertThat(Verdict.shrunkFields(evaluation(fine, two, orbits(1, 0.0135)), 2))
                .containsExactly(
                        "generator 1 moves 1.35e-2 s_theta in t = 0.300, where recipe.beta = 2.0 asks for 6.00e-1: its field has shrunk, or has not grown yet; more steps, recipe.scale=100 or a smaller recipe.beta move farther");
        assertThat(Verdict.shrunkFields(evaluation(fine, two, orbits(1, 0.0135)), 0.05))
                .isEmpty();
        assertThat(Verdict.units(evaluation(fine, two, orbits(1000, 0.31))))
                .containsExactly(
                        "a radius bounds |t| ||h||: at 0.5, t of generator 1 with norm 1.00e3 goes to 5.00e-4");
    }
}
