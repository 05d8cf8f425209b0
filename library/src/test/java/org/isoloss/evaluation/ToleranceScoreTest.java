package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.evaluation.Requirement.Bound;
import org.junit.jupiter.api.Test;

class ToleranceScoreTest {
    /** An error counts as the share of its tolerance; motion, where there is enough of it, not at all. */
    @Test
    void motionCountsOnlyWhereItIsMissed() {
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, 1, true)))
                .isEqualTo(0.5);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, 3, false)))
                .isEqualTo(1.5);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 2, true)))
                .isZero();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 0.5, false)))
                .isEqualTo(4);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 0, false)))
                .isInfinite();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, Double.NaN, false)))
                .isInfinite();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, Double.NaN, false)))
                .isInfinite();
    }

    @Test
    void theLargestShareOfATolerancesDecides() {
        Map<String, Requirement> judged = new LinkedHashMap<>();
        judged.put("output", Requirement.of(Bound.AT_MOST, 1e-3, 5e-4));
        judged.put("inverse", Requirement.of(Bound.AT_MOST, 1e-2, 2e-2));
        judged.put("motion", Requirement.of(Bound.AT_LEAST, 0.05, 0.2));
        ToleranceScore score = ToleranceScore.of(judged);

        assertThat(score.ratio()).isEqualTo(2);
        assertThat(score.decisive()).isEqualTo("inverse");
        assertThat(score.values()).containsEntry("output", 5e-4).containsEntry("motion", 0.2);
    }
}
