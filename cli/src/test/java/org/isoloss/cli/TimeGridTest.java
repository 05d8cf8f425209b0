package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TimeGridTest {
    private static TimeGrid read(String text) {
        return new TimeGrid.Converter().convert(text);
    }

    @Test
    void aNumberStandsForItself() {
        assertThat(read("-0.5").times()).containsExactly(-0.5);
        assertThat(read("-0.5").isGrid()).isFalse();
    }

    @Test
    void bothEndsBelongToAGrid() {
        assertThat(read("-1:1:5").times()).containsExactly(-1, -0.5, 0, 0.5, 1);
        assertThat(read("0:0.3:2").times()).containsExactly(0, 0.3);
        assertThat(read("1:0:3").times()).containsExactly(1, 0.5, 0);
        assertThat(read("-1:1:101").times()).hasSize(101).contains(1, -1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "NaN", "1:2", "1:2:1", "1:2:0", "0:Infinity:3", "1:2:3:4", "1:2:x", ":", "0:1:2000000"})
    void whatIsNeitherIsRefused(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("such as 0.5, or FROM:TO:COUNT such as -1:1:101")
                .hasMessageEndingWith("got '" + text + "'");
    }
}
