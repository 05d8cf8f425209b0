package org.isoloss.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoftCapTest {
    private static final SoftCap CAP = new SoftCap(2.5);

    @ParameterizedTest
    @ValueSource(doubles = {-7, -1.3, -0.01, 0, 0.4, 3, 40})
    void hasTheDerivativesOfItsValues(double z) {
        double h = 1e-5;
        assertThat(CAP.first(z)).isEqualTo((CAP.value(z + h) - CAP.value(z - h)) / (2 * h), within(1e-9));
        assertThat(CAP.second(z)).isEqualTo((CAP.first(z + h) - CAP.first(z - h)) / (2 * h), within(1e-9));
        float[] narrow = {(float) z};
        CAP.values(narrow, new float[1], new float[1], 0, 1);
        assertThat((double) narrow[0]).isEqualTo(CAP.value((float) z), within((double) Math.ulp((float) CAP.value(z))));
    }
}
