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
    void numbersOutOfRangeAreRefused() {
        assertThatThrownBy(() -> new LearningRate.Constant(0))
                .hasMessage("LearningRate: rate must be positive, got 0.0");
        assertThatThrownBy(() -> new LearningRate.Constant(Double.NaN))
                .hasMessage("LearningRate: rate must be positive, got NaN");
        assertThatThrownBy(() -> new LearningRate.Cosine(1, -1, 0.5))
                .hasMessage("LearningRate: warmUp -1 must be at least 0 and lastFraction 0.5 in (0, 1]");
    }
}
