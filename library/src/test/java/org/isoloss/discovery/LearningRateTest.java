package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LearningRateTest {
    @Test
    void theCosineWarmsUpAndEndsAtItsFraction() {
        LearningRate rate = new LearningRate.Cosine(6e-3, 200, 1e-3);

        assertThat(rate.at(0, 1000)).isEqualTo(6e-3 / 200);
        assertThat(rate.at(199, 1000)).isEqualTo(6e-3);
        assertThat(rate.at(600, 1000)).isEqualTo(6e-3 * 0.5005, within(1e-15));
        assertThat(rate.at(1000, 1000)).isEqualTo(6e-6, within(1e-15));
    }

    @Test
    void cyclesGrowAndTheLastTakesWhatIsLeft() {
        LearningRate.Cosine cosine = new LearningRate.Cosine(3e-3, 200, 1e-3);
        LearningRate rate = new LearningRate.Cycles(cosine);
        int[] ends = {500, 1_250, 2_250, 3_500, 5_000, 6_750, 8_750, 11_000, 15_000};
        int begin = 0;
        for (int end : ends) {
            for (int step = begin; step < end; step++) {
                double whole = new LearningRate.Cosine(3e-3, begin == 0 ? 200 : 0, 1e-3).at(step - begin, end - begin);
                assertThat(rate.at(step, 15_000)).as("step %d", step).isEqualTo(whole);
            }
            assertThat(rate.at(end - 1, 15_000)).as("before %d", end).isLessThan(1e-4);
            begin = end;
        }
        assertThat(rate.at(500, 15_000)).isEqualTo(3e-3);
    }

    @Test
    void aShortRunIsOneCycle() {
        LearningRate.Cosine cosine = new LearningRate.Cosine(3e-3, 200, 1e-3);
        LearningRate rate = new LearningRate.Cycles(cosine);

        for (int steps : new int[] {1, 12, 500, 999}) {
            for (int step = 0; step < steps; step++) {
                assertThat(rate.at(step, steps)).isEqualTo(cosine.at(step, steps));
            }
        }
        assertThat(rate.at(500, 1_000)).isEqualTo(3e-3);
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertThatThrownBy(() -> new LearningRate.Constant(0))
                .hasMessage("LearningRate: rate must be positive, got 0.0");
        assertThatThrownBy(() -> new LearningRate.Constant(Double.NaN))
                .hasMessage("LearningRate: rate must be positive, got NaN");
        assertThatThrownBy(() -> new LearningRate.Cosine(1, -1, 0.5))
                .hasMessage("LearningRate: warmUp -1 must be at least 0 and lastFraction 0.5 in (0, 1]");
    }
}
