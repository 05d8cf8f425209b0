package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TickFormatTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "0.1,0.1",
        "0.30000000000000004,0.3",
        "-2.5,\u22122.5",
        "15000,15000",
        "100000,10\u2075",
        "2e-4,2\u00d710\u207b\u2074",
        "-1e-12,\u221210\u207b\u00b9\u00b2",
        "0.001,0.001"
    })
    void readsWell(double value, String expected) {
        assertThat(TickFormat.text(value)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1,0.2", "7,1", "7.1,2", "15000,5000", "3e-7,5e-8", "10,2"})
    void stepsAreRoundAndFew(double length, double step) {
        assertThat(Ticks.step(length, 7)).isEqualTo(step);
    }
}
