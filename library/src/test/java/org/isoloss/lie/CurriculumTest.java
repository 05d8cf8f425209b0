package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CurriculumTest {
    @Test
    void radiusAndFactorsGrowInEqualStages() {
        Curriculum ramp = Curriculum.ramp(WordDistribution.upTo(0.5, 3), 0.1, 5, 1_000, 0.4);
        assertThat(ramp.stages()).extracting(Curriculum.Stage::firstStep).containsExactly(0, 100, 200, 300, 400);
        assertThat(ramp.stages())
                .extracting(stage -> stage.words().mostFactors())
                .containsExactly(1, 2, 2, 3, 3);
        assertThat(ramp.stages().stream()
                        .mapToDouble(stage -> stage.words().radius())
                        .toArray())
                .containsExactly(new double[] {0.1, 0.2, 0.3, 0.4, 0.5}, within(1e-15));
        assertThat(ramp.stages().getLast().words()).isEqualTo(WordDistribution.upTo(0.5, 3));
        assertThat(ramp.stageAt(0)).isEqualTo(0);
        assertThat(ramp.stageAt(99)).isEqualTo(0);
        assertThat(ramp.stageAt(100)).isEqualTo(1);
        assertThat(ramp.stageAt(400)).isEqualTo(4);
        assertThat(ramp.stageAt(Integer.MAX_VALUE)).isEqualTo(4);
    }

    @Test
    void aRunTooShortForAllStagesKeepsTheLatest() {
        Curriculum ramp = Curriculum.ramp(WordDistribution.upTo(0.5, 3), 0.1, 5, 2, 1);
        assertThat(ramp.stages()).extracting(Curriculum.Stage::firstStep).containsExactly(0, 1, 2);
        assertThat(ramp.stages().getLast().words()).isEqualTo(WordDistribution.upTo(0.5, 3));
    }

    @Test
    void aConstantCurriculumHasOneStage() {
        Curriculum constant = Curriculum.constant(WordDistribution.exactly(0.8, 6));
        assertThat(constant.stages()).containsExactly(new Curriculum.Stage(0, new WordDistribution(0.8, 6, 6)));
        assertThat(constant.stageAt(1_000)).isEqualTo(0);
    }

    @Test
    void impossibleRampsAreRefused() {
        WordDistribution last = WordDistribution.upTo(0.5, 3);
        assertThatThrownBy(() -> Curriculum.ramp(last, 0.6, 5, 10, 0.5))
                .hasMessage("Curriculum: first radius is 0.6, expected above 0 and at most 0.5");
        assertThatThrownBy(() -> Curriculum.ramp(last, 0.1, 1, 10, 0.5))
                .hasMessage(
                        "Curriculum: 1 stages over the fraction 0.5 of 10 steps; expected at least 2 stages, 1 step and a fraction in (0, 1]");
    }
}
