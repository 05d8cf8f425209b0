package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import org.isoloss.autodiff.GradientPlan.Stretch;
import org.junit.jupiter.api.Test;

/** Who overwrites, who accumulates and what is cleared, for views of ten entries. */
class GradientPlanTest {
    private final GradientPlan plan = new GradientPlan(true);
    private final Tensor whole = tensor();

    private static Tensor tensor() {
        Storage storage = new Storage(10, Storage.Role.RESULT, true);
        storage.offset = 100;
        return new Tensor(storage, 0, 10, 1);
    }

    @Test
    void theFirstContributionOverwritesAndTheNextAccumulates() {
        assertThat(plan.contribute(whole)).isFalse();
        assertThat(plan.contribute(whole)).isTrue();
        assertThat(plan.takeClears()).isEmpty();
    }

    @Test
    void whatCannotOverwriteIsCleared() {
        plan.accumulate(whole.rows(2, 5));
        assertThat(plan.takeClears()).containsExactly(new Stretch(102, 105));
        assertThat(plan.takeClears()).isEmpty();
        plan.accumulate(whole.rows(2, 5));
        assertThat(plan.takeClears()).isEmpty();
    }

    @Test
    void gapsBetweenContributionsAreClearedOnce() {
        assertThat(plan.contribute(whole.rows(2, 3))).isFalse();
        assertThat(plan.contribute(whole.rows(5, 7))).isFalse();
        assertThat(plan.contribute(whole)).isTrue();
        assertThat(plan.takeClears())
                .containsExactly(new Stretch(100, 102), new Stretch(103, 105), new Stretch(107, 110));
        plan.read(whole);
        assertThat(plan.takeClears()).isEmpty();
    }

    @Test
    void aContributionBesideAnotherOverwrites() {
        plan.contribute(whole.rows(2, 4));
        assertThat(plan.contribute(whole.rows(4, 6))).isFalse();
        assertThat(plan.contribute(whole.rows(0, 2))).isFalse();
        assertThat(plan.contribute(whole.rows(5, 8))).isTrue();
        assertThat(plan.takeClears()).containsExactly(new Stretch(106, 108));
    }

    @Test
    void aReaderSeesZerosWhereNothingWasContributed() {
        assertThat(plan.touched(whole)).isFalse();
        plan.contribute(whole.rows(0, 1));
        assertThat(plan.touched(whole)).isTrue();
        assertThat(plan.touched(whole.rows(1, 10))).isFalse();
        plan.read(whole);
        assertThat(plan.takeClears()).containsExactly(new Stretch(101, 110));
    }

    @Test
    void deferredGradientsAreTakenOnce() {
        var gradient = new GradientPlan.WeightGradient(whole, whole, whole);
        plan.defer(gradient);
        assertThat(plan.takeDeferred()).containsExactly(gradient);
        assertThat(plan.takeDeferred()).isEmpty();
    }
}
